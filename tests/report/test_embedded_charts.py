"""Data of charts in pages stand by columns, from which the rows come back as they were."""

import pytest

from stages.report.embedded_charts import by_columns


def rows_of(packed: dict) -> list[dict]:
    """As `rowsOf` of report.js does it."""
    columns = {
        name: column
        if isinstance(column, list)
        else [column["texts"][place] for place in column["of"]]
        for name, column in packed["columns"].items()
    }
    return [
        {name: column[row] for name, column in columns.items()} for row in range(packed["count"])
    ]


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [{"zero": 0}],
        [
            {"layer": 0, "panel": "a", "mixed": "x", "value": None, "flag": True},
            {"layer": 1, "panel": "b", "mixed": None, "value": 0.5, "flag": False},
            {"layer": 2, "panel": "a", "mixed": 3, "value": -1.0, "flag": True},
        ],
    ],
)
def test_rows_come_back(rows):
    assert rows_of(by_columns(rows)) == rows


def test_a_text_that_repeats_stands_once():
    packed = by_columns([{"panel": one} for one in ("a", "b", "a", "a")])
    assert packed == {"count": 4, "columns": {"panel": {"texts": ["a", "b"], "of": [0, 1, 0, 0]}}}


def test_rows_with_different_columns_are_refused():
    with pytest.raises(ValueError, match="different columns"):
        by_columns([{"a": 1}, {"b": 2}])
