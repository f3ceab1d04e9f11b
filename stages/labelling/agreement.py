"""Taking labels: completeness, agreement of two annotators, and the final table."""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from stages.core.files import InputError
from stages.core.pattern_data import ABBREVIATIONS, CLASSES, read_table


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
        One row a map: map, first, first_doubt, second, second_doubt, label.

    Raises:
        InputError: a disagreement without a decision.
    """
    decided = first["map"].map(decisions.set_index("map")["label"])
    undecided = first["map"][(first["label"] != second["label"]) & decided.isna()]
    if len(undecided):
        raise InputError(f"no decision on maps {', '.join(map(str, undecided))}; label them")
    return pd.DataFrame(
        {
            "map": first["map"],
            "first": first["label"],
            "first_doubt": first["doubt"],
            "second": second["label"],
            "second_doubt": second["doubt"],
            "label": decided.where(decided.notna(), first["label"]),
        }
    )
