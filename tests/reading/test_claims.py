"""Claims on hand-made rows with decoys."""

import numpy as np
import pytest

import stages.reading.claims  # noqa: F401 - registers the measures
from stages.core.stage.arms import TUNED_FROM_RANDOM
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.estimates import Estimate
from stages.core.verdicts.region import Region, verdict
from stages.reading import tables
from stages.reading.attacks import TO_PASSAGE
from stages.reading.claims import difference_of_trainings
from tests.claims import found, write_table
from tests.reading.rows import (
    ANSWER_APART,
    APART,
    AT_CUT,
    GUESSED,
    INTACT,
    LONGEST,
    TRAINED,
    UNDER,
    choice,
    cls,
    from_random,
    reader,
    trainings,
    write_scores,
)

POSITIVE, NEGATIVE = Region(above=0), Region(below=0)


@pytest.fixture
def project(measures):
    """Set one with three seeds alike and every training; set two is 10 points lower under all."""
    rows = [row for seed in (0, 1, 2) for row in reader(seed=seed)]
    write_scores(measures, rows + from_random() + trainings())
    write_scores(measures, reader(less=0.1) + from_random(intact=0.2), "two")
    return measures


@pytest.mark.parametrize(
    "model, baseline", [("random guess", GUESSED), ("longest option", LONGEST)]
)
def test_accuracy_beyond_baselines_on_the_set_of_least(project, model, baseline):
    answer = found(project, "reader_over_baseline", model=model)
    assert answer.tasks["one"].value == pytest.approx(100 * (INTACT - baseline))
    assert answer.pooled.value == pytest.approx(100 * (INTACT - 0.1 - baseline))
    # The reader from random weights is no better than 0.5 on one set, and 0.2 on the other.
    assert answer.control.value == pytest.approx(100 * (0.2 - baseline))
    assert answer.beyond.value == pytest.approx(30)
    assert (answer.counted, answer.seeds, answer.pooled.n) == ("questions", 1, 200)
    assert verdict(answer.pooled, POSITIVE, answer.beyond) == "holds"


@pytest.mark.parametrize(
    "attack, cost",
    [(name, 100 * (AT_CUT - UNDER[name])) for name in (TO_PASSAGE, "AddAns2Opt-Shuffle")],
)
def test_what_an_attack_costs_is_at_its_own_cut(project, attack, cost):
    answer = found(project, "cost_of_attack", attack=attack)
    assert answer.pooled.value == pytest.approx(cost)
    # On set two the reader from random weights has not learnt to answer: it is no control there.
    assert answer.control.value == pytest.approx(0)
    assert answer.beyond.value == pytest.approx(cost)
    assert verdict(answer.pooled, Region(above=10), answer.beyond) == "holds"


def test_costs_beyond_controls_are_of_questions_told_apart(project):
    answer = found(project, "cost_beyond_controls", attack="AddAns2Opt-Shuffle")
    # Against AddAns2Opt 10 points, against Ans2Opt-Shuffle less than all questions would say.
    by_control = {
        "AddAns2Opt": UNDER["AddAns2Opt"] - UNDER["AddAns2Opt-Shuffle"],
        "Ans2Opt-Shuffle": ANSWER_APART - UNDER["AddAns2Opt-Shuffle"] - 2 * APART,
    }
    assert answer.pooled.value == pytest.approx(100 * min(by_control.values()))
    assert answer.pooled.n == 200  # of two sets, not of two controls
    sentences = found(project, "cost_beyond_controls", attack="AddSent2Opt-Shuffle")
    assert sentences.pooled.value == pytest.approx(30)
    with pytest.raises(NotMeasured, match="no control"):
        found(project, "cost_beyond_controls", attack=TO_PASSAGE)


def test_below_chance_on_some_set(project):
    answer = found(project, "attacked_against_chance", attack="AddAns2Opt-Shuffle")
    assert answer.tasks["one"].value == pytest.approx(100 * (0.25 - GUESSED))
    assert answer.pooled.value == pytest.approx(100 * (0.15 - GUESSED))
    assert verdict(answer.pooled, NEGATIVE) == "holds"
    passage = found(project, "attacked_against_chance", attack=TO_PASSAGE)
    assert passage.pooled.value == pytest.approx(100 * (0.3 - GUESSED))


def test_what_a_reader_has_not_learnt_decides_nothing(measures):
    write_scores(measures, reader())
    write_scores(measures, reader(less=0.4), "two")  # at the longest option
    answer = found(measures, "cost_of_attack", attack=TO_PASSAGE)
    assert list(answer.tasks) == ["one"]
    assert answer.control is None and "random weights" in answer.uncontrolled
    # But that it is above the longest option is decided there.
    over = found(measures, "reader_over_baseline", model="longest option")
    assert over.pooled.value == pytest.approx(0)
    write_scores(measures, reader(less=0.4), "one")
    with pytest.raises(NotMeasured, match="better than the longest option"):
        found(measures, "cost_of_attack", attack=TO_PASSAGE)


