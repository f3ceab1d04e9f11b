"""Taking labels: completeness, agreement of annotators, and the final table."""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from stages.core.files import InputError
from stages.core.pattern_data import ABBREVIATIONS, CLASSES, CLOSER_LOOK, FIRST_LOOK, read_table


def read_labels(path: Path, maps: list[int] | None, whole: bool = True) -> pd.DataFrame:
    """Read one annotator's file: columns map, label and, if wished, doubt.

    Args:
        maps: the maps that may be there; None takes those that have a label.
        whole: refuse a file in which some of `maps` are missing.

    Returns:
        One row a map, in the order of `maps`, with map, label (a name of `CLASSES`) and doubt; both
        empty where the map is missing.

    Raises:
        InputError: a map is missing (where `whole`), has two labels, or is unknown; or a label is
            not a class.
    """
    table = read_table(path)
    for column in ("map", "label"):
        if column not in table:
            raise InputError(
                f"{path}: no column `{column}`; the first line must be map,label,doubt"
            )
    if maps is None:
        table = table[table["label"].astype(str).str.strip() != ""].reset_index(drop=True)
        maps = table["map"].tolist()
    labels = table["label"].astype(str).str.strip().str.lower()
    labels = labels.replace(ABBREVIATIONS)
    for row in np.flatnonzero(~labels.isin(CLASSES)):
        raise InputError(
            f"{path}, row {row + 2}: unknown label {table.at[row, 'label']!r}; use V, D, VD, B or H"
        )
    twice = table["map"][table["map"].duplicated()].tolist()
    missing = sorted(set(maps) - set(table["map"]))
    unknown = sorted(set(table["map"]) - set(maps))
    for what, numbers in (("twice", twice), ("missing", missing * whole), ("unknown", unknown)):
        if numbers:
            raise InputError(f"{path}: maps {what}: {', '.join(map(str, numbers))}")
    doubt = table["doubt"].astype(str) if "doubt" in table else ""
    result = pd.DataFrame({"map": table["map"], "label": labels, "doubt": doubt})
    return result.set_index("map").reindex(maps, fill_value="").reset_index()


def agreement(first: pd.Series, second: pd.Series) -> dict:
    """Cohen's kappa, the share of equal labels and the table of both annotators' labels.

    Maps that one of the two left out do not count.
    """
    both = (first != "") & (second != "")
    first, second = first[both], second[both]
    return {
        "maps": len(first),
        "agreement": round(float((first == second).mean()), 4),
        "kappa": round(float(cohen_kappa_score(first, second, labels=CLASSES)), 4),
        "classes": list(CLASSES),
        "first_by_second": confusion_matrix(first, second, labels=CLASSES).tolist(),
    }


def adjudicate(
    first: pd.DataFrame,
    second: pd.DataFrame,
    closer: list[pd.DataFrame],
    decisions: pd.DataFrame,
) -> pd.DataFrame:
    """Join all annotators' labels to one.

    A decision counts first; then what most of those say who looked closer; where none did, what
    the first two agree on.

    Args:
        first, second: tables of `read_labels`, of the same maps; each may have left maps out.
        closer: up to three more of annotators of the maps that are `doubtful`.
        decisions: map and label of what is left open (and of maps that the others got wrong).

    Returns:
        One row a map: map; label and doubt of each annotator as first, first_doubt, second,
        second_doubt, closer_first, closer_first_doubt, ...; label.

    Raises:
        InputError: a map that nothing decides.
    """
    columns = {"map": first["map"]}
    names = (*FIRST_LOOK, *CLOSER_LOOK[: len(closer)])
    for name, table in zip(names, (first, second, *closer), strict=True):
        columns |= {name: table["label"], f"{name}_doubt": table["doubt"]}
    result = pd.DataFrame(columns)
    label = result["map"].map(decisions.set_index("map")["label"]).astype(object)
    again = result.reindex(columns=CLOSER_LOOK, fill_value="")
    alike = (result["first"] == result["second"]) & (result["first"] != "")
    alike &= (again == "").all(axis=1)
    label = label.fillna(again.apply(most_frequent, axis=1)).fillna(result["first"].where(alike))
    if label.isna().any():
        open_maps = ", ".join(map(str, result["map"][label.isna()]))
        raise InputError(f"no decision on maps {open_maps}; label them")
    return result.assign(label=label)


def most_frequent(labels: pd.Series) -> str | None:
    """The label that more annotators gave than any other; None where there is none or a tie."""
    counts = labels[labels != ""].value_counts()
    alone = len(counts) == 1 or (len(counts) > 1 and counts.iloc[0] > counts.iloc[1])
    return counts.index[0] if alone else None


def doubtful(first: pd.DataFrame, second: pd.DataFrame) -> pd.Series:
    """Whether each map deserves a closer look: a doubt, two labels, or the rare class Block."""
    return (
        (first["label"] != second["label"])
        | (first["label"] == "block")
        | (first["doubt"] != "")
        | (second["doubt"] != "")
    )
