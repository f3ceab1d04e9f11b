"""What the numbers of heads as segmenters say, in sentences that follow by rules."""

from typing import Any

import pandas as pd

from stages.boundaries.tables import ACCURACY, ALWAYS, BEST_HEAD, F1
from stages.core.pages.beside import each_corpus
from stages.core.pages.said import ABOVE, BELOW, NOT_SHOWN, number, side

SAID_OF = {True: "every token ends a word", False: "none does"}
COMPARED = {
    ABOVE: "more than",
    BELOW: "less than",
    NOT_SHOWN: "not shown to differ from",
}


def compared(row: dict[str, Any]) -> str:
    """How a value lies to its rival, by the interval of their difference."""
    return COMPARED[side(row["gain_low"], row["gain_high"])]


def _percent(share: float) -> str:
    return number(share, ".1%")


def _row(rows: pd.DataFrame, score: str) -> dict[str, Any] | None:
    """The best head by one score, where it was measured."""
    found = rows[(rows["reader"] == BEST_HEAD) & (rows["score"] == score)].to_dict("records")
    return found[0] if found else None


def said_of_best(rows: pd.DataFrame, score: str) -> str:
    """A sentence for each corpus: the best head beside the better constant and random weights."""
    said = []
    for corpus in each_corpus(rows):
        own, control = _row(corpus.own, score), _row(corpus.control, score)
        if own is None:
            continue
        form = ".1%" if score == ACCURACY else ".2f"
        has = {
            ACCURACY: f"the best head has {number(own['value'], form)} of the positions right",
            F1: f"the best head's F1 over words is {number(own['value'], form)}",
        }[score]
        beside = "" if control is None else f" (random weights: {number(control['value'], form)})"
        said.append(
            f"{corpus.corpus}: {has}{beside}, {compared(own)} the "
            f"{number(own['rival_value'], form)} of saying that "
            f"{SAID_OF[own['constant'] == ALWAYS]}."
        )
    return " ".join(said)


def said_of_unions(rows: pd.DataFrame) -> str:
    """A sentence for each corpus: the union of the most heads beside as many random ones."""
    said = []
    for corpus in each_corpus(rows):
        row = corpus.own.loc[corpus.own["heads"].idxmax()].to_dict()
        control = corpus.control[corpus.control["heads"] == row["heads"]]
        beside = f" (random weights: {_percent(control['value'].iloc[0])})" if len(control) else ""
        said.append(
            f"{corpus.corpus}: of the {row['heads']} best heads at least one is right at "
            f"{_percent(row['value'])} of the positions{beside}, {compared(row)} the "
            f"{_percent(row['rival_value'])} of {row['heads']} heads drawn at random."
        )
    return " ".join(said)


def said_of_granularity(rows: pd.DataFrame) -> str:
    """A sentence for each corpus: whether coarser stretches are made of finer ones."""
    said = []
    for corpus in each_corpus(rows):
        row = corpus.own.iloc[0].to_dict()
        control = corpus.control.to_dict("records")
        beside = (
            f"; with random weights {_percent(control[0]['value'])}, {compared(control[0])} the "
            f"{_percent(control[0]['rival_value'])} of chance"
            if control
            else ""
        )
        said.append(
            f"{corpus.corpus}: among its {row['heads']} best heads, {_percent(row['value'])} of "
            f"the coarser's stretches are made of whole ones of the finer, {compared(row)} the "
            f"{_percent(row['rival_value'])} of chance{beside}."
        )
    return " ".join(said)


def said_of_heads(cells: pd.DataFrame) -> str:
    """How many heads are more often right than the better constant, on all texts.

    Args:
        cells: one row a head with `beyond`, what it has beyond the constant.
    """
    said = []
    for corpus in each_corpus(cells):
        parts = [
            f"{int((own['beyond'] > 0).sum())} of {len(own)} heads{of}"
            for own, of in ((corpus.own, ""), (corpus.control, " of random weights"))
            if len(own)
        ]
        said.append(
            f"{corpus.corpus}: right more often than the constant are {' and '.join(parts)}."
        )
    return " ".join(said)


def said_of_marks(cells: pd.DataFrame) -> str:
    """Between which shares of positions the heads of each corpus mark an end."""
    said = []
    for corpus in each_corpus(cells):
        beside = f" (random weights: {_marks(corpus.control)})" if len(corpus.control) else ""
        said.append(
            f"{corpus.corpus}: heads mark between {_marks(corpus.own)} of the positions{beside}, "
            f"of which {_percent(corpus.own['ends'].iloc[0])} end a word."
        )
    return " ".join(said)


def _marks(cells: pd.DataFrame) -> str:
    return f"{_percent(cells['marks'].min())} and {_percent(cells['marks'].max())}"


def said_of_pairs(points: pd.DataFrame) -> str:
    """In how many pairs of the best heads the coarser's stretches are the finer's beyond chance.

    Args:
        points: one row a pair with `beyond`, the share less that of chance; no intervals.
    """
    said = []
    for corpus in each_corpus(points):
        parts = [
            f"{int((own['beyond'] > 0).sum())} of {len(own)} pairs{of}"
            for own, of in ((corpus.own, ""), (corpus.control, " of random weights"))
            if len(own)
        ]
        said.append(
            f"{corpus.corpus}: more of the coarser's stretches than by chance are made of "
            f"the finer's in {' and '.join(parts)}, on all texts."
        )
    return " ".join(said)
