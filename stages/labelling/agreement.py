"""Taking labels: completeness, agreement of two annotators, and the final table."""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from stages.core.files import InputError
from stages.core.pattern_data import CLASSES, read_table

# What an annotator may write, in any case.
ABBREVIATIONS = dict(zip(("v", "d", "vd", "b", "h"), CLASSES, strict=True))


def read_labels(path: Path, maps: list[int]) -> pd.DataFrame:
    """Read one annotator's file: columns map, label and, if wished, doubt.

    Returns:
        One row a map, in the order of `maps`, with map, label (a name of `CLASSES`) and doubt.

    Raises:
        InputError: a map lacks a label, has two, or is unknown; or a label is not a class.
    """
    table = read_table(path)
    for column in ("map", "label"):
        if column not in table:
            raise InputError(
                f"{path}: no column `{column}`; the first line must be map,label,doubt"
            )
    labels = table["label"].astype(str).str.strip().str.lower()
    labels = labels.replace(ABBREVIATIONS)
    for row in np.flatnonzero(~labels.isin(CLASSES)):
        raise InputError(
            f"{path}, row {row + 2}: unknown label {table.at[row, 'label']!r}; use V, D, VD, B or H"
        )
    twice = table["map"][table["map"].duplicated()].tolist()
    missing = sorted(set(maps) - set(table["map"]))
    unknown = sorted(set(table["map"]) - set(maps))
    for what, numbers in (("twice", twice), ("missing", missing), ("unknown", unknown)):
        if numbers:
            raise InputError(f"{path}: maps {what}: {', '.join(map(str, numbers))}")
    doubt = table["doubt"].astype(str) if "doubt" in table else ""
    result = pd.DataFrame({"map": table["map"], "label": labels, "doubt": doubt})
    return result.set_index("map").loc[maps].reset_index()


def agreement(first: pd.Series, second: pd.Series) -> dict:
    """Cohen's kappa, the share of equal labels and the table of both annotators' labels."""
    return {
        "maps": len(first),
        "agreement": round(float((first == second).mean()), 4),
        "kappa": round(float(cohen_kappa_score(first, second, labels=CLASSES)), 4),
        "classes": list(CLASSES),
        "first_by_second": confusion_matrix(first, second, labels=CLASSES).tolist(),
    }


def adjudicate(first: pd.DataFrame, second: pd.DataFrame, decisions: pd.DataFrame) -> pd.DataFrame:
    """Join two annotators' labels and the adjudicator's decisions.

    Args:
        decisions: map and label of the disagreements (and of maps that both got wrong, if any).

    Returns:
        One row a map: map, first, second, label, doubt (what the annotators noted).

    Raises:
        InputError: a disagreement without a decision.
    """
    table = pd.DataFrame({"map": first["map"], "first": first["label"], "second": second["label"]})
    decided = table["map"].map(decisions.set_index("map")["label"])
    table["label"] = decided.where(decided.notna(), table["first"])
    open_ = table["map"][(table["first"] != table["second"]) & decided.isna()]
    if len(open_):
        raise InputError(f"no decision on maps {', '.join(map(str, open_))}; label them")
    notes = zip(first["doubt"], second["doubt"], strict=True)
    table["doubt"] = ["; ".join(note for note in pair if note) for pair in notes]
    return table
