"""Cells of tables as text: as many digits as a column of such numbers needs."""

import math
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from stages.core.pages.titles import heading_in_words, in_words

DIGITS = 3  # of a column's largest number
MOST_PLACES = 4


class Cell(NamedTuple):
    """What a cell shows, whether it is a number, and which, where its text alone does not say."""

    text: str
    is_number: bool
    value: str | None = None


class Column(NamedTuple):
    """A column as pages show it: an estimate and its interval are one."""

    heading: str
    cells: list[Cell]
    is_number: bool


def columns(frame: pd.DataFrame) -> list[Column]:
    """The columns of a table in words, each column's numbers with the same places.

    An estimate that is followed by the ends of its interval stands in one column with them, sorted
    by the estimate. The ends are `low` and `high`, or the estimate's name or title with these.
    """
    names, made, place = [str(name) for name in frame.columns], [], 0
    numeric = [pd.api.types.is_numeric_dtype(dtype) for dtype in frame.dtypes]
    while place < len(names):
        name = names[place]
        ends = names[place + 1 : place + 3]
        # A title may have a unit behind its last comma.
        stems = ("", f"{name}_", f"{name}, ", f"{name.rpartition(', ')[0]}, ")
        of_interval = ends in [[f"{stem}low", f"{stem}high"] for stem in stems]
        # A count that stands before the interval of another number is none of its estimates.
        is_estimate = pd.api.types.is_float_dtype(frame.dtypes.iloc[place])
        if of_interval and is_estimate and all(numeric[place : place + 3]):
            triple = [list(frame.iloc[:, place + step]) for step in range(3)]
            made.append(Column(f"{heading_in_words(name)} [low, high]", _estimates(*triple), True))
            place += 3
            continue
        values = list(frame.iloc[:, place])
        places = decimals(values)
        cells = [cell(value, places) for value in values]
        made.append(Column(heading_in_words(name), cells, numeric[place]))
        place += 1
    return made


def rows(made: list[Column]) -> list[list[Cell]]:
    """The rows of these columns."""
    return [list(row) for row in zip(*(column.cells for column in made), strict=True)]


def _estimates(values: list[Any], lows: list[Any], highs: list[Any]) -> list[Cell]:
    """Estimates with their intervals, all of the same places."""
    places = decimals([*values, *lows, *highs])
    cells = []
    for value, *ends in zip(values, lows, highs, strict=True):
        own, (low, high) = cell(value, places), (cell(end, places) for end in ends)
        interval = f" [{low.text}, {high.text}]" if low.text and high.text else ""
        key = repr(float(value)) if own.is_number else ""
        cells.append(Cell(own.text + interval, own.is_number, key))
    return cells


def decimals(values: list[Any]) -> int:
    """How many decimal places all numbers of a column get, at most four.

    As many as three digits of its largest number need, and more where one that is not 0 would else
    read as 0; whole numbers get none.
    """
    numbers = [abs(float(value)) for value in values if _is_float(value) and math.isfinite(value)]
    largest = max(numbers, default=0.0)
    if not largest or all(number == round(number) for number in numbers):
        return 0
    places = min(MOST_PLACES, max(0, DIGITS - 1 - math.floor(math.log10(largest))))
    read = [number for number in numbers if _read(f"{number:.{MOST_PLACES}f}")]
    while places < MOST_PLACES and not all(_read(f"{number:.{places}f}") for number in read):
        places += 1
    return places


def cell(value: Any, places: int) -> Cell:
    """A cell; a number that reads as 0 has no sign, and one that is missing leaves it empty."""
    if value is None or value is pd.NA or value is pd.NaT:
        return Cell("", False)
    if isinstance(value, bool | np.bool_):
        return Cell("yes" if value else "no", False)
    if isinstance(value, Integral):
        return _number(f"{int(value):,}")
    if not _is_float(value):
        return Cell(in_words(str(value)), False)
    if math.isnan(value):
        return Cell("", False)
    text = f"{value:,.{places}f}"
    return _number(text.lstrip("-") if _read(text) == 0 else text)


def _number(text: str) -> Cell:
    """A number, whose value is given apart where its thousands are."""
    return Cell(text, True, text.replace(",", "") if "," in text else None)


def _read(text: str) -> float:
    return float(text.replace(",", ""))


def _is_float(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, Integral)
