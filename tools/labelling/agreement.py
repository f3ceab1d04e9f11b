"""Taking labels: completeness, agreement of annotators, and the final table."""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from stages.core.stage.files import InputError
from stages.patterns.labelled_maps import (
    ABBREVIATIONS,
    CLASSES,
    CLOSER_ANNOTATORS,
    FIRST_ANNOTATORS,
    read_table,
)


def read_labels(path: Path, maps: list[int]) -> pd.DataFrame:
    """Read one annotator's file: columns map, label and, if wished, doubt.

    Args:
        maps: the maps that may be there. Some may be missing, or have an empty label.

    Returns:
        One row a map, in the order of `maps`, with map, label (a name of `CLASSES`) and doubt; both
        empty where there is no label.

    Raises:
        InputError: a map has two labels, or is unknown; or a label is not a class.
    """
    table = read_table(path)
    for column in ("map", "label"):
        if column not in table:
            raise InputError(
                f"{path}: no column `{column}`; the first line must be map,label,doubt"
            )
    labels = table["label"].astype(str).str.strip().str.lower()
    labels = labels.replace(ABBREVIATIONS)
    for row in np.flatnonzero(~labels.isin(("", *CLASSES))):
        raise InputError(
            f"{path}, row {row + 2}: unknown label {table.at[row, 'label']!r}; use V, D, VD, B or H"
        )
    twice = table["map"][table["map"].duplicated()].tolist()
    unknown = sorted(set(table["map"]) - set(maps))
    for what, numbers in (("twice", twice), ("unknown", unknown)):
        if numbers:
            raise InputError(f"{path}: maps {what}: {', '.join(map(str, numbers))}")
    doubt = table["doubt"].astype(str).where(labels != "", "") if "doubt" in table else ""
    result = pd.DataFrame({"map": table["map"], "label": labels, "doubt": doubt})
    return result.set_index("map").reindex(maps, fill_value="").reset_index()


def agreement(first: pd.Series, second: pd.Series) -> dict:
    """Cohen's kappa, the share of equal labels and the table of both annotators' labels.

    Maps that one of the two left out do not count.

    Raises:
        InputError: no map has both labels.
    """
    both = (first != "") & (second != "")
    if not both.any():
        raise InputError("two annotators have labelled no map in common; compare other files")
    first, second = first[both], second[both]
    return {
        "maps": len(first),
        "agreement": round(float((first == second).mean()), 4),
        "kappa": round(float(cohen_kappa_score(first, second, labels=CLASSES)), 4),
        "classes": list(CLASSES),
        "first_by_second": confusion_matrix(first, second, labels=CLASSES).tolist(),
    }


# Pairs of columns of labels.csv: what each annotator of a look said, and what counts in the end.
LOOKS = {
    "first_look": ("first", "second"),
    "closer_look": ("closer_first", "closer_second"),
    "first_against_final": ("first", "label"),
}


def agreements(labels: pd.DataFrame) -> dict[str, dict]:
    """The agreement of the first two, of two who looked closer, and of the first with the end.

    The last says how far one look goes: the final label was decided with the first in view.

    Args:
        labels: as `labels.csv`; a look that nobody took is left out.
    """
    return {
        name: agreement(*(labels[column] for column in pair))
        for name, pair in LOOKS.items()
        if set(pair) <= set(labels)
    }


def adjudicate(annotators: list[pd.DataFrame], decisions: pd.DataFrame) -> pd.DataFrame:
    """Join all annotators' labels to one.

    A decision counts first. A map that is not `doubtful` has the label of the first two; any other
    needs two labels of those who looked closer, and has the one that most of them gave.

    Args:
        annotators: tables of `read_labels` of the same maps: the two of the first look and up to
            three who looked closer.
        decisions: a table alike, of what is left open (and of maps that the others got wrong).

    Returns:
        One row a map: map; label and doubt of each annotator as first, first_doubt, second,
        second_doubt, closer_first, ...; decision; label.

    Raises:
        InputError: a map that nothing decides.
    """
    columns = {"map": decisions["map"]}
    for name, table in zip((*FIRST_ANNOTATORS, *CLOSER_ANNOTATORS), annotators, strict=False):
        columns |= {name: table["label"], f"{name}_doubt": table["doubt"]}
    result = pd.DataFrame({**columns, "decision": decisions["label"]})
    closer = result.reindex(columns=CLOSER_ANNOTATORS, fill_value="")
    majority = closer.apply(most_frequent, axis=1).where((closer != "").sum(axis=1) > 1)
    label = result["decision"].where(result["decision"] != "")
    label = label.fillna(majority.where(doubtful(*annotators[:2]), result["first"]))
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
    """Whether each map needs a closer look.

    It does after a doubt, two labels, the rare class Block, or no first look at all.
    """
    return (
        (first["label"] != second["label"])
        | first["label"].isin(["", "block"])
        | (first["doubt"] != "")
        | (second["doubt"] != "")
    )
