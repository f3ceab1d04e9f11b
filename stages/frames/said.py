"""What the numbers of heads that link words of frames say, in sentences that follow by rules."""

import pandas as pd

from stages.core.pages.beside import each_corpus
from stages.core.pages.said import head_name, measured, sides, tally, top_heads

SIDES = ("more", "less")


def said_of_best(rows: pd.DataFrame) -> list[str]:
    """For each corpus what the head that links most has beyond moved links, held out.

    Args:
        rows: one row an encoder: layer, head, value, low and high.
    """
    if rows.empty:
        return []
    said = []
    for corpus in each_corpus(rows):
        own = corpus.own.iloc[0]
        beside = f"; random weights: {_gain(corpus.control.iloc[0])}" if len(corpus.control) else ""
        said.append(
            f"{corpus.corpus}: the head that links predicates and their elements most gives "
            f"{_gain(own)} to them beyond words as far apart, held out{beside}. On all texts it is "
            f"{head_name(own['layer'], own['head'])}."
        )
    return said


def _gain(row: pd.Series) -> str:
    return measured(row["value"], row["low"], row["high"], "+.2f")


def said_of_heads(cells: pd.DataFrame) -> list[str]:
    """For each corpus how many heads give more to links than to words as far apart.

    Args:
        cells: one row a head: gain_weight, gain_low and gain_high.
    """
    said = []
    for corpus in each_corpus(cells):
        beside = f" Random weights: {_tally(corpus.control)}." if len(corpus.control) else ""
        most = top_heads(corpus.own, "gain_weight", "+.2f")
        said.append(
            f"{corpus.corpus}, weight between linked words, each head by itself: "
            f"{_tally(corpus.own)}.{beside} Most in {most}."
        )
    return said


def _tally(rows: pd.DataFrame) -> str:
    found = sides(rows, low="gain_low", high="gain_high")
    return tally(found, "head", SIDES, bound="than to words as far apart")
