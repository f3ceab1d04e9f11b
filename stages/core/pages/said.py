"""Rules by which pages speak of numbers: no sentence says more than its numbers and intervals.

Two values are the same where they read the same at the digits that are said. Without an interval
of some width nothing is shown.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd

ABOVE, BELOW, NOT_SHOWN = "above", "below", "not shown"
# So many names are said one by one; more are counted.
MOST_NAMES = 3


def number(value: float, form: str, unit: str = "") -> str:
    """The value at the digits of `form`; 0 has no sign, and a missing value says so."""
    if not np.isfinite(value):
        return "no value"
    printed = f"{value:{form}}"
    if all(mark in "+-0.%," for mark in printed):
        printed = f"{0:{form.replace('+', '')}}"
    return f"{printed} {unit}" if unit else printed


def side(low: float, high: float, bound: float = 0.0) -> str:
    """On which side of the bound the whole interval lies, if it has a width and both ends."""
    if not low < high:
        return NOT_SHOWN
    return ABOVE if low > bound else BELOW if high < bound else NOT_SHOWN


def sides(
    rows: pd.DataFrame, bound: float = 0.0, low: str = "low", high: str = "high"
) -> pd.Series:
    """`side` of each row, by its columns `low` and `high`."""
    of_rows = [side(*ends, bound) for ends in zip(rows[low], rows[high], strict=True)]
    return pd.Series(of_rows, index=rows.index, dtype=object)


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


def some_of(names: Iterable[object], noun: str) -> str:
    """As "layer 3", "layers 3 and 4", and "7 layers" where they are many."""
    names = list(names)
    if len(names) > MOST_NAMES:
        return f"{len(names)} {noun}s"
    return f"{noun if len(names) == 1 else f'{noun}s'} {listed(names)}"


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
    printed = number(values.max() if largest else values.min(), form)
    return [name for name, value in values.items() if number(value, form) == printed], printed


def highest_and_lowest(
    values: pd.Series,
    noun: str,
    form: str,
    *,
    unit: str = "",
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
        return f"{high}{unit} in {of_all(len(most), len(most), noun)}"
    parts = [
        f"{word} in {some_of(names, noun)} ({value}{unit}{' each' * (len(names) > 1)})"
        for word, names, value in (("highest", most, high), ("lowest", least, low))
    ]
    return " and ".join(parts)
