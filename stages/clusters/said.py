"""What the numbers of alike heads say, in sentences that follow by rules."""

import pandas as pd

from stages.core.pages.beside import each_corpus
from stages.core.pages.said import ABOVE, BELOW, NOT_SHOWN, counted, interval, listed, number, side

POINTS = 100
LIE = {
    ABOVE: "heads of a layer lie together",
    BELOW: "heads of a layer lie apart",
    NOT_SHOWN: "it is not shown that heads of a layer lie together or apart",
}


def said_of_purity(rows: pd.DataFrame) -> list[str]:
    """For each corpus whether heads of a layer are alike, beside chance and random weights."""
    said = []
    for corpus in each_corpus(rows):
        row = corpus.own.iloc[0]
        beside = (
            f" Random weights: {_beyond(corpus.control.iloc[0])}." if len(corpus.control) else ""
        )
        said.append(
            f"On {corpus.corpus} {LIE[side(row['above_low'], row['above_high'])]}: "
            f"{number(row['purity'], '.0%')} of a head's {row['neighbours']} nearest heads are of "
            f"its own layer, {_beyond(row)}.{beside}"
        )
    return said


def _beyond(row: pd.Series) -> str:
    value, low, high = (POINTS * row[name] for name in ("above", "above_low", "above_high"))
    return f"{number(value, '+.0f')} points {interval(low, high, '+.0f')} against chance"


def said_of_kinds(coloured: pd.DataFrame, column: str) -> str:
    """How many heads have each colour of a picture, the most frequent first."""
    counts = coloured[column].value_counts()
    names = sorted(counts.index, key=lambda name: (-counts[name], str(name)))
    return f"{counted(len(coloured), 'head')}: {listed(f'{counts[n]} {n}' for n in names)}."
