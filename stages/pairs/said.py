"""What the page says of its numbers."""

import pandas as pd

from stages.core.pages.beside import Beside, each_corpus
from stages.core.pages.said import (
    ABOVE,
    BELOW,
    NOT_SHOWN,
    beside_control,
    extreme,
    interval,
    number,
    side,
    sides,
    tally,
    top_heads,
)

PERCENT = 100


def said_of_candidates(found: Beside, kind: str) -> str:
    """Whether the heads that give most to pairs are diagonal more often than heads at large.

    Args:
        found: rows of CANDIDATES of one corpus and kind, one of the encoder and one of the control.
    """
    row = found.own.iloc[0]
    words = {
        ABOVE: "more often than",
        BELOW: "less often than",
        NOT_SHOWN: "not shown to be more or less often than",
    }
    difference = (PERCENT * row[["excess", "excess_low", "excess_high"]]).tolist()
    control = _shares(found.control.iloc[0]) if len(found.control) else ""
    return (
        f"On {found.corpus}, {row['share']:.0%} of the {row['candidates']:.0f} heads that give "
        f"most to pairs of {kind} look mostly at neighbours, "
        f"{words[side(*difference[1:])]} the {row['chance']:.0%} of all {row['heads']:.0f} heads "
        f"({number(difference[0], '+.1f')} points {interval(*difference[1:], '.1f')}; "
        f"{beside_control(control)})."
    )


def _shares(row: pd.Series) -> str:
    return f"{row['share']:.0%} beside {row['chance']:.0%}"


def said_of_moved(cells: pd.DataFrame) -> str:
    """In how many heads pairs get more than tokens as far apart, corpus by corpus.

    Args:
        cells: rows of HEADS of one pairing and aggregate.
    """
    said = []
    for found in each_corpus(cells):
        for kind, own in found.own.groupby("kind", sort=False):
            control = _tally(found.control[found.control["kind"] == kind])
            said.append(f"{found.corpus}, {kind}: {_tally(own)}; {beside_control(control)}.")
    return "By the 95% interval of each head alone. " + " ".join(said)


def _tally(cells: pd.DataFrame) -> str:
    if cells.empty:
        return ""
    found = sides(cells, low="gain_low", high="gain_high")
    return tally(found, "head", ("more", "less"), bound="than tokens as far apart")


def said_of_most(cells: pd.DataFrame) -> str:
    """The heads that give most to pairs, beside tokens as far apart and random weights."""
    said = []
    for found in each_corpus(cells):
        for kind, own in found.own.groupby("kind", sort=False):
            control = found.control[found.control["kind"] == kind]
            said.append(
                f"On {found.corpus}, most goes to pairs of {kind} from "
                f"{top_heads(own, 'weight', '.2f')}; tokens as far apart get "
                f"{_moved(own)} there ({beside_control(_most(control))})."
            )
    return " ".join(said)


def _most(cells: pd.DataFrame) -> str:
    """The largest weight on pairs, and what its head gives to tokens as far apart."""
    if cells["weight"].isna().all():
        return ""
    return f"{cells['weight'].max():.2f} and {_moved(cells)}"


def _moved(cells: pd.DataFrame) -> str:
    """What moved pairs get of the heads whose weight on pairs reads as the largest."""
    most, _ = extreme(cells["weight"], ".2f")
    moved = cells.loc[most, "moved_weight"]
    ends = dict.fromkeys(number(end, ".2f") for end in (moved.min(), moved.max()))
    return " to ".join(ends)