def test_options_alone(project):
    answer = found(project, "reader_over_options_alone")
    assert answer.pooled.value == pytest.approx(30)


def test_every_unanswerable_training_beats_both_baselines(project):
    answer = found(project, "unanswerable_over_baselines")
    assert answer.pooled.value == pytest.approx(100 * (min(TRAINED.values()) - LONGEST))
    assert answer.control is None and answer.uncontrolled
    assert verdict(answer.pooled, POSITIVE) == "holds"
    rows = [row for row in reader() + trainings() if row["arm"] != "Q-Remove"]
    write_scores(project, rows)
    with pytest.raises(NotMeasured, match="Q-Remove"):
        found(project, "unanswerable_over_baselines")


def test_one_training_beside_another(project):
    answer = found(project, "training_over_training", reader="P-Shuffle", beside="P-Remove")
    assert answer.pooled.value == pytest.approx(20)
    assert list(answer.tasks) == ["one"]  # set two has no such readers
    near = found(
        project, "training_over_training", reader="tuned", beside="P-Shuffle", of_some=True
    )
    assert near.pooled.value == pytest.approx(10)
    assert verdict(near.pooled, Region(below=5)) == "fails"
    assert near.seeds == 1
    with pytest.raises(NotMeasured, match="both tuned and sorted"):
        found(project, "training_over_training", reader="tuned", beside="sorted")


def test_seeds_of_two_trainings_vary_apart():
    noise = np.random.default_rng(0).normal(size=500) / 100
    runs = [Estimate.of_drawn(value, value + noise, 100) for value in (0.5, 0.6, 0.7)]
    one = Estimate.of_drawn(0.4, 0.4 + noise, 100)
    # The same resamples on both sides: what is left is the spread of the three seeds.
    difference = difference_of_trainings(runs, [one])
    assert difference.value == pytest.approx(0.2)
    assert difference.high - difference.value == pytest.approx(4.303 * 0.1 / 3**0.5, rel=1e-3)
    both = difference_of_trainings(runs, runs)
    assert both.high == pytest.approx(2**0.5 * 4.303 * 0.1 / 3**0.5, rel=1e-3)


def test_seeds_that_differ_show_nothing(measures):
    rows = [row for seed in (0, 1) for row in reader(seed=seed)]
    rows = [
        row | {"accuracy": 0.2} if row["seed"] and row["condition"] == TO_PASSAGE else row
        for row in rows
    ]
    write_scores(measures, rows)
    answer = found(measures, "cost_of_attack", attack=TO_PASSAGE)
    assert answer.pooled.value == pytest.approx(100 * (AT_CUT - 0.3))
    assert verdict(answer.pooled, POSITIVE) == "undecided"


def test_the_head_of_an_attack(project):
    arguments = {"attack": TO_PASSAGE, "change": "effect", "outcome": "probability"}
    rows = [choice(0.2), choice(0.01, arm=TUNED_FROM_RANDOM)]
    decoys = [choice(0.9, "AddAns2Opt-Shuffle"), choice(0.8, change="attacked")]
    rows = [*rows, *decoys, choice(0.7, outcome="accuracy")]
    write_table(project, tables.CHOICES, rows, 0.01)
    answer = found(project, "head_of_attack", **arguments)
    assert (answer.pooled.value, answer.control.value) == pytest.approx((20, 1))
    assert answer.beyond.value == pytest.approx(19)
    assert (answer.pooled.n, answer.counted) == (60, "questions")
    assert verdict(answer.pooled, POSITIVE, answer.beyond) == "holds"
    attacked = found(project, "head_of_attack", **arguments | {"change": "attacked"})
    assert attacked.pooled.value == pytest.approx(80)


def test_attention_to_what_is_appended(project):
    rows = [cls(0.3, 0.1, TO_PASSAGE), cls(0.1, -0.05, "intact")]
    rows += [cls(0.5, 0.6, TO_PASSAGE, "option"), cls(0.5, 0.5, "intact", "option")]
    rows += [cls(0.2, 0.04, TO_PASSAGE, arm=TUNED_FROM_RANDOM)]
    rows += [cls(0.2, 0.04, "intact", arm=TUNED_FROM_RANDOM)]
    write_table(project, tables.CLS, rows, 0.01, "two")
    answer = found(project, "attention_to_appended", beside="tokens")
    # The reader from random weights has not learnt set two; its attention is there all the same.
    assert (answer.pooled.value, answer.control.value) == pytest.approx((10, 4))
    intact = found(project, "attention_to_appended", beside="intact")
    assert (intact.pooled.value, intact.control.value) == pytest.approx((15, 0))
