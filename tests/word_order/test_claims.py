"""Claims on hand-made rows with decoys."""

import pytest

from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.region import Region, verdict
from stages.word_order import tables
from tests.claims import found, write_run, write_table
from tests.word_order import rows

POSITIVE, NEGATIVE = Region(above=0), Region(below=0)


@pytest.fixture
def project(measures):
    """Task one has five grades and three seeds alike, task two three grades and other values."""
    for seed in (0, 1, 2):
        write_table(measures, tables.CHANGES, rows.changes(seed=seed), 0.01)
        pieces = rows.change(tables.FALL, 0.5, unit="pieces", seed=seed)
        write_table(measures, tables.CHANGES, [pieces], 0.01)
        write_table(measures, tables.RETURNS, rows.returns(seed=seed), 0.01)
        write_table(measures, tables.SCORES, rows.scores(seed=seed), 0.01)
    write_table(measures, tables.CHANGES, [rows.change(tables.FALL, -1.0)], 0.01, data="two")
    for task, steps in (("one", 4.0), ("two", 2.0)):
        write_table(measures, tables.TEXTS, [rows.texts(steps=steps)], data=task)
    return measures


def change(measures, of: str, unit: str = "words", task: str = "one"):
    return found(measures, "change_of_grade", of=of, unit=unit, task=task)


@pytest.mark.parametrize(
    "of, grades",
    [
        ("shuffled", -0.2),
        ("order heads ablated", -0.05),
        ("random heads ablated", -0.3),
        ("order heads ablated, beyond random", 0.25),
        ("order heads ablated, beyond intact", -0.01),
    ],
)
def test_changes_are_in_grades_of_a_scale_of_five(project, of, grades):
    answer = change(project, of)
    assert answer.pooled.value == pytest.approx(grades)
    assert (answer.decided_on, answer.seeds, answer.arm) == ("one", 3, "tuned")
    assert answer.control is None
    assert "random heads" in answer.uncontrolled


def test_each_task_has_its_own_steps_and_each_unit_its_own_rows(project):
    answer = change(project, "shuffled")
    assert answer.tasks["two"].value == pytest.approx(-2)  # one of two steps
    assert verdict(answer.pooled, NEGATIVE) == "holds"
    pieces = change(project, "shuffled", "pieces")
    assert pieces.pooled.value == pytest.approx(0.5)
    assert verdict(pieces.pooled, NEGATIVE) == "fails"
    with pytest.raises(NotMeasured, match="unit pieces"):
        change(project, "order heads ablated", "pieces")
    with pytest.raises(NotMeasured, match="about the task other"):
        change(project, "shuffled", task="other")


def test_random_heads_change_little_within_a_band(project):
    answer = change(project, "random heads ablated")
    assert verdict(answer.pooled, Region(above=0, below=0, margin=0.5)) == "holds"
    assert verdict(answer.pooled, Region(above=0, below=0, margin=0.08)) == "fails"


def test_texts_that_come_back(project):
    beyond = found(project, "grades_back", of="beyond random", unit="words", task="one")
    assert beyond.pooled.value == pytest.approx(5)
    assert verdict(beyond.pooled, POSITIVE) == "holds"
    order = found(project, "grades_back", of="order", unit="words", task="one")
    assert order.pooled.value == pytest.approx(15)


def test_seeds_that_differ_show_nothing(measures):
    for seed, share in ((0, 0.3), (1, -0.1)):
        row = rows.returned(tables.BACK_BEYOND, share, seed=seed)
        write_table(measures, tables.RETURNS, [row], 0.01)
    answer = found(measures, "grades_back", of="beyond random", unit="words", task="one")
    assert answer.pooled.value == pytest.approx(10)
    assert verdict(answer.pooled, POSITIVE) == "undecided"


def test_the_score_of_order_heads_is_compared_with_random_weights(project):
    answer = found(project, "score_of_order_heads", unit="words", task="one")
    assert (answer.pooled.value, answer.control.value) == pytest.approx((60, 1))
    # Both have the same noise on resamples; it cancels out.
    assert (answer.beyond.value, answer.beyond.low) == pytest.approx((59, 59), abs=1e-4)
    assert verdict(answer.pooled, POSITIVE, answer.beyond) == "holds"


def test_a_score_below_that_of_random_weights_fails(measures):
    tuned, random = rows.scores()
    write_table(measures, tables.SCORES, [tuned, random | {"score": 0.7}], 0.01)
    worse = found(measures, "score_of_order_heads", unit="words", task="one")
    assert verdict(worse.pooled, POSITIVE, worse.beyond) == "fails"


def test_without_random_weights_the_score_says_so(measures):
    write_table(measures, tables.SCORES, rows.scores()[:1], 0.01)
    answer = found(measures, "score_of_order_heads", unit="words", task="one")
    assert answer.control is None
    assert answer.uncontrolled == "no random weights were measured"


def test_a_task_that_was_not_learnt_decides_nothing(project):
    write_run(project, "finetune/one", 10, arm="tuned", seed=0)
    write_run(project, "prepare/one-baselines", 10, model="majority")
    with pytest.raises(NotMeasured, match="not learnt"):
        change(project, "shuffled")
