"""The sentences that probes are trained and tested on, and the word to find in each.

A sentence of several probes is read once.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from jaxtyping import Int
from torch import Tensor

from stages.core.stage.files import InputError
from stages.core.stimuli.store import TRAIN

PROBE = ["probe", "position"]
NO_TARGET = -1  # of a probe that is not asked about a sentence


@dataclass(frozen=True)
class ProbedSentences:
    """Sentences in their order, and the word that each probe is to find in each."""

    words: list[tuple[str, ...]]
    targets: Int[Tensor, "sentence probe"]

    def of_probe(self, number: int) -> "ProbedSentences":
        """The same sentences, asked by one probe alone."""
        return ProbedSentences(self.words, self.targets[:, [number]])


@dataclass(frozen=True)
class Questions:
    """What all probes are trained on and asked.

    `probes` has one row a probe, with its name and its position. `asked` has one row a tested
    question: `number` of the probe, `sentence` (row of `tested`), part, target, first, items.
    """

    probes: pd.DataFrame
    taught: ProbedSentences
    tested: list[tuple[str, ...]]
    asked: pd.DataFrame


def questions(rows: pd.DataFrame, train: int | None, test: int | None, seed: int) -> Questions:
    """Draw the sentences of every probe.

    Args:
        rows: of `probes.parquet`.
        train: sentences to train each probe on, at most; None: all.
        test: sentences of each other part to test it on.

    Raises:
        InputError: a probe has nothing to be trained on, or nothing to be tested on.
    """
    rows = rows.assign(words=rows["words"].map(tuple))
    order = {words: _key(words, seed) for words in set(rows["words"])}
    rows = rows.assign(key=rows["words"].map(order)).sort_values("key", kind="stable")
    drawn = pd.concat(
        of_part.head(_most(train if keys[-1] == TRAIN else test, of_part))
        for keys, of_part in rows.groupby([*PROBE, "part"], sort=False)
    )
    probes = drawn[PROBE].drop_duplicates().sort_values(PROBE).reset_index(drop=True)
    drawn = drawn.merge(probes.assign(number=probes.index), on=PROBE)
    taught, asked = drawn[drawn["part"] == TRAIN], drawn[drawn["part"] != TRAIN]
    for name, number in zip(probes["probe"], probes.index, strict=True):
        for sentences, use in ((taught, "train it on"), (asked, "test it on")):
            if number not in set(sentences["number"]):
                raise InputError(f"the stimuli have no sentence of {name} to {use}; add some")
    return Questions(probes, _asked_of(taught, len(probes)), *_tested(asked))


def _most(wanted: int | None, rows: pd.DataFrame) -> int:
    return len(rows) if wanted is None else wanted


def _key(words: Sequence[str], seed: int) -> str:
    """The place of a sentence in the draw: the same for every probe, so that they share states."""
    return hashlib.sha256(" ".join([str(seed), *words]).encode()).hexdigest()


def _asked_of(rows: pd.DataFrame, probes: int) -> ProbedSentences:
    """Sentences in the order of their keys, each once, with what every probe is to find there."""
    words = rows.sort_values("key", kind="stable")["words"].drop_duplicates().tolist()
    numbers = {sentence: number for number, sentence in enumerate(words)}
    targets = np.full((len(words), probes), NO_TARGET)
    targets[rows["words"].map(numbers), rows["number"]] = rows["target"]
    return ProbedSentences(words, torch.from_numpy(targets))


def _tested(rows: pd.DataFrame) -> tuple[list[tuple[str, ...]], pd.DataFrame]:
    words = rows["words"].drop_duplicates().tolist()
    numbers = {sentence: number for number, sentence in enumerate(words)}
    columns = ["number", *PROBE, "part", "target", "first", "items"]
    asked = rows[columns].assign(sentence=rows["words"].map(numbers))
    return words, asked.sort_values([*PROBE, "part"], kind="stable").reset_index(drop=True)
