"""Uncertainty: bootstrap intervals and Holm's correction."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy import stats
from statsmodels.stats.multitest import multipletests

LEVEL = 0.95


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
    value, low, high, _ = bootstrap_rows(statistic, arrays, resamples, seed, level)
    return Interval(float(value), float(low), float(high))


def bootstrap_rows(
    statistic: Callable[..., np.ndarray],
    arrays: tuple[np.ndarray, ...],
    resamples: int,
    seed: int,
    level: float = LEVEL,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """As `bootstrap` for arrays [rows, n]: value, low, high and standard error, each [rows]."""
    value = np.asarray(statistic(*arrays))
    if arrays[0].shape[-1] < 2:
        unknown = np.full_like(value, np.nan, dtype=float)
        return value, unknown, unknown, unknown
    result = stats.bootstrap(
        arrays,
        lambda *samples, axis=-1: statistic(*samples),
        paired=len(arrays) > 1,
        vectorized=True,
        n_resamples=resamples,
        confidence_level=level,
        method="percentile",
        rng=np.random.default_rng(seed),
    )
    interval = result.confidence_interval
    return value, interval.low, interval.high, result.standard_error


def holm(p: Float[np.ndarray, " tests"]) -> Float[np.ndarray, " tests"]:
    """p-values corrected for the number of tests (Holm 1979)."""
    return multipletests(p, method="holm")[1]
