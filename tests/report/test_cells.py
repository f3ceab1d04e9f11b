"""Digits of tables' cells."""

import numpy as np
import pandas as pd
import pytest

from stages.report.cells import cell, decimals, rows


@pytest.mark.parametrize(
    ("values", "places"),
    [
        ([0.9876, 0.01], 3),
        ([98.765, 0.5], 1),
        ([9.8765], 2),
        ([1234.5], 0),
        ([0.00123], 4),
        ([3.0, float("nan")], 0),
        ([float("nan")], 0),
        ([], 0),
        (["text", 0.5], 3),
    ],
)
def test_a_column_has_places_for_three_digits_of_its_largest_number(values, places):
    assert decimals(values) == places


@pytest.mark.parametrize(
    ("value", "places", "text", "is_number"),
    [
        (1.23456, 2, "1.23", True),
        (np.float32(0.5), 3, "0.500", True),
        (0.0004, 3, "0.0004", True),
        (-1e-9, 3, "0.000", True),
        (-0.0, 1, "0.0", True),
        (float("nan"), 2, "", False),
        (None, 2, "", False),
        (np.bool_(True), 2, "yes", False),
        (np.int64(7), 2, "7", True),
        ("text", 2, "text", False),
    ],
)
def test_a_cell_is_short_and_never_hides_a_number(value, places, text, is_number):
    assert cell(value, places) == (text, is_number)


def test_columns_of_one_name_and_mixed_cells_keep_their_rows():
    frame = pd.DataFrame([["a", 0.5, 1], ["b", float("nan"), 2]], columns=["x", "y", "y"])
    assert [[one.text for one in row] for row in rows(frame)] == [
        ["a", "0.500", "1"],
        ["b", "", "2"],
    ]
    assert rows(frame.iloc[:0]) == []
