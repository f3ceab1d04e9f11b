"""Digits of tables' cells."""

import numpy as np
import pandas as pd
import pytest

from stages.report.cells import cell, columns, decimals, rows


@pytest.mark.parametrize(
    ("values", "places"),
    [
        ([0.9876, 0.01], 3),
        ([98.765, 0.5], 1),
        ([98.765, 0.5, 0.04], 2),
        ([-98.765, -0.0004, 0.0], 4),
        ([0.9876, 0.00004, 0.00049], 4),  # the smallest reads as 0 at any of at most four
        ([0.9876, 0.00004], 3),
        ([9.8765], 2),
        ([1234.5], 0),
        ([0.00123], 4),
        ([3.0, float("nan")], 0),
        ([float("nan")], 0),
        ([], 0),
        (["text", 0.5], 3),
    ],
)
def test_a_column_has_places_for_its_largest_number_and_hides_none(values, places):
    assert decimals(values) == places


@pytest.mark.parametrize(
    ("value", "places", "text", "is_number"),
    [
        (1.23456, 2, "1.23", True),
        (np.float32(0.5), 3, "0.500", True),
        (0.0004, 3, "0.000", True),  # its column has four places
        (-1e-9, 3, "0.000", True),
        (-0.0, 1, "0.0", True),
        (float("nan"), 2, "", False),
        (None, 2, "", False),
        (np.bool_(True), 2, "yes", False),
        (np.int64(7), 2, "7", True),
        ("text", 2, "text", False),
    ],
)
def test_a_cell_has_the_places_of_its_column(value, places, text, is_number):
    assert cell(value, places) == (text, is_number, None)


def test_thousands_stand_apart_and_are_sorted_as_numbers():
    assert cell(1234567, 0) == ("1,234,567", True, "1234567")
    assert cell(-43210.5, 1) == ("-43,210.5", True, "-43210.5")
    assert cell(999, 0).value is None


def test_names_that_are_no_words_are_said_in_words_and_users_names_are_kept():
    assert cell("random_weights", 0).text == "random weights"
    assert cell("pairs, tuned_from_random", 0).text == "pairs, tuned from random weights"
    assert cell("my_task", 0).text == "my_task"
    headings = [one.heading for one in columns(pd.DataFrame(columns=["macro_f1", "by_position"]))]
    assert headings == ["macro F1", "by position"]


def test_an_estimate_and_its_interval_are_one_column_sorted_by_the_estimate():
    frame = pd.DataFrame(
        {
            "head": [3, 5],
            "gain": [0.25, -0.5],
            "gain_low": [0.125, float("nan")],
            "gain_high": [12.0, float("nan")],
            "low": [0.1, 0.2],  # of nothing that stands before it
        }
    )
    made = columns(frame)
    assert [one.heading for one in made] == ["head", "gain [low, high]", "low"]
    assert [one.text for one in made[1].cells] == ["0.2 [0.1, 12.0]", "-0.5"]
    assert [one.value for one in made[1].cells] == ["0.25", "-0.5"]
    assert [one.is_number for one in made] == [True, True, True]


@pytest.mark.parametrize(
    ("names", "headings"),
    [
        (["share", "share_low", "share_high"], ["share [low, high]"]),
        (["value", "low", "high"], ["value [low, high]"]),
        (["effect, points", "effect, low", "effect, high"], ["effect, points [low, high]"]),
        (["a, b", "a, b, low", "a, b, high"], ["a, b [low, high]"]),
        (["share", "loss, low", "loss, high"], ["share", "loss, low", "loss, high"]),
        (["value", "high", "low"], ["value", "high", "low"]),
        (["value", "n", "low", "high"], ["value", "n", "low", "high"]),
        (["share", "loss_low", "loss_high"], ["share", "loss low", "loss high"]),
    ],
)
def test_only_the_ends_of_its_own_interval_stand_with_an_estimate(names, headings):
    frame = pd.DataFrame({name: [3 if name == "n" else 0.5] for name in names})
    assert [one.heading for one in columns(frame)] == headings


def test_words_beside_bounds_are_no_estimate():
    frame = pd.DataFrame({"kind": ["a"], "low": [0.5], "high": [0.75]})
    assert [one.heading for one in columns(frame)] == ["kind", "low", "high"]


def test_columns_of_one_name_and_mixed_cells_keep_their_rows():
    frame = pd.DataFrame([["a", 0.5, 1], ["b", float("nan"), 2]], columns=["x", "y", "y"])
    assert [[one.text for one in row] for row in rows(columns(frame))] == [
        ["a", "0.500", "1"],
        ["b", "", "2"],
    ]
    assert rows(columns(frame.iloc[:0])) == []
