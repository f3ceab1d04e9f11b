"""Sentences follow from numbers whose sentence is known; ties, gaps and no rows are decoys."""

import math

import pandas as pd
import pytest

from stages.core.pages.said import (
    ABOVE,
    BELOW,
    NOT_SHOWN,
    counted,
    extreme,
    head_name,
    highest_and_lowest,
    listed,
    number,
    of_all,
    side,
    sides,
    some_of,
)

NAN = math.nan


def test_numbers_read_at_their_digits_and_nothing_has_no_sign():
    assert number(0.426, ".2f") == "0.43"
    assert number(-0.004, "+.2f") == number(0.004, "+.2f") == number(0, "+.2f") == "0.00"
    assert number(0.006, "+.2f") == "+0.01"
    assert number(-0.0004, "+.1%") == "0.0%"
    assert number(10, "+.0f") == "+10"
    assert number(NAN, ".2f") == number(math.inf, ".2f") == "no value"


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (1.1, 2, ABOVE),
        (-2, 0.9, BELOW),
        (1, 2, NOT_SHOWN),  # the end touches the bound
        (0, 1, NOT_SHOWN),
        (0.5, 1.5, NOT_SHOWN),
        (2, 2, NOT_SHOWN),  # no width, no verdict
        (NAN, 2, NOT_SHOWN),
        (2, NAN, NOT_SHOWN),
    ],
)
def test_a_side_needs_the_whole_of_an_interval_with_a_width(low, high, expected):
    assert side(low, high, bound=1) == expected


def test_every_row_has_its_side():
    rows = pd.DataFrame({"low": [1.0, -3, -1], "high": [2.0, -1, 1]}, index=[7, 3, 5])
    assert sides(rows).to_dict() == {7: ABOVE, 3: BELOW, 5: NOT_SHOWN}
    assert sides(rows.iloc[:0]).empty


def test_names_and_counts_read_as_words():
    assert listed(["a"]) == "a"
    assert listed(iter(["a", "b"])) == "a and b"
    assert listed([1, 2, 3]) == "1, 2 and 3"
    assert [counted(count, "head") for count in (0, 1, 1200)] == [
        "no head",
        "1 head",
        "1,200 heads",
    ]
    assert counted(2, "copy", "copies") == "2 copies"
    assert of_all(0, 12, "head") == "none of 12 heads"
    assert of_all(3, 12, "head") == "3 of 12 heads"
    assert of_all(12, 12, "head") == "all 12 heads"
    assert of_all(2, 2, "task") == "both tasks"
    assert of_all(1, 1, "task") == "the only task"
    assert of_all(0, 1, "task") == "not the only task"
    assert head_name(2, 3) == "head 3 of layer 2"
    assert some_of([4], "layer") == "layer 4"
    assert some_of([4, 5], "layer") == "layers 4 and 5"
    assert some_of(range(4), "layer") == "4 layers"


def test_extremes_name_all_that_read_the_same():
    values = pd.Series([0.414, NAN, 0.41, 0.2], index=["a", "b", "c", "d"])
    assert extreme(values, ".2f") == (["a", "c"], "0.41")
    assert extreme(values, ".3f") == (["a"], "0.414")
    assert extreme(values, ".2f", largest=False) == (["d"], "0.20")
    assert extreme(values.iloc[:0], ".2f") == ([], "no value")


def test_highest_and_lowest_know_ties_and_single_values():
    values = pd.Series([0.1, 0.104, 0.42, NAN])
    assert highest_and_lowest(values, "layer", ".2f") == (
        "highest in layer 2 (0.42) and lowest in layers 0 and 1 (0.10 each)"
    )
    assert highest_and_lowest(values, "layer", ".3f", unit="bits") == (
        "highest in layer 2 (0.420 bits) and lowest in layer 0 (0.100 bits)"
    )
    many = pd.Series([1.0] * 5 + [2.0])
    assert highest_and_lowest(many, "layer", ".0f") == (
        "highest in layer 5 (2) and lowest in 5 layers (1 each)"
    )
    assert highest_and_lowest(pd.Series([0.2] * 12), "layer", ".1f") == "0.2 in all 12 layers"
    assert highest_and_lowest(values.iloc[:1], "layer", ".1f") == "0.1 in the only layer"
    assert highest_and_lowest(values.iloc[3:], "layer", ".1f") == "not measured in any layer"
    assert highest_and_lowest(values.iloc[:0], "layer", ".1f") == "not measured in any layer"
