"""What the page shows of candidates, beside rows that it must leave alone."""

import math

import pytest

from stages.core.pages.page import Figure
from stages.core.stage.arms import RANDOM_WEIGHTS, UNTUNED
from stages.core.verdicts.measures import Measures
from stages.pairs.page import PAGE
from stages.pairs.tables import CANDIDATES, HEADS
from tests.claims import write_table

KIND = {"kind": "verb and subject", "pairing": "crossed", "aggregate": "maximum"}


def candidates(share: float, low: float, high: float, arm: str = UNTUNED, **which) -> dict:
    """A quarter of all heads are diagonal; `low` and `high` are limits of the difference."""
    row = {"arm": arm, "heads": 8, "candidates": 4, "diagonal": 2, "both": 1, "texts": 9}
    row |= {"share": share, "chance": 0.25, "excess": share - 0.25}
    return row | {"excess_low": low, "excess_high": high} | KIND | which


def drawn(measures: Measures, name: str, column: str) -> tuple[str, list[dict]]:
    """The sentence of a figure, and its rows that have a column."""
    (figure,) = (
        item
        for section in PAGE.sections(measures)
        for item in section.items
        if isinstance(item, Figure) and item.name == name
    )
    rows = (row for rows in figure.drawn["datasets"].values() for row in rows)
    return figure.finding, [row for row in rows if column in row]


@pytest.mark.parametrize(
    ("low", "high", "counts"),
    [
        (0.1, 0.7, "1 of 1, below 0, not shown 0"),
        (-0.1, 0.3, "0 of 1, below 0, not shown 1"),
        (0.5, 0.5, "0 of 1, below 0, not shown 1"),
        (math.nan, math.nan, "0 of 1, below 0, not shown 1"),
        (-0.3, -0.1, "0 of 1, below 1, not shown 0"),
    ],
)
def test_no_more_is_said_than_the_interval_allows(measures, low, high, counts):
    decoys = [candidates(0.9, 0.5, 0.9, pairing="zipped"), candidates(1, 0.5, 1, aggregate="sum")]
    control = candidates(0.25, 0, 0, RANDOM_WEIGHTS)
    write_table(measures, CANDIDATES, [*decoys, candidates(0.75, low, high), control])
    measures._wanted["corpus"] = ["one"]
    finding, rows = drawn(measures, "pairs-candidates", "mark")
    assert finding.startswith(f"Above the share of all heads: {counts}; random weights: 0 of 1")
    assert {row["mark"]: row["value"] for row in rows} == {
        UNTUNED: 0.75,
        RANDOM_WEIGHTS: 0.25,
        "share of all heads": 0.25,
    }


def test_heads_of_all_pairs_stand_at_their_weight_and_that_of_moved_pairs(measures):
    rows = [{"layer": 0, "head": head, "weight": 0.6, "moved": 0.1 * head} for head in range(3)]
    decoy = {"layer": 0, "head": 0, "weight": 0.9, "moved": 0.9} | KIND | {"aggregate": "sum"}
    write_table(measures, HEADS, [*(row | KIND for row in rows), decoy], arm=UNTUNED)
    measures._wanted["corpus"] = ["one"]
    _, dots = drawn(measures, "pairs-moved", "moved")
    assert [(dot["weight"], dot["moved"]) for dot in dots] == [(0.6, 0.0), (0.6, 0.1), (0.6, 0.2)]
