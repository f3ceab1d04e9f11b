"""The rows that a sentence is about, and those of random weights that stand beside them."""

from dataclasses import dataclass

import pandas as pd

from stages.core.stage.arms import RANDOM_WEIGHTS
from stages.core.verdicts.measures import of_first_corpus, studied


@dataclass(frozen=True)
class Beside:
    """The rows of one corpus: `own` of the encoder, `control` of random weights, perhaps none."""

    corpus: str
    own: pd.DataFrame
    control: pd.DataFrame


def first_corpus(rows: pd.DataFrame) -> Beside:
    """The rows of the corpus that decides, which a page speaks of at its top.

    Raises:
        NotMeasured: only random weights were measured.
    """
    return _beside(rows, str(of_first_corpus(rows)["corpus"].iloc[0]))


def each_corpus(rows: pd.DataFrame) -> list[Beside]:
    """The rows of every corpus that the encoder reads, in their order.

    Raises:
        NotMeasured: only random weights were measured.
    """
    return [_beside(rows, str(corpus)) for corpus in studied(rows)["corpus"].unique()]


def _beside(rows: pd.DataFrame, corpus: str) -> Beside:
    of_corpus = rows[rows["corpus"] == corpus]
    of_control = of_corpus["encoder"] == RANDOM_WEIGHTS
    return Beside(corpus, of_corpus[~of_control], of_corpus[of_control])
