"""What the page says of figures by hand, beside rows that it must leave alone."""

import math

import pytest

from stages.core.pages.page import Figure
from stages.core.stage.arms import RANDOM_WEIGHTS
from stages.pairs.page import PAGE
from stages.pairs.tables import BEST, CANDIDATES, HEADS
from tests.claims import write_drawn, write_rows

KIND = {"kind": "verb and subject", "pairing": "crossed", "aggregate": "maximum"}


def candidates(share: float, low: float, high: float, encoder: str = "untuned", **which) -> dict:
    """A quarter of all heads are diagonal; `low` and `high` are limits of the difference."""
    row = {"encoder": encoder, "heads": 8, "candidates": 4, "diagonal": 2, "both": 1, "texts": 9}
    row |= {"share": share, "share_low": 0, "share_high": 1, "chance": 0.25, "chance_low": 0}
    row |= {"chance_high": 1, "excess": share - 0.25, "excess_low": low, "excess_high": high}
    return row | KIND | which


def heads(weights: list[float], gains: list[tuple], encoder: str = "untuned", **which) -> list:
    return [
        {"encoder": encoder, "layer": place // 2, "head": place % 2, "texts": 9, "percentile": 1}
        | {"weight": weight, "low": 0, "high": 1, "moved_weight": weight / 2}
        | {"moved_low": 0, "moved_high": 1, "gain_weight": low, "gain_low": low, "gain_high": high}
        | KIND
        | which
        for place, (weight, (low, high)) in enumerate(zip(weights, gains, strict=True))
    ]


GAINS = [(0.1, 0.2), (-0.1, 0.2), (-0.2, -0.1), (0.1, 0.1)]


@pytest.fixture
def page(measures):
    """Two corpora; the first of them has random weights, and rows of another pairing."""

    def write(own: dict, control: dict, weights: list[float]) -> None:
        decoys = [candidates(0.9, 0.5, 0.9, pairing="zipped"), candidates(1, 0.5, 1, kind=None)]
        write_drawn(measures, CANDIDATES, [*decoys, own, control], corpus="one")
        write_drawn(measures, CANDIDATES, [candidates(0, -0.3, -0.1)], corpus="two")
        rows = heads([0.9] * 4, GAINS, aggregate="sum") + heads(weights, GAINS)
        rows += heads([0.03] * 4, [(0.1, 0.2)] * 4, RANDOM_WEIGHTS)
        write_rows(measures, HEADS, rows, corpus="one")
        write_rows(measures, HEADS, heads([0.2, 0.1, 0.1, 0.1], GAINS), corpus="two")
        best = {"encoder": "untuned", "layer": 0, "head": 1, "weight": 0.5, "moved_weight": 0.1}
        best |= {"value": 0.2, "low": 0.1, "high": 0.3, "texts": 9, "same": True}
        write_rows(measures, BEST, [best | KIND], corpus="one")
        measures._wanted["corpus"] = ["one", "two"]

    return write


def test_in_short_is_of_the_first_corpus_beside_random_weights(page, measures):
    page(candidates(0.75, 0.1, 0.7), candidates(0.25, 0, 0, RANDOM_WEIGHTS), [0.4, 0.6, 0.2, 0.1])
    candidate, most = PAGE.in_short(measures)
    assert candidate == (
        "On one, 75% of the 4 heads that give most to pairs of verb and subject look mostly at "
        "neighbours, more often than the 25% of all 8 heads (+50.0 points [10.0, 70.0]; with "
        "random weights 25% beside 25%)."
    )
    assert most == (
        "On one, most goes to pairs of verb and subject from head 1 of layer 0 (0.60); tokens as "
        "far apart get 0.30 there (with random weights 0.03 and 0.01)."
    )


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (-0.1, 0.3, "not shown to be more or less often than the 25%"),
        (0.5, 0.5, "not shown to be more or less often than the 25%"),
        (math.nan, math.nan, "not shown to be more or less often than the 25%"),
        (-0.3, -0.1, ", less often than the 25%"),
    ],
)
def test_no_more_is_said_than_the_interval_allows(page, measures, low, high, said):
    page(candidates(0.75, low, high), candidates(0.25, 0, 0, RANDOM_WEIGHTS), [0.1] * 4)
    assert said in PAGE.in_short(measures)[0]


def test_findings_count_heads_and_name_ties(page, measures):
    page(candidates(0.75, 0.1, 0.7), candidates(0.25, 0, 0, RANDOM_WEIGHTS), [0.6, 0.604, 0.2, 0.1])
    items = [item for section in PAGE.sections(measures) for item in section.items]
    moved, most = (item.finding for item in items if isinstance(item, Figure))
    assert (
        "one, verb and subject: more than tokens as far apart in 1 of 4 heads, less in 1; neither "
        "is shown in 2; with random weights more than tokens as far apart in all 4 heads." in moved
    )
    assert moved.endswith("random weights were not measured.")
    assert (
        "from head 0 of layer 0 and head 1 of layer 0 (0.60 each); tokens as far apart get 0.30"
        in most
    )
    assert "On two, most goes to pairs of verb and subject from head 0 of layer 0 (0.20)" in most
