"""The labelled attention maps: reading them, checking them, and the classes of the patterns.

A folder of maps holds `maps.npz` (the weights), `maps.csv` (where each map comes from, and its
tokens) and, once labelled, `labels.csv` (the label of each annotator and the adjudicated one).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int
from torch import Tensor

from stages.core.stage.files import InputError
from stages.patterns.map_file import Map, read_maps

# Kovaleva et al. 2019, section 4.1, Figure 1.
CLASSES = ("vertical", "diagonal", "vertical+diagonal", "block", "heterogeneous")

# Who labels: from small pictures, and what those doubt, or did not see, from large ones.
FIRST_ANNOTATORS = ("first", "second")
CLOSER_ANNOTATORS = ("closer_first", "closer_second", "closer_third")

# What an annotator may write, in any case.
ABBREVIATIONS = dict(zip(("v", "d", "vd", "b", "h"), CLASSES, strict=True))


@dataclass(frozen=True)
class LabelledMaps:
    """Maps and the row of `table` that belongs to each.

    `table` has the columns of `maps.csv` and of `labels.csv`: map, fold, task, arm, seed, layer,
    head, tokens (as the encoder spells them, a space between two), encoder, drawn_by, ..., first,
    first_doubt, second, second_doubt, closer_first, ..., label.
    """

    maps: list[Map]
    table: pd.DataFrame

    @property
    def labels(self) -> np.ndarray:
        """The adjudicated class of each map as an index into `CLASSES`."""
        return self.table["label"].map(CLASSES.index).to_numpy()

    def targets(self, adjudicated: float, doubt: float) -> Float[np.ndarray, "map class"]:
        """How sure the class of each map is, as a distribution over `CLASSES`.

        Args:
            adjudicated: share of the adjudicated label; the annotators have the rest, all alike.
                Where some looked closer, only those count; where nobody labelled, the label.
            doubt: share of an annotator's part that goes to the other classes of a doubt (`V/VD`).
        """
        decided = np.eye(len(CLASSES))[self.labels]
        opinions = decided
        for annotators in (FIRST_ANNOTATORS, CLOSER_ANNOTATORS):
            given = self._opinions(annotators, doubt)
            count = given.sum(1, keepdims=True)
            opinions = np.where(count > 0, given / np.maximum(count, 1), opinions)
        return adjudicated * decided + (1 - adjudicated) * opinions

    def _opinions(
        self, annotators: tuple[str, ...], doubt: float
    ) -> Float[np.ndarray, "map class"]:
        total = np.zeros((len(self.table), len(CLASSES)))
        for name in annotators:
            if name in self.table:
                rows = zip(self.table[name], self.table[f"{name}_doubt"], strict=True)
                total += np.stack([opinion(label, note, doubt) for label, note in rows])
        return total

    @property
    def folds(self) -> np.ndarray:
        return self.table["fold"].to_numpy()


def opinion(label: str, note: str, doubt: float) -> Float[np.ndarray, " class"]:
    """One annotator's label, with the share `doubt` given to the other classes the note names.

    Zeros where the annotator gave no label.
    """
    if not label:
        return np.zeros(len(CLASSES))
    named = {ABBREVIATIONS.get(part.strip().lower()) for part in note.split("/")}
    others = [name for name in CLASSES if name in named and name != label]
    result = np.zeros(len(CLASSES))
    result[CLASSES.index(label)] = 1 - doubt if others else 1
    for name in others:
        result[CLASSES.index(name)] = doubt / len(others)
    return result


def by_size(maps: list[Map]) -> Iterator[tuple[Int[np.ndarray, " some"], Tensor]]:
    """The maps of each size: their places in the list, and they as one float32 tensor.

    Small maps one by one cost some ten times as much as stacks of them.
    """
    lengths = np.array([len(weights) for weights in maps])
    for length in np.unique(lengths):
        places = np.flatnonzero(lengths == length)
        yield places, torch.from_numpy(np.stack([maps[place] for place in places])).float()


def read_labelled(folder: Path) -> LabelledMaps:
    """Read a folder of labelled maps.

    Raises:
        InputError: a file is missing, the files disagree, a label is unknown, or a head or a
            sentence stands in two folds.
    """
    maps, table = read_maps(folder / "maps.npz"), read_table(folder / "maps.csv")
    labels = read_table(folder / "labels.csv")
    if not table["map"].equals(labels["map"]) or len(table) != len(maps):
        raise InputError(f"{folder}: maps.npz, maps.csv and labels.csv hold different maps")
    if (table["tokens"].str.split().map(len) != [len(weights) for weights in maps]).any():
        raise InputError(f"{folder / 'maps.csv'}: a map has another number of tokens than its rows")
    table = table.merge(labels, on="map", validate="one_to_one")
    for row, label in enumerate(table["label"]):
        if label not in CLASSES:
            raise InputError(
                f"{folder / 'labels.csv'}, row {row + 2}: unknown label {label!r}; "
                f"use one of {', '.join(CLASSES)}"
            )
    check_folds(table, folder / "maps.csv")
    return LabelledMaps(maps, table)


def read_table(path: Path, text: Iterable[str] = ()) -> pd.DataFrame:
    """Read a CSV table whose empty cells are empty strings; columns of `text` are never numbers."""
    try:
        return pd.read_csv(path, keep_default_na=False, dtype=dict.fromkeys(text, str))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; see data/patterns/GUIDELINE.md") from None


def check_folds(table: pd.DataFrame, source: Path) -> None:
    """Refuse folds that share a head (of whichever task or arm) or a sentence.

    Raises:
        InputError: naming the head or the sentence.
    """
    heads = table.groupby(["encoder", "layer", "head"])["fold"].nunique()
    if (heads > 1).any():
        encoder, layer, head = heads.idxmax()
        raise InputError(
            f"{source}: head {layer}-{head} of {encoder} stands in two folds; draw the maps anew"
        )
    sentences = pd.concat(
        [
            table.assign(text=table[column].str.split(PART, regex=False)).explode("text")[
                ["text", "fold"]
            ]
            for column in ("text_a", "text_b")
        ]
    )
    folds = sentences[sentences["text"] != ""].groupby("text")["fold"].nunique()
    if (folds > 1).any():
        raise InputError(f"{source}: {folds.idxmax()!r} stands in two folds; draw the maps anew")


# Between the sentences of one text that was joined from several examples.
PART = " | "
