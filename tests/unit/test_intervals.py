import numpy as np
import pytest

from stages.core.intervals import bootstrap, held_out_choice, holm, paired_effects

GENERATOR = np.random.default_rng(1)


def test_bootstrap_of_a_mean_is_close_to_the_normal_interval():
    sample = GENERATOR.normal(3.0, 1.0, 400)
    interval = bootstrap(lambda x: x.mean(axis=-1), (sample,), 2000, seed=0)
    half = 1.96 * sample.std() / np.sqrt(400)
    assert interval.value == pytest.approx(sample.mean())
    assert interval.low == pytest.approx(sample.mean() - half, abs=0.02)
    assert interval.high == pytest.approx(sample.mean() + half, abs=0.02)
    assert interval == bootstrap(lambda x: x.mean(axis=-1), (sample,), 2000, seed=0)


def test_paired_effect_by_hand():
    labels = np.zeros(100)
    baseline = np.r_[np.zeros(60), np.ones(40)]
    better = np.r_[np.zeros(70), np.ones(30)]
    table = paired_effects("accuracy", labels, baseline, np.stack([baseline, better]), 500, 0)
    same, gain = table.to_dict("records")
    assert (same["effect"], same["low"], same["high"], same["p"]) == (0, 0, 0, 1)
    assert gain["value"] == pytest.approx(0.7)
    assert gain["effect"] == pytest.approx(0.1)
    assert 0 < gain["low"] < 0.1 < gain["high"]
    assert gain["p"] == pytest.approx(2 * 0.5**10)  # McNemar: 10 against 0


def test_paired_effect_of_a_correlation():
    labels = GENERATOR.normal(size=300)
    good, bad = labels + 0.5 * GENERATOR.normal(size=300), GENERATOR.normal(size=300)
    table = paired_effects("pearson", labels, good, np.stack([good, bad]), 300, 0)
    assert table["p"].tolist()[0] == 1
    assert table["p"].tolist()[1] < 1e-6
    assert table["high"][1] < -0.5


def test_holm_by_hand():
    assert holm(np.array([0.01, 0.04, 0.03])).tolist() == pytest.approx([0.03, 0.06, 0.06])


def test_best_of_many_useless_gates_gains_nothing_on_the_other_half():
    """The trap the held-out half is for: noise looks like a gain on the examples that chose it."""
    labels, baseline = np.zeros(400), (GENERATOR.random(400) < 0.3).astype(float)
    useless = (GENERATOR.random((100, 400)) < 0.3).astype(float)
    choice = held_out_choice("accuracy", labels, baseline, useless, True, 300, seed=0)
    assert choice["chosen_effect"] > 0.05
    assert abs(choice["effect"]) < 0.03
    assert choice["low"] < 0 < choice["high"]


def test_a_gate_that_really_helps_is_found_and_keeps_its_gain():
    labels, baseline = np.zeros(400), (GENERATOR.random(400) < 0.3).astype(float)
    gated = np.tile(baseline, (20, 1))
    gated[7] = np.where(GENERATOR.random(400) < 0.5, 0, baseline)
    choice = held_out_choice("accuracy", labels, baseline, gated, True, 300, seed=0)
    assert choice["picked"] == 7
    assert choice["low"] > 0.05
    worst = held_out_choice("accuracy", labels, baseline, 1 - gated, False, 300, seed=0)
    assert worst["high"] < 0
