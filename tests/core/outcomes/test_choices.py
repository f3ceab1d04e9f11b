"""Gates chosen on one half and scored on the other: values by hand, noise, and the interval."""

import numpy as np
import pandas as pd
import pytest

from stages.core.outcomes.choices import HalvedEffects, halve, held_out_choice
from stages.core.outcomes.outcomes import Outcomes
from stages.core.outcomes.paired import ResampledMetric, resample

GENERATOR = np.random.default_rng(1)


def outcomes(labels, baseline, gated, metric="accuracy"):
    return Outcomes(pd.DataFrame(index=range(len(gated))), metric, labels, baseline, gated)


def choice(found, sign=1, gates=None, splits=200, resamples=200):
    gates = np.arange(len(found.gated)) if gates is None else np.array(gates)
    return held_out_choice(halve(found, splits, 0), gates, sign, resample(found, resamples, 0))


def of_effects(*effects):
    """Outcomes of 40 examples, 30 right with every head on, from what each gate wins or loses."""
    right = np.r_[np.ones(30), np.zeros(10)]
    gated = np.array([[int(r) + d for r, d in zip(right, line, strict=True)] for line in effects])
    return outcomes(np.ones(40), right, gated.astype(float))


WINS = np.r_[np.zeros(30), np.ones(10)].astype(int)
LOSES = np.r_[-np.ones(24), np.zeros(16)].astype(int)
NOTHING = np.zeros(40, dtype=int)


def test_best_and_worst_by_hand():
    found = of_effects(NOTHING, LOSES, WINS, NOTHING)
    best, worst = choice(found), choice(found, sign=-1)
    assert (best.picked, worst.picked) == (2, 1)
    # Always the same gate is chosen: the mean over halves is its effect on all examples.
    assert best.effect == best.chosen_effect == pytest.approx(10 / 40)
    assert worst.effect == worst.chosen_effect == pytest.approx(-24 / 40)


def test_a_choice_among_some_gates_names_their_rows():
    found = of_effects(NOTHING, LOSES, WINS, NOTHING)
    assert choice(found, gates=[0, 1]).picked == 0
    assert choice(found, gates=[1, 3]).picked == 3
    assert choice(found, gates=[1, 3], sign=-1).picked == 1


def test_where_one_gate_wins_always_resamples_are_those_of_its_effect():
    """So differences to a control, and means over seeds, are paired."""
    found = of_effects(NOTHING, LOSES, WINS)
    best, own = choice(found), resample(found, 200, 0).effects[2]
    np.testing.assert_allclose(best.drawn, own, atol=1e-9)


@pytest.mark.parametrize("metric", ["f1", "pearson", "spearman"])
def test_resamples_of_other_metrics_follow_the_chosen_gate(metric):
    labels = GENERATOR.integers(0, 2, 200).astype(float)
    noise = GENERATOR.normal(size=(3, 200))
    baseline, good, bad = labels + noise * np.array([[1.0], [0.5], [3.0]])
    if metric == "f1":
        baseline, good, bad = ((part > 0.5).astype(float) for part in (baseline, good, bad))
    found = outcomes(labels, baseline, np.stack([bad, good]), metric)
    best, own = choice(found), resample(found, 200, 0).effects[1]
    assert best.picked == 1
    assert best.effect == pytest.approx(found.after[1] - found.before, abs=0.01)
    assert np.corrcoef(best.drawn, own)[0, 1] > 0.98
    assert best.drawn.std() == pytest.approx(own.std(), rel=0.1)


def test_contributions_to_choice_and_score_by_hand():
    """Of four examples the half that has the first one chooses gate 1, the other half gate 0."""
    first = np.array([[1.0, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]])
    values = np.array([[0.0, 1, 1, 1], [10, 0.9, 0.9, 0.9]])
    on_first, on_second = (side @ values.T / 2 for side in (first, 1 - first))
    halves = HalvedEffects(first, on_first, on_second, values)
    weights = np.array([[1, 1, 1, 1], [4, 0, 0, 0], [0, 2, 1, 1]])
    nothing = np.zeros(3)
    resampled = ResampledMetric(weights, nothing, np.zeros((2, 3)))
    best = held_out_choice(halves, np.arange(2), 1, resampled)
    # Gate 1 scores 0.9 on two others; gate 0 scores 0.5 on the first and another.
    assert best.effect == pytest.approx(0.7)
    # As it scores, the first adds 0 and another 0.9, 0.9 or 1: -0.7 and 7/30 about their mean. The
    # halves that chose without the first owe their 0.5 to its score: 0.5 + 7/30 is left of it, and
    # 0.9 - 7/30 of the others. So the first, which always chose the latter, adds 4 * (2/3 - 0.7).
    of_first, of_another = -0.7 - 4 / 30, 7 / 30 + 4 / 90
    assert of_first + 3 * of_another == pytest.approx(0)
    expected = [0, 3 * of_first - 3 * of_another, -of_first + of_another]
    np.testing.assert_allclose(best.drawn, 0.7 + np.array(expected) / 4)


def noisy(generator, gates=60, count=200):
    """Gates whose true effect is 0, and which change a twentieth of the examples."""
    right = generator.random(count) < 0.75
    changed = generator.random((gates, count)) < 0.025 * np.where(right, 1, 3)
    return outcomes(np.ones(count), right.astype(float), (right ^ changed).astype(float))


def test_the_best_of_many_useless_gates_gains_nothing_on_the_other_half():
    best = choice(noisy(GENERATOR, count=400))
    assert best.chosen_effect > 0.02
    assert abs(best.effect) < 0.02
    worst = choice(noisy(GENERATOR, count=400), sign=-1)
    assert worst.chosen_effect < -0.02
    assert abs(worst.effect) < 0.02


def test_the_interval_is_of_the_mean_over_divisions():
    """Resamples spread as the mean does from data to data, and not as one half's effect does."""
    generator = np.random.default_rng(0)
    runs = [choice(noisy(generator), splits=100) for _ in range(150)]
    effects = np.array([run.effect for run in runs])
    spread = np.mean([run.drawn.std() for run in runs])
    assert effects.mean() == pytest.approx(0, abs=0.002)
    assert 0.9 < spread / effects.std(ddof=1) < 1.7  # rather too wide than too narrow


def test_one_example_has_no_effect_held_out():
    alone = outcomes(np.zeros(1), np.zeros(1), np.ones((2, 1)))
    assert np.isnan(choice(alone).effect)
    assert np.isnan(choice(alone).drawn).all()


def test_outcomes_of_as_many_examples_are_halved_alike():
    one, other = (halve(noisy(GENERATOR, gates=2), 5, 0).first for _ in range(2))
    np.testing.assert_array_equal(one, other)
    assert (one.sum(axis=1) == 100).all()
    assert len(np.unique(one, axis=0)) == 5
