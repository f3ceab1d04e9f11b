"""Labelled maps of attention that others recorded: which they are, not the maps themselves.

A folder has `maps.csv` (map, example, layer, head, checksum) and, once labelled, `labels.csv`. The
maps are read from the recording itself; the checksum says that they are those that were labelled.
"""

import hashlib
from pathlib import Path

import numpy as np
import pandas as pd

from stages.core.recordings.store import MapStore
from stages.core.stage.files import InputError
from stages.patterns.labelled_maps import ABBREVIATIONS, CLASSES, FIRST_ANNOTATORS, read_table
from stages.patterns.map_file import Map
from stages.patterns.tables import ANY, SPECIAL

COLUMNS = ("map", "example", "layer", "head", "checksum")


def checksum(weights: np.ndarray) -> str:
    """The first 16 digits of SHA-256 of a map's float16 weights, as a recording keeps them."""
    return hashlib.sha256(np.ascontiguousarray(weights).tobytes()).hexdigest()[:16]


def read_outside(folder: Path, store: MapStore) -> tuple[pd.DataFrame, list[Map]]:
    """The maps that `maps.csv` of a folder names, from a recording.

    Returns:
        The table, with `tokens` of each map as in `LabelledMaps`, and the maps.

    Raises:
        InputError: the recording lacks an example, or has another map.
    """
    table = read_table(folder / "maps.csv", text=("example", "checksum"))
    tokens = store.tokens.set_index("id")["tokens"].map(" ".join)
    maps = []
    for row in table.to_dict("records"):
        where = f"{folder / 'maps.csv'}, map {row['map']}"
        if row["example"] not in tokens.index:
            raise InputError(f"{where}: {store.folder} has no example {row['example']}")
        weights = store[row["example"]][row["layer"], row["head"]]
        if checksum(weights) != row["checksum"]:
            raise InputError(
                f"{where}: {store.folder} has another map there than the one that was labelled"
            )
        maps.append(weights.astype(np.float32))
    return table.assign(tokens=tokens.loc[table["example"]].to_numpy()), maps


def read_labels(folder: Path, maps: list[int]) -> pd.DataFrame:
    """What `labels.csv` of a folder says of each map under both rules.

    Its columns are map, any_first, special_first, any_second, special_second and, once somebody
    has decided where annotators differ, label_any and label_special.

    Args:
        maps: that must be there, in this order.

    Returns:
        One row a rule and map: rule, map, first, second, label (names of `CLASSES`). The label is
        what was decided; without that, what both annotators say, and empty where they differ.

    Raises:
        InputError: other maps, or an unknown label.
    """
    path = folder / "labels.csv"
    table = read_table(path)
    if table["map"].tolist() != maps:
        raise InputError(f"{path}: holds other maps than maps.csv beside it")
    tables = []
    for rule in (ANY, SPECIAL):
        first, second = (_classes(table, f"{rule}_{name}", path) for name in FIRST_ANNOTATORS)
        label = first.where(first == second, "")
        if f"label_{rule}" in table:
            decided = _classes(table, f"label_{rule}", path)
            label = decided.where(decided != "", label)
        said = {"first": first, "second": second, "label": label}
        tables.append(pd.DataFrame({"rule": rule, "map": table["map"], **said}))
    return pd.concat(tables, ignore_index=True)


def _classes(table: pd.DataFrame, column: str, path: Path) -> pd.Series:
    """A column of labels, abbreviated or not, as names of `CLASSES`."""
    if column not in table:
        raise InputError(f"{path}: no column `{column}`")
    names = table[column].astype(str).str.strip().str.lower().replace(ABBREVIATIONS)
    for row in np.flatnonzero(~names.isin(("", *CLASSES))):
        raise InputError(
            f"{path}, row {row + 2}: unknown label {table.at[row, column]!r}; "
            f"use {', '.join(ABBREVIATIONS).upper()}"
        )
    return names
