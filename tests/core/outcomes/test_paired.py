import numpy as np
import pandas as pd
import pytest
from scipy import stats

from stages.core.intervals.intervals import draw_samples
from stages.core.outcomes.outcomes import Outcomes
from stages.core.outcomes.paired import (
    draw_weights,
    one_more_each_way,
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
    return paired_effects(outcomes, resample(outcomes, resamples, seed=0).effects)


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
    """Of a skewed effect: both limits and the error, within what the draws leave open."""
    generator = np.random.default_rng(3)
    labels = generator.normal(size=25)
    good, worse = (labels + size * generator.normal(size=25) for size in (0.1, 0.5))
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
    limits = expected.confidence_interval
    # A basic interval would have its long tail on the other side.
    assert abs((limits.high - row["effect"]) - (row["effect"] - limits.low)) > 0.02
    assert [row["low"], row["high"]] == pytest.approx(list(limits), abs=0.01)
    z = stats.norm.isf(row["p"] / 2)
    assert abs(row["effect"]) / z == pytest.approx(expected.standard_error, rel=0.03)


def test_weights_count_what_samples_draw():
    samples, weights = draw_samples(7, 50, 3), draw_weights(7, 50, 3)
    assert (weights.sum(axis=1) == 7).all()
    for example in range(7):
        assert weights[:, example].tolist() == (samples == example).sum(axis=1).tolist()


def test_the_same_examples_are_drawn_for_every_gate_and_seed():
    labels = np.zeros(30)
    baseline, gated = (GENERATOR.random((2, 30)) < 0.5).astype(float)
    one = resample(evidence(labels, baseline, gated), 40, 0)
    other = resample(evidence(labels, gated, baseline, gated), 40, 0)
    np.testing.assert_array_equal(one.before, other.after[0])
    np.testing.assert_array_equal(one.after[0], other.after[1])
    np.testing.assert_array_equal(one.effects[0], one.after[0] - one.before)


def test_an_effect_of_nothing_has_an_interval_of_one_more_example_each_way():
    outcomes = evidence(np.zeros(200), np.zeros(200), np.zeros(200))
    more = one_more_each_way(outcomes, 1, 50_000, (0,))
    # Bonett and Price (2012): (1 + 1) of n + 2 examples changed, none on balance.
    half_width = 1.96 * np.sqrt(2 / 202) / np.sqrt(202)
    assert 1.96 * more.std() == pytest.approx(half_width, rel=0.03)
    assert more.mean() == pytest.approx(0, abs=1e-4)


def test_one_more_each_way_is_drawn_for_each_gate_and_stream_apart():
    outcomes = evidence(np.zeros(200), np.zeros(200), np.zeros(200))
    one, other = one_more_each_way(outcomes, 2, 500, (0,))
    assert abs(np.corrcoef(one, other)[0, 1]) < 0.2
    (control,) = one_more_each_way(outcomes, 1, 500, (0, 7))
    assert abs(np.corrcoef(one, control)[0, 1]) < 0.2
    correlation = evidence(np.zeros(9), np.zeros(9), np.zeros(9), metric="pearson")
    assert not one_more_each_way(correlation, 1, 20, (0,)).any()


@pytest.mark.parametrize(("won", "lost"), [(0.0, 0.01), (0.002, 0.012), (0.005, 0.025)])
def test_rare_changes_are_covered(won, lost):
    """The plain percentile interval covers 72%, 79% and 94% of them, the first two far too few."""
    generator, count, covered = np.random.default_rng(0), 128, 0
    labels = np.zeros(count)
    for _ in range(200):
        change = generator.choice(3, p=[won, lost, 1 - won - lost], size=count)
        baseline = np.where(change == 0, 1.0, 0.0)
        gated = np.where(change == 1, 1.0, 0.0)
        outcomes = evidence(labels, baseline, gated)
        drawn = resample(outcomes, 200, 0).effects + one_more_each_way(outcomes, 1, 200, (0,))
        row = paired_effects(outcomes, drawn).iloc[0]
        covered += row["low"] <= won - lost <= row["high"]
    assert covered / 200 >= 0.93
