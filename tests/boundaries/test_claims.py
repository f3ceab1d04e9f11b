"""What claims read of tables of boundaries, beside rows that they must leave alone."""

import pytest

from stages.boundaries.tables import BEST, NESTED, UNIONS
from stages.core.verdicts.claims import SUMMARIES
from stages.core.verdicts.measures import NotMeasured
from stages.core.verdicts.region import Region, verdict
from tests.claims import found, write_table

GAIN = Region(above=0)


def values(score: float, rival: float) -> dict:
    """A score in [-0.02, +0.03] around it, its rival and the gain likewise."""
    row = {}
    for name, mean in (("score", score), ("rival", rival), ("gain", score - rival)):
        row |= {name: mean, f"{name}_low": mean - 0.02, f"{name}_high": mean + 0.03}
    return row


def best_row(arm: str, reader: str, metric: str, score: float, rival: float) -> dict:
    place = "2-1" if reader == "best head" else ""
    keys = {"arm": arm, "reader": reader, "metric": metric, "place": place}
    return keys | {"constant": "always", "cases": 400, "words": 250} | values(score, rival)


@pytest.fixture
def tables(measures):
    rows = [
        best_row("untuned", "best head", "F1", 0.5, 0.45),
        best_row("untuned", "all heads", "F1", 0.8, 0.45),
        best_row("untuned", "best head", "accuracy", 0.7, 0.6),
        best_row("untuned", "all heads", "accuracy", 0.9, 0.6),
        best_row("random_weights", "best head", "F1", 0.2, 0.45),
        best_row("random_weights", "best head", "accuracy", 0.55, 0.6),
        best_row("random_weights", "all heads", "accuracy", 0.65, 0.6),
    ]
    write_table(measures, BEST, rows, 0.01)
    others = [
        best_row("untuned", reader, "accuracy", score, 0.6)
        for reader, score in (("best head", 0.1), ("all heads", 0.2))
    ]
    write_table(measures, BEST, others, 0.01, "two")
    unions = [
        {"arm": arm, "heads": size, "places": "2-1", "cases": 400} | values(*both)
        for arm, size, both in (
            ("untuned", 2, (0.8, 0.7)),
            ("untuned", 5, (0.98, 0.95)),
            ("random_weights", 5, (0.97, 0.97)),
        )
    ]
    write_table(measures, UNIONS, unions, 0.01)
    nested = [
        {"arm": arm, "heads": 5, "cases": 400} | values(*both)
        for arm, both in (("untuned", (0.9, 0.5)), ("random_weights", (0.45, 0.4)))
    ]
    write_table(measures, NESTED, nested, 0.01)
    measures._wanted["corpus"] = ["one", "two"]
    return measures


def test_accuracy_of_a_reader_in_points_beside_that_of_random_weights(tables):
    answer = found(tables, "boundary_accuracy")
    assert (answer.pooled.value, answer.pooled.low, answer.pooled.high) == pytest.approx(
        (70, 68, 73)
    )
    assert (answer.pooled.n, answer.counted, answer.decided_on) == (400, "positions", "one")
    assert answer.tasks["two"].value == pytest.approx(10)
    assert answer.control.value == pytest.approx(55)
    assert answer.beyond.value == pytest.approx(15)
    assert found(tables, "boundary_accuracy", reader="all heads").pooled.value == pytest.approx(90)


def test_what_a_head_has_beyond_the_better_constant(tables):
    answer = found(tables, "boundaries_over_constant")
    assert (answer.pooled.value, answer.control.value) == pytest.approx((10, -5))
    assert verdict(answer.pooled, GAIN, answer.beyond) == "undecided"  # resamples have no width
    words = found(tables, "boundaries_over_constant", score="F1")
    assert (words.pooled.value, words.control.value) == pytest.approx((0.05, -0.25))
    assert (words.pooled.n, words.counted) == (250, "words")


def test_all_heads_less_the_best_head_or_constant_on_the_same_resamples(tables):
    answer = found(tables, "all_heads_over_best")
    # Of random weights, and of the other corpus, the constant of 60% is better than the best head.
    assert (answer.pooled.value, answer.control.value) == pytest.approx((20, 5))
    # Written with the same noise, of which nothing is left.
    assert (answer.pooled.low, answer.pooled.high) == pytest.approx((20, 20), abs=1e-2)
    assert answer.tasks["two"].value == pytest.approx(-40)


def test_unions_of_one_size_and_what_they_have_beyond_random_heads(tables):
    union = found(tables, "boundary_union", heads=5)
    assert (union.pooled.value, union.control.value) == pytest.approx((98, 97))
    over = found(tables, "union_over_random_heads", heads=5)
    assert (over.pooled.value, over.control.value) == pytest.approx((3, 0))
    assert found(tables, "union_over_random_heads", heads=2).pooled.value == pytest.approx(10)
    with pytest.raises(NotMeasured, match="no row with heads 3"):
        found(tables, "boundary_union", heads=3)


def test_stretches_in_each_other_beyond_chance(tables):
    answer = found(tables, "nested_boundaries")
    assert (answer.pooled.value, answer.control.value) == pytest.approx((0.4, 0.05))


def test_figures_of_the_best_head_and_of_all_together(tables):
    figures = SUMMARIES["boundaries"](tables)
    assert figures["one"]["best head"]["accuracy"] == {
        "value": 0.7,
        "constant": 0.6,
        "head": "2-1",
    }
    assert figures["one"]["all heads"]["F1"] == {"value": 0.8, "constant": 0.45}
    assert set(figures) == {"one", "two"}
