import numpy as np
import pandas as pd
import pytest
from scipy import stats

from stages.core.outcomes.outcomes import Outcomes
from stages.core.outcomes.paired import (
    halve,
    held_out_choices,
    mean_effect,
    paired_effects,
    resample,
)
from stages.core.tasks.metrics import spearman

GENERATOR = np.random.default_rng(1)


def evidence(labels, baseline, *gated, metric="accuracy"):
    return Outcomes(
        pd.DataFrame(index=range(len(gated))), metric, labels, baseline, np.stack(gated)
    )


def effects(outcomes, resamples):
    return paired_effects(outcomes, resample(outcomes, resamples, seed=0))


def mean(outcomes, resamples, gates):
    return mean_effect(outcomes, resample(outcomes, resamples, seed=0), np.array(gates))


def choices(outcomes):
    gates = np.arange(len(outcomes.gated))
    return held_out_choices(halve(outcomes, 300, seed=0), gates)


def test_paired_effect_by_hand():
    labels = np.zeros(100)
    baseline = np.r_[np.zeros(60), np.ones(40)]
    better = np.r_[np.zeros(70), np.ones(30)]
    table = effects(evidence(labels, baseline, baseline, better), 500)
    same, gain = table.to_dict("records")
    assert (same["effect"], same["low"], same["high"], same["p"]) == (0, 0, 0, 1)
    assert gain["value"] == pytest.approx(0.7)
    assert gain["effect"] == pytest.approx(0.1)
    assert 0 < gain["low"] < 0.1 < gain["high"]
    assert gain["p"] == pytest.approx(2 * 0.5**10)  # McNemar: 10 against 0


def test_the_effect_of_a_gate_does_not_depend_on_the_others():
    """Macro F1 counts the classes that its arguments hold; only the second gate says 2."""
    labels = np.r_[np.zeros(5), np.ones(5)]
    other = np.r_[2, labels[1:]]
    table = effects(evidence(labels, labels, labels, other, metric="macro_f1"), 50)
    assert table["effect"].tolist() == pytest.approx([0, (8 / 9 + 1 + 0) / 3 - 1])


def test_one_example_has_no_interval():
    table = effects(evidence(np.zeros(1), np.zeros(1), np.ones(1)), 20)
    assert table["effect"].tolist() == [-1]
    assert table[["low", "high"]].isna().all(axis=None)


def test_p_counts_what_is_lost_against_what_is_won():
    labels, baseline = np.zeros(20), np.r_[np.zeros(10), np.ones(10)]
    mixed = np.r_[np.ones(1), np.zeros(9), np.zeros(3), np.ones(7)]
    p = effects(evidence(labels, baseline, mixed), 20)["p"][0]
    assert p == pytest.approx(2 * 5 * 0.5**4)  # at most 1 of 4 changes is a loss: (1 + 4) / 16


def test_paired_effect_of_a_correlation():
    labels = GENERATOR.normal(size=300)
    good, bad = labels + 0.5 * GENERATOR.normal(size=300), GENERATOR.normal(size=300)
    table = effects(evidence(labels, good, good, bad, metric="pearson"), 300)
    assert table["p"].tolist()[0] == 1
    assert table["p"].tolist()[1] < 1e-6
    assert table["high"][1] < -0.5


def test_interval_is_that_of_scipy():
    """The interval and the standard error, within what the draw of 20,000 resamples leaves open."""
    labels = GENERATOR.normal(size=60)
    good, worse = (labels + size * GENERATOR.normal(size=60) for size in (0.5, 1.5))
    outcomes = evidence(labels, good, worse, metric="spearman")
    expected = stats.bootstrap(
        (labels, good, worse),
        lambda true, before, after, axis=-1: spearman(true, after) - spearman(true, before),
        paired=True,
        vectorized=True,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(1),
    )
    row = effects(outcomes, 20_000).iloc[0]
    assert [row["low"], row["high"]] == pytest.approx(list(expected.confidence_interval), abs=0.01)
    z = stats.norm.isf(row["p"] / 2)
    assert abs(row["effect"]) / z == pytest.approx(expected.standard_error, rel=0.03)


def test_mean_effect_by_hand():
    labels, baseline = np.zeros(100), np.r_[np.zeros(60), np.ones(40)]
    better, worse = np.r_[np.zeros(70), np.ones(30)], np.r_[np.zeros(54), np.ones(46)]
    outcomes = evidence(labels, baseline, better, worse, baseline)
    found = mean(outcomes, 500, [0, 1])
    assert found["effect"] == pytest.approx(0.02)  # 10 points up, 6 points down
    assert found["low"] < 0.02 < found["high"]
    assert mean(outcomes, 50, [2]) == {"effect": 0, "low": 0, "high": 0}


def test_the_mean_of_opposite_effects_is_surer_than_either():
    """Two gates that err on the same examples in opposite ways: their mean does not move at all."""
    labels, baseline = np.zeros(100), np.r_[np.zeros(60), np.ones(40)]
    up, down = baseline.copy(), baseline.copy()
    up[60:80], down[:20] = 0, 1
    outcomes = evidence(labels, baseline, up, down)
    both, alone = mean(outcomes, 500, [0, 1]), mean(outcomes, 500, [0])
    assert both["high"] - both["low"] < alone["high"] - alone["low"]


def test_best_of_many_useless_gates_gains_nothing_on_the_other_half():
    """The trap the held-out half is for: noise looks like a gain on the examples that chose it."""
    labels, baseline = np.zeros(400), GENERATOR.permutation(np.repeat([0.0, 1.0], [280, 120]))
    useless = (GENERATOR.random((100, 400)) < 0.3).astype(float)
    choice = choices(evidence(labels, baseline, *useless))["best"]
    assert choice["chosen_effect"] > 0.05
    assert abs(choice["effect"]) < 0.03
    assert choice["low"] < 0 < choice["high"]


def test_a_gate_that_really_helps_is_found_and_keeps_its_gain():
    labels, baseline = np.zeros(400), (GENERATOR.random(400) < 0.3).astype(float)
    gated = np.tile(baseline, (20, 1))
    gated[7] = np.where(GENERATOR.random(400) < 0.5, 0, baseline)
    choice = choices(evidence(labels, baseline, *gated))["best"]
    assert choice["picked"] == 7
    assert choice["low"] > 0.05
    worst = choices(evidence(labels, baseline, *(1 - gated)))["worst"]
    assert worst["high"] < 0


def test_a_choice_among_some_gates_names_their_rows():
    labels, baseline = np.zeros(40), np.ones(40)
    gated = np.tile(baseline, (4, 1))
    gated[1], gated[3] = 0, np.r_[np.zeros(20), np.ones(20)]
    halves = halve(evidence(labels, baseline, *gated), 50, seed=0)
    assert held_out_choices(halves, np.array([2, 3]))["best"]["picked"] == 3
    assert held_out_choices(halves, np.array([0, 1, 3]))["best"]["picked"] == 1
