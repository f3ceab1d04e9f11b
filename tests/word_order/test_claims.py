"""Claims on hand-made rows with decoys."""

import pytest

from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.region import Region, verdict
from stages.word_order import tables
from tests.claims import found, write_drawn, write_rows, write_run
from tests.word_order.rows import quantities, quantity, texts

POSITIVE, NEGATIVE = Region(above=0), Region(below=0)


@pytest.fixture
def project(measures):
    """Task one has five grades and three seeds alike, task two three grades and other values."""
    rows = [row for seed in (0, 1, 2) for row in quantities(seed=seed)]
    pieces = [quantity(tables.FALL, 0.5, "pieces", seed) for seed in (0, 1, 2)]
    write_drawn(measures, tables.QUANTITIES, rows + pieces, 0.01, task="one")
    write_drawn(measures, tables.QUANTITIES, [quantity(tables.FALL, -1.0)], 0.01, task="two")
    for task, steps in (("one", 4.0), ("two", 2.0)):
        write_rows(measures, tables.TEXTS, [texts(steps=steps)], task=task)
    return measures


def change(measures, of: str, unit: str = "words", task: str = "one"):
    return found(measures, "change_of_grade", of=of, unit=unit, task=task)


@pytest.mark.parametrize(
    "of, grades",
    [
        ("shuffled", -0.2),
        ("order heads off", -0.05),
        ("random heads off", -0.3),
        ("order heads off, beyond random", 0.25),
        ("order heads off, beyond intact", -0.01),
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
    with pytest.raises(NotMeasured, match="pieces were not exchanged"):
        change(project, "order heads off", "pieces")
    with pytest.raises(NotMeasured, match="about the task other"):
        change(project, "shuffled", task="other")


def test_random_heads_change_little_within_a_band(project):
    answer = change(project, "random heads off")
    assert verdict(answer.pooled, Region(above=0, below=0, margin=0.5)) == "holds"
    assert verdict(answer.pooled, Region(above=0, below=0, margin=0.08)) == "fails"


def test_texts_that_come_back(project):
    beyond = found(project, "grades_back", of="beyond random", unit="words", task="one")
    assert beyond.pooled.value == pytest.approx(5)
    assert verdict(beyond.pooled, POSITIVE) == "holds"
    order = found(project, "grades_back", of="order", unit="words", task="one")
    assert order.pooled.value == pytest.approx(15)


def test_seeds_that_differ_show_nothing(measures):
    rows = [quantity(tables.BACK_BEYOND, value, seed=seed) for seed, value in ((0, 0.3), (1, -0.1))]
    write_drawn(measures, tables.QUANTITIES, rows, 0.01, task="one")
    answer = found(measures, "grades_back", of="beyond random", unit="words", task="one")
    assert answer.pooled.value == pytest.approx(10)
    assert verdict(answer.pooled, POSITIVE) == "undecided"


def test_the_score_of_order_heads_is_held_against_random_weights(project, measures):
    answer = found(project, "score_of_order_heads", unit="words", task="one")
    assert (answer.pooled.value, answer.control.value) == pytest.approx((60, 1))
    # Drawn alike: nothing is left of their noise.
    assert (answer.beyond.value, answer.beyond.low) == pytest.approx((59, 59), abs=1e-4)
    assert verdict(answer.pooled, POSITIVE, answer.beyond) == "holds"
    rows = [quantity(tables.SCORE, 0.6), quantity(tables.SCORE, 0.7, arm="random_weights")]
    write_drawn(measures, tables.QUANTITIES, rows, 0.01, task="one")
    worse = found(measures, "score_of_order_heads", unit="words", task="one")
    assert verdict(worse.pooled, POSITIVE, worse.beyond) == "fails"


def test_without_random_weights_the_score_says_so(measures):
    write_drawn(measures, tables.QUANTITIES, [quantity(tables.SCORE, 0.6)], 0.01, task="one")
    answer = found(measures, "score_of_order_heads", unit="words", task="one")
    assert answer.control is None
    assert answer.uncontrolled == "no random weights were measured"


def test_a_task_that_was_not_learnt_decides_nothing(project):
    write_run(project, "finetune/one", 10, arm="tuned", seed=0)
    write_run(project, "prepare/one-baselines", 10, model="majority")
    with pytest.raises(NotMeasured, match="not learnt"):
        change(project, "shuffled")
