"""Uncertainty: bootstrap intervals and Holm's correction."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy import stats
from statsmodels.stats.multitest import multipletests

LEVEL = 0.95
Bound = Float[np.ndarray, "..."] | float  # NumPy makes a number of an array without axes


@dataclass(frozen=True)
class Interval:
    """A value with the percentile bootstrap interval around it."""

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
    interval = stats.bootstrap(
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


def percentile_interval(
    resampled: Float[np.ndarray, "... resample"], level: float = LEVEL
) -> tuple[Bound, Bound]:
    """Low and high end of the percentile interval of resampled values (last axis)."""
    low, high = np.quantile(resampled, [(1 - level) / 2, (1 + level) / 2], axis=-1)
    return low, high


def holm(p: Float[np.ndarray, " test"]) -> Float[np.ndarray, " test"]:
    """p-values corrected for the number of tests (Holm 1979)."""
    return multipletests(p, method="holm")[1]
