"""Cells of tables as text: as many digits as a column of such numbers needs."""

import math
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

DIGITS = 3  # of a column's largest number
MOST_PLACES = 4


class Cell(NamedTuple):
    """What a cell shows, and whether it is a number."""

    text: str
    is_number: bool


def rows(frame: pd.DataFrame) -> list[list[Cell]]:
    """The rows of a table, each column's numbers with the same places."""
    columns = []
    for place in range(frame.shape[1]):
        values = list(frame.iloc[:, place])
        places = decimals(values)
        columns.append([cell(value, places) for value in values])
    return [list(row) for row in zip(*columns, strict=True)]


def decimals(values: list[Any]) -> int:
    """How many decimal places a column needs for three digits of its largest number."""
    numbers = [float(value) for value in values if _is_float(value) and math.isfinite(value)]
    largest = max((abs(number) for number in numbers), default=0.0)
    if not largest or all(number == round(number) for number in numbers):
        return 0
    return min(MOST_PLACES, max(0, DIGITS - 1 - math.floor(math.log10(largest))))


def cell(value: Any, places: int) -> Cell:
    """A cell; a number that is not 0 never reads as 0, and one that is missing leaves it empty."""
    if value is None or value is pd.NA or value is pd.NaT:
        return Cell("", False)
    if isinstance(value, bool | np.bool_):
        return Cell("yes" if value else "no", False)
    if isinstance(value, Integral):
        return Cell(str(int(value)), True)
    if not _is_float(value):
        return Cell(str(value), False)
    if math.isnan(value):
        return Cell("", False)
    text = f"{value:.{places}f}"
    if float(text) == 0 and abs(value) >= 10.0 ** -(MOST_PLACES + 1):
        text = f"{value:.{MOST_PLACES}f}"
    return Cell(text.lstrip("-") if float(text) == 0 else text, True)


def _is_float(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, Integral)
