import numpy as np
import pytest

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
