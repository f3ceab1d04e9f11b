"""Uncertainty: bootstrap intervals and Holm's correction."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy  # whose submodules load when they are first used
from jaxtyping import Float, Int

LEVEL = 0.95
Bound = Float[np.ndarray, "..."] | float  # NumPy makes a number of an array without axes


@dataclass(frozen=True)
class Interval:
    """A value with the bootstrap interval around it."""

    value: float
    low: float
    high: float


def bootstrap(
    statistic: Callable[..., np.ndarray],
    arrays: tuple[np.ndarray, ...],
    resamples: int,
    seed: int,
    level: float = LEVEL,
) -> Interval:
    """Percentile bootstrap of `statistic(*arrays)` over the last axis, arrays resampled together.

    Args:
        statistic: takes arrays [..., n] and returns [...].
        arrays: one or more arrays [n] of the same examples.
    """
    value = float(statistic(*arrays))
    if arrays[0].shape[-1] < 2:
        return Interval(value, np.nan, np.nan)
    interval = scipy.stats.bootstrap(
        arrays,
        lambda *samples, axis=-1: statistic(*samples),
        paired=len(arrays) > 1,
        vectorized=True,
        n_resamples=resamples,
        confidence_level=level,
        method="percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return Interval(value, float(interval.low), float(interval.high))


def draw_samples(count: int, resamples: int, seed: int) -> Int[np.ndarray, "resample {count}"]:
    """The examples of each resample."""
    return np.random.default_rng(seed).integers(count, size=(resamples, count))


def percentile_interval(
    resampled: Float[np.ndarray, "... resample"], level: float = LEVEL
) -> tuple[Bound, Bound]:
    """Low and high end of the percentile interval of resampled values (last axis)."""
    low, high = np.quantile(resampled, [(1 - level) / 2, (1 + level) / 2], axis=-1)
    return low, high


def bca_limits(
    values: Float[np.ndarray, " measure"],
    drawn: Float[np.ndarray, "measure resample"],
    without_one: Float[np.ndarray, "measure unit"],
    level: float = LEVEL,
) -> tuple[Float[np.ndarray, " measure"], Float[np.ndarray, " measure"]]:
    """Limits of bias-corrected and accelerated bootstrap intervals (Efron 1987).

    Where the value lies beyond all of its resamples no correction is known: its limits are those
    of the percentile interval. Resamples that are not numbers are left out.

    Args:
        without_one: the values with one of the resampled units left out.
    """
    limits = np.full((2, len(values)), np.nan)
    tails = scipy.stats.norm.ppf([(1 - level) / 2, (1 + level) / 2])
    for place, (value, line, others) in enumerate(zip(values, drawn, without_one, strict=True)):
        line, others = line[~np.isnan(line)], others[~np.isnan(others)]
        if np.isnan(value) or not len(line):
            continue
        # Half of those that equal the value lie below it.
        below = (np.mean(line < value) + np.mean(line <= value)) / 2
        bias = scipy.stats.norm.ppf(below) if 0 < below < 1 else 0.0
        away = others.mean() - others
        spread = np.sum(away**2) ** 1.5
        acceleration = np.sum(away**3) / (6 * spread) if spread > 0 else 0.0
        shares = scipy.stats.norm.cdf(bias + (bias + tails) / (1 - acceleration * (bias + tails)))
        limits[:, place] = np.quantile(line, shares)
    return limits[0], limits[1]


def holm(p: Float[np.ndarray, " test"]) -> Float[np.ndarray, " test"]:
    """p-values corrected for the number of tests (Holm 1979)."""
    # Two stages correct p-values; all the others would load statsmodels for nothing.
    from statsmodels.stats.multitest import multipletests

    return multipletests(p, method="holm")[1]
