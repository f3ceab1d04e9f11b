"""Intervals over groups, of tables whose answers are known."""

import numpy as np
import pytest
from scipy import stats

from stages.core.intervals.groups import (
    group_intervals,
    group_means,
    group_ratio,
    group_weights,
    resampled_means,
    resampled_ratios,
)


def test_means_leave_out_what_is_not_known():
    values = np.array([[1.0, np.nan, 3.0, np.nan] * 3, [np.nan] * 12])
    mean, low, high = group_means(values, np.arange(12) // 2, 500, 0)
    assert mean[0] == 2.0
    assert 1.0 <= low[0] < 2.0 < high[0] <= 3.0
    assert np.isnan([mean[1], low[1], high[1]]).all()


def test_blocks_of_resamples_change_nothing(monkeypatch):
    values = np.random.default_rng(0).normal(size=(3, 50))
    groups = np.arange(50) // 5
    whole = group_means(values, groups, 300, 0)
    monkeypatch.setattr("stages.core.intervals.groups.DRAWN_NUMBERS", 100)
    parts = group_means(values, groups, 300, 0)
    np.testing.assert_allclose(whole[0], parts[0])
    np.testing.assert_allclose(whole[1], parts[1])


def test_few_groups_have_no_interval():
    (interval,) = group_intervals(np.ones((1, 8)), np.arange(8) % 4, 50, 0)
    assert interval.value == 1.0
    assert np.isnan(interval.low)


def test_the_ratio_of_sums_by_hand():
    above, below = np.array([1.0, 3.0] * 5), np.array([2.0, 6.0] * 5)
    found = group_ratio(above, below, np.arange(10), 50, 0)
    assert (found.value, found.low, found.high) == (0.5, 0.5, 0.5)


def test_an_interval_of_groups_is_wider_than_one_of_cases():
    values = np.repeat(np.random.default_rng(0).normal(size=20), 10)[None]
    grouped = group_intervals(values, np.arange(200) // 10, 500, 0)[0]
    alone = group_intervals(values, np.arange(200), 500, 0)[0]
    assert grouped.high - grouped.low > 2 * (alone.high - alone.low)
    assert grouped.value == pytest.approx(alone.value)


def test_the_order_of_the_cases_changes_nothing():
    groups = np.array([5, 0, 3, 1, 4, 2] * 2)
    values = np.random.default_rng(0).normal(size=(3, 12)) + groups
    order = np.argsort(groups, kind="stable")
    for one, other in zip(
        group_means(values, groups, 200, 0),
        group_means(values[:, order], groups[order], 200, 0),
        strict=True,
    ):
        np.testing.assert_allclose(one, other)
    mean, low, high = group_means(values, groups, 200, 0)
    np.testing.assert_allclose(mean, values.mean(1))
    assert (low < mean).all()
    assert (mean < high).all()


def test_no_case_has_no_mean():
    none = group_means(np.zeros((2, 0)), np.zeros(0, dtype=int), 10, 0)
    assert np.isnan(none).all()


def test_intervals_of_means_agree_with_the_normal_approximation():
    values = np.random.default_rng(0).normal(size=(3, 400)) * [[1], [2], [3]] + 5
    mean, low, high = group_means(values, np.arange(400), 4000, 1)
    np.testing.assert_allclose(mean, values.mean(1))
    half_width = 1.96 * stats.sem(values, axis=1)
    np.testing.assert_allclose(high - mean, half_width, rtol=0.1)
    np.testing.assert_allclose(mean - low, half_width, rtol=0.1)


def test_skewed_means_have_the_limits_that_scipy_gives():
    values = np.random.default_rng(3).exponential(size=(1, 60))
    found = resampled_means(values, np.arange(60), 20_000, 0)
    reference = stats.bootstrap(
        (values[0],), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(1)
    ).confidence_interval
    width = reference.high - reference.low
    assert [found.low[0], found.high[0]] == pytest.approx(list(reference), abs=0.03 * width)
    plain = np.quantile(found.drawn[0], [0.025, 0.975])
    assert found.low[0] > plain[0]  # a percentile interval ignores the skew
    assert found.high[0] > plain[1] + 0.02 * width


def test_resamples_are_ratios_of_the_drawn_groups():
    above, below = np.arange(1.0, 9.0), np.array([2.0, 1.0] * 4)
    groups = np.array([7, 7, 3, 5, 5, 9, 1, 3])
    found = resampled_ratios(above[None], below[None], groups, 30, 4)
    weights = group_weights(5, 30, 4)
    named = np.array([np.isin(groups, name) for name in (1, 3, 5, 7, 9)])
    expected = (weights @ named @ above) / (weights @ named @ below)
    np.testing.assert_allclose(found.drawn[0], expected)
    assert found.value[0] == pytest.approx(36 / 12)


def test_two_encoders_on_the_same_texts_are_drawn_alike():
    values = np.random.default_rng(0).normal(size=(1, 40))
    groups = np.arange(40) // 2
    one, other = (resampled_means(values + shift, groups, 50, 0) for shift in (0, 1))
    np.testing.assert_allclose(other.drawn - one.drawn, 1)


def test_shares_of_rare_cases_are_covered():
    generator = np.random.default_rng(5)
    inside = 0
    for seed in range(300):
        cases = (generator.random((1, 200)) < 0.04).astype(float)
        found = resampled_means(cases, np.arange(200), 400, seed)
        inside += found.low[0] <= 0.04 <= found.high[0]
    assert 0.90 <= inside / 300 <= 0.99


def test_skewed_ratios_have_the_limits_that_scipy_gives():
    """All the skew is that of the denominators."""
    above, below = np.ones(20), np.random.default_rng(0).exponential(size=20) + 0.1
    found = resampled_ratios(above[None], below[None], np.arange(20), 20_000, 0)
    reference = stats.bootstrap(
        (above, below),
        lambda one, other, axis=-1: one.sum(axis) / other.sum(axis),
        paired=True,
        n_resamples=20_000,
        method="BCa",
        rng=np.random.default_rng(1),
    ).confidence_interval
    width = reference.high - reference.low
    assert [found.low[0], found.high[0]] == pytest.approx(list(reference), abs=0.03 * width)
