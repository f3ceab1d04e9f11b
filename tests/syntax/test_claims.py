"""What claims read of tables of syntax, beside rows that they must leave alone."""

import numpy as np
import pytest

from stages.core.verdicts.claims import SUMMARIES
from stages.core.verdicts.measures import NotMeasured
from stages.core.verdicts.region import Region, verdict
from stages.syntax.tables import BEST, SEPARATORS
from tests.claims import found, write_table

NO_GAIN = Region(above=0)


def best_row(arm: str = "untuned", relation: str = "obj", within: str = "all layers", **values):
    """A relation's best head: 70% in [65, 80], its rival 40%, the gain 30 in [20, 45]."""
    row = {"score": 0.7, "score_low": 0.65, "score_high": 0.8}
    row |= {"rival": 0.4, "rival_low": 0.3, "rival_high": 0.45}
    row |= {"gain": 0.3, "gain_low": 0.2, "gain_high": 0.45}
    facts = {"arm": arm, "relation": relation, "within": within, "cases": 90}
    return {**facts, "layer": 2, "head": 1, **row, **values}


@pytest.fixture
def tables(measures):
    rows = [
        best_row(within="layer 2", score=0.1, gain=0.9),
        best_row(relation="det", score=0.2, score_low=0.1, score_high=0.3, gain=-0.1),
        best_row(),
        best_row("random_weights", score=0.2, score_low=0.15, score_high=0.3, gain=-0.2),
        best_row("random_weights", relation="det", score=0.05, gain=-0.7),
        best_row(within="layer 3", score=0.15, gain=0.8),
    ]
    write_table(measures, BEST, rows, 0.02, "one")
    # Another corpus, which stands beside and does not decide.
    write_table(measures, BEST, [best_row(gain=0.8, score=0.9)], 0.02, "two")
    measures._wanted["corpus"] = ["one", "two"]
    return measures


def test_accuracy_and_gain_of_the_first_corpus_in_points(tables):
    gain = found(tables, "head_over_offset", relation="obj")
    assert (gain.pooled.value, gain.pooled.low, gain.pooled.high) == pytest.approx((30, 20, 45))
    assert (gain.pooled.n, gain.counted, gain.decided_on) == (90, "words", "one")
    assert gain.tasks["two"].value == pytest.approx(80)
    accuracy = found(tables, "head_accuracy", relation="obj")
    assert (accuracy.pooled.value, accuracy.pooled.high) == pytest.approx((70, 80))
    assert accuracy.arm == "untuned"
    assert accuracy.seeds is None


def test_random_weights_are_the_control_and_are_drawn_alike(tables):
    gain = found(tables, "head_over_offset", relation="obj")
    assert gain.control.value == pytest.approx(-20)
    # Both were written with the same noise, so that nothing of it is left in the difference.
    assert (gain.beyond.low, gain.beyond.high) == pytest.approx((50, 50), abs=1e-3)


def test_the_weakest_relation_decides(tables):
    answer = found(tables, "weakest_accuracy", relations=["obj", "det"])
    assert answer.pooled.value == pytest.approx(20)
    assert answer.pooled.low == pytest.approx(10)
    assert answer.pooled.n == 180
    assert answer.control.value == pytest.approx(5)
    # On every resample it is the weakest of both encoders, drawn alike.
    beyond = answer.beyond.value, answer.beyond.low, answer.beyond.high
    assert beyond == pytest.approx((15, 15, 15), abs=1e-3)
    # The other corpus has too few determiners.
    assert list(answer.tasks) == ["one"]
    with pytest.raises(NotMeasured, match="amod"):
        found(tables, "weakest_accuracy", relations=["obj", "amod"])


def test_relations_without_cases_are_not_measured(tables):
    with pytest.raises(NotMeasured, match="ccomp"):
        found(tables, "head_over_offset", relation="ccomp")
    with pytest.raises(NotMeasured, match="ccomp"):
        found(tables, "head_accuracy", relation="ccomp")


def test_a_gain_without_width_decides_nothing(measures):
    """Head and offset are right about the same words in every resample."""
    tied = {"gain": 0.0, "gain_low": 0.0, "gain_high": 0.0}
    rows = [best_row(**tied), best_row("random_weights", gain=-0.5)]
    write_table(measures, BEST, rows, 0.0, "one")
    measures._wanted["corpus"] = ["one"]
    answer = found(measures, "head_over_offset", relation="obj")
    assert verdict(answer.pooled, NO_GAIN, answer.beyond) == "undecided"


def separator_row(arm: str, relation: str, lacking: float, having: float) -> dict:
    row = {"arm": arm, "relation": relation, "words_lacking": 400, "words_having": 50}
    for name, value in (("lacking", lacking), ("having", having), ("gain", lacking - having)):
        row |= {name: value, f"{name}_low": value - 0.1, f"{name}_high": value + 0.05}
    return row


def test_words_without_the_relation_and_their_excess(measures):
    rows = [
        separator_row("untuned", "obj", 0.8, 0.1),
        separator_row("untuned", "case", 0.6, 0.3),
        separator_row("untuned", "det", 0.1, 0.9),
        separator_row("random_weights", "obj", 0.1, 0.12),
        separator_row("random_weights", "case", 0.1, 0.08),
    ]
    write_table(measures, SEPARATORS, rows, 0.01, "one")
    measures._wanted["corpus"] = ["one"]
    share = found(measures, "given_to_separators", relations=["obj", "case"])
    assert (share.pooled.value, share.pooled.low) == pytest.approx((0.6, 0.5))
    assert share.control.value == pytest.approx(0.1)
    assert share.beyond.value == pytest.approx(0.5)
    assert share.pooled.n == 800
    excess = found(measures, "given_to_separators", relations=["obj"], beyond_having=True)
    assert (excess.pooled.value, excess.pooled.high) == pytest.approx((0.7, 0.75))
    assert excess.control.value == pytest.approx(-0.02)
    assert excess.pooled.n == 400
    assert np.std(excess.pooled.drawn) == pytest.approx(0.01, rel=0.2)
    with pytest.raises(NotMeasured, match="amod"):
        found(measures, "given_to_separators", relations=["amod"])


def test_figures_of_the_best_heads(tables):
    figures = SUMMARIES["syntax"](tables)
    shared = {"head": "2-1", "offset_accuracy": 0.4}
    assert figures == {
        "one": {"det": {"accuracy": 0.2, **shared}, "obj": {"accuracy": 0.7, **shared}},
        "two": {"obj": {"accuracy": 0.9, **shared}},
    }
