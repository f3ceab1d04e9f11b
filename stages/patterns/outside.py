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
from stages.patterns.labelled_maps import read_table
from stages.patterns.map_file import Map

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
