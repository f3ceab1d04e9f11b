import numpy as np
import pytest
from scipy import stats

from stages.core.intervals.intervals import bootstrap, holm, percentile_interval

GENERATOR = np.random.default_rng(1)


def test_bootstrap_of_a_mean_is_close_to_the_normal_interval():
    sample = GENERATOR.normal(3.0, 1.0, 400)
    interval = bootstrap(lambda x: x.mean(axis=-1), (sample,), 2000, seed=0)
    half = 1.96 * sample.std() / np.sqrt(400)
    assert interval.value == pytest.approx(sample.mean())
    assert interval.low == pytest.approx(sample.mean() - half, abs=0.02)
    assert interval.high == pytest.approx(sample.mean() + half, abs=0.02)
    assert interval == bootstrap(lambda x: x.mean(axis=-1), (sample,), 2000, seed=0)


def test_holm_by_hand():
    assert holm(np.array([0.01, 0.04, 0.03])).tolist() == pytest.approx([0.03, 0.06, 0.06])


def test_percentile_interval_by_hand():
    resampled = np.stack([np.arange(101.0), np.arange(101.0) * 2])
    low, high = percentile_interval(resampled, level=0.5)
    assert (low.tolist(), high.tolist()) == ([25, 50], [75, 150])


def test_the_interval_of_a_share_has_the_quantiles_of_a_binomial():
    """Of 2 in 20 a resample's hits are binomial: at most 4 in 95.7% of them, 5 in 98.9%."""
    sample = np.r_[np.ones(2), np.zeros(18)]
    found = bootstrap(lambda x: x.mean(axis=-1), (sample,), 5000, seed=0)
    expected = stats.binom(20, 2 / 20).ppf([0.025, 0.975]) / 20
    assert (found.low, found.high) == pytest.approx(tuple(expected))


def test_arrays_of_the_same_examples_are_resampled_together():
    one = GENERATOR.normal(size=50)
    gain = bootstrap(lambda x, y: (x - y).mean(axis=-1), (one + 2, one), 200, seed=0)
    assert (gain.value, gain.low, gain.high) == pytest.approx((2, 2, 2))
