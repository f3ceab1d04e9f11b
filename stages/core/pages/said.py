"""Rules by which pages speak of numbers: no sentence says more than its numbers and intervals.

Two values are the same where they read the same at the digits that are said. Without an interval
of some width nothing is shown.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from stages.core.stage.arms import RANDOM_WEIGHTS, RECORDED, TUNED, TUNED_FROM_RANDOM, UNTUNED

ABOVE, BELOW, NOT_SHOWN = "above", "below", "not shown"
# So many names are said one by one; more are counted.
MOST_NAMES = 3
# Whose attention it is, as prose says it.
ARMS = {
    UNTUNED: "the untuned encoder",
    TUNED: "the tuned encoder",
    TUNED_FROM_RANDOM: "the encoder tuned from random weights",
    RANDOM_WEIGHTS: "random weights",
    RECORDED: "the recorded encoder",
}


def number(value: float, form: str, unit: str = "") -> str:
    """The value at the digits of `form`; 0 has no sign, and a missing value says so."""
    if not np.isfinite(value):
        return "no value"
    said = f"{value:{form}}"
    if all(mark in "+-0.%," for mark in said):
        said = f"{0:{form.replace('+', '')}}"
    return f"{said} {unit}" if unit else said


def interval(low: float, high: float, form: str) -> str:
    """The ends of a 95% interval as "[0.1, 0.3]"; what has no width is no interval."""
    if not low < high:
        return "[no interval]"
    return f"[{number(low, form)}, {number(high, form)}]"


def measured(value: float, low: float, high: float, form: str, unit: str = "") -> str:
    """A value with its unit and interval, as "3.1 points [1.0, 5.2]"."""
    return f"{number(value, form, unit)} {interval(low, high, form)}"


def side(low: float, high: float, bound: float = 0.0) -> str:
    """On which side of the bound the whole interval lies, if it has a width and both ends."""
    if not low < high:
        return NOT_SHOWN
    return ABOVE if low > bound else BELOW if high < bound else NOT_SHOWN


def sides(
    rows: pd.DataFrame, bound: float = 0.0, low: str = "low", high: str = "high"
) -> pd.Series:
    """`side` of each row, by its columns `low` and `high`."""
    found = [side(*ends, bound) for ends in zip(rows[low], rows[high], strict=True)]
    return pd.Series(found, index=rows.index, dtype=object)


def apart(low: float, high: float, other_low: float, other_high: float) -> str:
    """On which side of another interval the whole of one lies.

    Intervals that overlap may still be of different values: that is not shown, nor is it denied.
    """
    if not (low < high and other_low <= other_high):
        return NOT_SHOWN
    return ABOVE if low > other_high else BELOW if high < other_low else NOT_SHOWN


def listed(names: Iterable[object]) -> str:
    """Names as "one", "one and two", "one, two and three"."""
    *rest, last = map(str, names)
    return f"{', '.join(rest)} and {last}" if rest else last


def counted(count: int, noun: str, plural: str = "") -> str:
    """As "1 head", "2 heads", "no head"; the plural is the noun with an s unless it is given."""
    if count == 0:
        return f"no {noun}"
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def of_all(count: int, total: int, noun: str, plural: str = "") -> str:
    """As "none of 12 heads", "3 of 12 heads", "all 12 heads", "the only head"."""
    plural = plural or noun + "s"
    if total == 1:
        return f"the only {noun}" if count else f"not the only {noun}"
    if count == total:
        return "both " + plural if total == 2 else f"all {total:,} {plural}"
    return f"{'none' if count == 0 else f'{count:,}'} of {total:,} {plural}"


def some_of(names: Iterable[object], noun: str, plural: str = "") -> str:
    """As "layer 3", "layers 3 and 4", and "7 layers" where they are many."""
    names, plural = list(names), plural or noun + "s"
    if len(names) > MOST_NAMES:
        return f"{len(names)} {plural}"
    return f"{noun if len(names) == 1 else plural} {listed(names)}"


def head_name(layer: int, head: int) -> str:
    """As "head 3 of layer 2", both counted from 0."""
    return f"head {head} of layer {layer}"


def extreme(values: pd.Series, form: str, largest: bool = True) -> tuple[list, str]:
    """The names (the index) of the largest or smallest value, and how it reads.

    All that read the same are named. Missing values are left out; of none the list is empty.
    """
    values = values[np.isfinite(values.astype(float))]
    if values.empty:
        return [], "no value"
    said = number(values.max() if largest else values.min(), form)
    return [name for name, value in values.items() if number(value, form) == said], said


def highest_and_lowest(
    values: pd.Series,
    noun: str,
    form: str,
    *,
    unit: str = "",
    plural: str = "",
    words: tuple[str, str] = ("highest", "lowest"),
) -> str:
    """As "highest in layer 3 (0.42) and lowest in layers 0 and 1 (0.10 each)".

    Values that all read the same are "0.42 in all 12 layers", one is "0.42 in the only layer";
    of none the words are "not measured in any layer".
    """
    most, high = extreme(values, form)
    least, low = extreme(values, form, largest=False)
    unit = f" {unit}" if unit else ""
    if not most:
        return f"not measured in any {noun}"
    if high == low:
        return f"{high}{unit} in {of_all(len(most), len(most), noun, plural)}"
    parts = [
        f"{word} in {some_of(names, noun, plural)} ({value}{unit}{' each' * (len(names) > 1)})"
        for word, names, value in ((words[0], most, high), (words[1], least, low))
    ]
    return " and ".join(parts)


def tally(
    found: pd.Series, noun: str, words: tuple[str, str], *, plural: str = "", bound: str = ""
) -> str:
    """How many of `sides` lie where, as "more in 3 of 12 heads, less in 1; not shown in 8".

    Args:
        words: for those above and those below, "more" and "less" say.
        bound: what they lie above or below, said once behind the first word.
    """
    total = len(found)
    above, below = int((found == ABOVE).sum()), int((found == BELOW).sum())
    if total == 0:
        return f"not measured in any {noun}"
    behind = f" {bound}" if bound else ""
    if above == below == 0:
        every = f"any of {total:,} {plural or noun + 's'}" if total > 1 else f"the only {noun}"
        return f"not shown to be {words[0]} or {words[1]}{behind} in {every}"
    parts = []
    if above:
        parts.append(f"{words[0]}{behind} in {of_all(above, total, noun, plural)}")
    if below:
        said = f"{below:,}" if above else f"{of_all(below, total, noun, plural)}"
        parts.append(f"{words[1]}{'' if above else behind} in {said}")
    rest = total - above - below
    return ", ".join(parts) + (f"; neither is shown in {rest:,}" if rest else "")


def beside(values: pd.Series, form: str, unit: str = "") -> str:
    """Values of arms (the index), as "0.20 in the tuned encoder and 0.08 in random weights".

    Random weights come last, as the control of the others.
    """
    parts = [
        f"{number(value, form, unit)} in {ARMS.get(arm, arm)}"
        for arm, value in control_last(values.items())
    ]
    return listed(parts) if parts else "not measured"


def control_last(by_arm: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """What stands by arms in their order, with that of random weights behind the others."""
    return sorted(by_arm, key=lambda item: item[0] == RANDOM_WEIGHTS)


def top_heads(
    cells: pd.DataFrame, column: str, form: str, *, largest: bool = True, unit: str = ""
) -> str:
    """The heads with most (or least) of a column and how much, as "head 3 of layer 2 (0.42)".

    Args:
        cells: one row a head, with layer and head.
    """
    values = cells.set_index(["layer", "head"])[column]
    names, said = extreme(values, form, largest)
    if not names:
        return "no head (nothing was measured)"
    # A table with blanks elsewhere in these columns holds layers and heads as decimals.
    names = [(int(layer), int(head)) for layer, head in names]
    said = f"{said} {unit}" if unit else said
    if len(names) == 1:
        return f"{head_name(*names[0])} ({said})"
    if len(names) == int(np.isfinite(values.astype(float)).sum()):
        return f"{of_all(len(names), len(names), 'head')} alike ({said})"
    heads = (
        f"{len(names)} heads"
        if len(names) > MOST_NAMES
        else listed(head_name(*name) for name in names)
    )
    return f"{heads} ({said} each)"


def beside_control(said: str) -> str:
    """What random weights have of the same, to stand behind a number; "" where nothing is known."""
    return f"with random weights {said}" if said else "random weights were not measured"


def compared(
    low: float,
    high: float,
    words: tuple[str, str, str] = ("more than", "less than", "not shown to differ from"),
) -> str:
    """How one value lies to another, by the interval of their difference."""
    return dict(zip((ABOVE, BELOW, NOT_SHOWN), words, strict=True))[side(low, high)]
