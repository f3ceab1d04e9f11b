import numpy as np
import pandas as pd
import pytest

from stages.core.outcomes import Outcomes
from stages.core.paired import held_out_choices, mean_effect, paired_effects

GENERATOR = np.random.default_rng(1)


def evidence(labels, baseline, gated=None, metric="accuracy"):
    gated = baseline[None] if gated is None else gated
    return Outcomes(pd.DataFrame(index=range(len(gated))), metric, labels, baseline, gated)


def test_paired_effect_by_hand():
    labels = np.zeros(100)
    baseline = np.r_[np.zeros(60), np.ones(40)]
    better = np.r_[np.zeros(70), np.ones(30)]
    table = paired_effects(evidence(labels, baseline, np.stack([baseline, better])), 500, 0)
    same, gain = table.to_dict("records")
    assert (same["effect"], same["low"], same["high"], same["p"]) == (0, 0, 0, 1)
    assert gain["value"] == pytest.approx(0.7)
    assert gain["effect"] == pytest.approx(0.1)
    assert 0 < gain["low"] < 0.1 < gain["high"]
    assert gain["p"] == pytest.approx(2 * 0.5**10)  # McNemar: 10 against 0


def test_paired_effect_of_a_correlation():
    labels = GENERATOR.normal(size=300)
    good, bad = labels + 0.5 * GENERATOR.normal(size=300), GENERATOR.normal(size=300)
    table = paired_effects(evidence(labels, good, np.stack([good, bad]), "pearson"), 300, 0)
    assert table["p"].tolist()[0] == 1
    assert table["p"].tolist()[1] < 1e-6
    assert table["high"][1] < -0.5


def test_mean_effect_by_hand():
    labels, baseline = np.zeros(100), np.r_[np.zeros(60), np.ones(40)]
    better, worse = np.r_[np.zeros(70), np.ones(30)], np.r_[np.zeros(54), np.ones(46)]
    mean = mean_effect(evidence(labels, baseline), np.stack([better, worse]), 500, seed=0)
    assert mean["effect"] == pytest.approx(0.02)  # 10 points up, 6 points down
    assert mean["low"] < 0.02 < mean["high"]
    same = mean_effect(evidence(labels, baseline), np.stack([baseline, baseline]), 50, seed=0)
    assert same == {"effect": 0, "low": 0, "high": 0}


def test_the_mean_of_opposite_effects_is_surer_than_either():
    """Two gates that err on the same examples in opposite ways: their mean does not move at all."""
    labels, baseline = np.zeros(100), np.r_[np.zeros(60), np.ones(40)]
    up, down = baseline.copy(), baseline.copy()
    up[60:80], down[:20] = 0, 1
    mean = mean_effect(evidence(labels, baseline), np.stack([up, down]), 500, seed=0)
    alone = mean_effect(evidence(labels, baseline), up[None], 500, seed=0)
    assert mean["high"] - mean["low"] < alone["high"] - alone["low"]


def test_best_of_many_useless_gates_gains_nothing_on_the_other_half():
    """The trap the held-out half is for: noise looks like a gain on the examples that chose it."""
    labels, baseline = np.zeros(400), GENERATOR.permutation(np.repeat([0.0, 1.0], [280, 120]))
    useless = (GENERATOR.random((100, 400)) < 0.3).astype(float)
    choice = held_out_choices(evidence(labels, baseline), useless, 300, seed=0)["best"]
    assert choice["chosen_effect"] > 0.05
    assert abs(choice["effect"]) < 0.03
    assert choice["low"] < 0 < choice["high"]


def test_a_gate_that_really_helps_is_found_and_keeps_its_gain():
    labels, baseline = np.zeros(400), (GENERATOR.random(400) < 0.3).astype(float)
    gated = np.tile(baseline, (20, 1))
    gated[7] = np.where(GENERATOR.random(400) < 0.5, 0, baseline)
    choice = held_out_choices(evidence(labels, baseline), gated, 300, seed=0)["best"]
    assert choice["picked"] == 7
    assert choice["low"] > 0.05
    worst = held_out_choices(evidence(labels, baseline), 1 - gated, 300, seed=0)["worst"]
    assert worst["high"] < 0
