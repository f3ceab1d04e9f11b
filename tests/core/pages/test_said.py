"""Sentences follow from numbers whose sentence is known; ties, gaps and no rows are decoys."""

import math

import pandas as pd
import pytest

from stages.core.pages.said import (
    ABOVE,
    BELOW,
    NOT_SHOWN,
    apart,
    beside,
    beside_control,
    compared,
    counted,
    extreme,
    head_name,
    highest_and_lowest,
    interval,
    listed,
    measured,
    number,
    of_all,
    side,
    sides,
    some_of,
    tally,
    top_heads,
)

NAN = math.nan


def test_numbers_read_at_their_digits_and_nothing_has_no_sign():
    assert number(0.426, ".2f") == "0.43"
    assert number(-0.004, "+.2f") == number(0.004, "+.2f") == number(0, "+.2f") == "0.00"
    assert number(0.006, "+.2f") == "+0.01"
    assert number(-0.0004, "+.1%") == "0.0%"
    assert number(10, "+.0f") == "+10"
    assert number(NAN, ".2f") == number(math.inf, ".2f") == "no value"


def test_a_value_stands_with_its_unit_and_interval():
    assert measured(3.14, 1, 5.25, ".1f", "points") == "3.1 points [1.0, 5.2]"
    assert measured(3.14, 3.14, 3.14, ".1f") == "3.1 [no interval]"
    assert interval(NAN, 1, ".1f") == interval(1, NAN, ".1f") == "[no interval]"


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


def test_intervals_are_apart_only_where_they_do_not_meet():
    assert apart(0.5, 0.6, 0.1, 0.4) == ABOVE
    assert apart(0.1, 0.4, 0.5, 0.6) == BELOW
    assert apart(0.3, 0.6, 0.1, 0.4) == NOT_SHOWN
    assert apart(0.5, 0.5, 0.1, 0.4) == NOT_SHOWN
    assert apart(0.5, 0.6, 0.1, NAN) == apart(NAN, 0.6, 0.1, 0.2) == NOT_SHOWN


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
    assert highest_and_lowest(
        values, "layer", ".3f", unit="bits", words=("most confused", "least")
    ) == ("most confused in layer 2 (0.420 bits) and least in layer 0 (0.100 bits)")
    many = pd.Series([1.0] * 5 + [2.0])
    assert highest_and_lowest(many, "layer", ".0f") == (
        "highest in layer 5 (2) and lowest in 5 layers (1 each)"
    )
    assert highest_and_lowest(pd.Series([0.2] * 12), "layer", ".1f") == "0.2 in all 12 layers"
    assert highest_and_lowest(values.iloc[:1], "layer", ".1f") == "0.1 in the only layer"
    assert highest_and_lowest(values.iloc[3:], "layer", ".1f") == "not measured in any layer"
    assert highest_and_lowest(values.iloc[:0], "layer", ".1f") == "not measured in any layer"


@pytest.mark.parametrize(
    ("above", "below", "rest", "expected"),
    [
        (3, 1, 8, "more than by chance in 3 of 12 heads, less in 1; neither is shown in 8"),
        (2, 0, 1, "more than by chance in 2 of 3 heads; neither is shown in 1"),
        (0, 2, 0, "less than by chance in both heads"),
        (12, 0, 0, "more than by chance in all 12 heads"),
        (0, 0, 12, "not shown to be more or less than by chance in any of 12 heads"),
        (0, 0, 1, "not shown to be more or less than by chance in the only head"),
        (1, 0, 0, "more than by chance in the only head"),
        (0, 0, 0, "not measured in any head"),
    ],
)
def test_a_tally_counts_what_is_shown_and_what_is_not(above, below, rest, expected):
    found = pd.Series([ABOVE] * above + [BELOW] * below + [NOT_SHOWN] * rest, dtype=object)
    assert tally(found, "head", ("more", "less"), bound="than by chance") == expected


def test_arms_stand_beside_the_control_which_comes_last():
    values = pd.Series({"random_weights": 0.081, "untuned": 0.2, "tuned": NAN, "recorded": 1})
    assert beside(values, ".2f", "nats") == (
        "0.20 nats in the untuned encoder, no value in the tuned encoder, 1.00 nats in "
        "the recorded encoder and 0.08 nats in random weights"
    )
    assert beside(values.iloc[:0], ".2f") == "not measured"


@pytest.mark.parametrize(
    ("values", "largest", "expected"),
    [
        ([0.1, 0.42, NAN, 0.2], True, "head 1 of layer 0 (0.42)"),
        ([0.1, 0.42, NAN, 0.2], False, "head 0 of layer 0 (0.10)"),
        ([0.42, 0.1, 0.1, 0.424], True, "head 0 of layer 0 and head 1 of layer 1 (0.42 each)"),
        ([0.1] * 4, True, "all 4 heads alike (0.10)"),
        ([NAN] * 4, True, "no head (nothing was measured)"),
        ([], True, "no head (nothing was measured)"),
        ([0.4] * 4 + [0.1, NAN], True, "4 heads (0.40 each)"),
    ],
)
def test_top_heads_know_ties_and_gaps(values, largest, expected):
    places = [divmod(place, 2) for place in range(len(values))]
    cells = pd.DataFrame(places, columns=["layer", "head"]).assign(value=values)
    assert top_heads(cells, "value", ".2f", largest=largest) == expected


def test_a_control_that_was_not_measured_is_said():
    cells = pd.DataFrame({"layer": [0, 1], "head": [0, 2], "value": [1.0, 2.0]})
    assert top_heads(cells, "value", ".0f", unit="nats") == "head 2 of layer 1 (2 nats)"
    assert beside_control("0.10") == "with random weights 0.10"
    assert beside_control("") == "random weights were not measured"


def test_values_are_compared_by_the_interval_of_their_difference():
    assert compared(0.1, 0.2) == "more than"
    assert compared(-0.2, -0.1) == "less than"
    for low, high in ((-0.1, 0.2), (0.0, 0.2), (0.2, 0.2), (NAN, NAN)):
        assert compared(low, high) == "not shown to differ from"
    assert compared(0.1, 0.2, ("above", "below", "beside")) == "above"


def test_heads_that_a_table_has_as_decimals_are_named_by_whole_numbers():
    cells = pd.DataFrame({"layer": [0.0, 2.0], "head": [0.0, 9.0], "value": [1.0, 2.0]})
    assert top_heads(cells, "value", ".0f") == "head 9 of layer 2 (2)"
