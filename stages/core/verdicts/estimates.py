"""Estimates with intervals and resamples, and how to combine them.

A claim often speaks of several tasks ("on average", "on every task"), while each task's interval
was bootstrapped on its own examples. Tasks share no examples, so their errors are independent.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
import scipy  # whose submodules load when they are first used
from jaxtyping import Float

from stages.core.intervals.intervals import LEVEL, Interval, holm, percentile_interval
from stages.core.tables import drawn_of, interval_of


@dataclass(frozen=True)
class Estimate:
    """A value, its interval, and the number of examples, maps or heads that it rests on.

    `drawn` are its values on resamples, where it has them: estimates of the same texts or examples
    are drawn alike, so that their differences are paired.
    """

    value: float
    low: float
    high: float
    n: int
    drawn: Float[np.ndarray, " resample"] | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, interval: Interval, n: int, scale: float = 1.0) -> "Estimate":
        """The interval in another unit: `scale=100` makes points of a metric between 0 and 1."""
        return cls(scale * interval.value, scale * interval.low, scale * interval.high, n)

    @classmethod
    def of_value(cls, row: pd.Series | dict[str, Any], column: str, n: int) -> "Estimate":
        """A value of a declared table with its interval and its resamples, if there are any."""
        ends = (float(row[name]) for name in (column, *interval_of(column)))
        return cls(*ends, n, row.get(drawn_of(column)))

    @classmethod
    def of_drawn(cls, value: float, drawn: Float[np.ndarray, " resample"], n: int) -> "Estimate":
        """A value with the percentile interval of its resamples; not a number where one is none."""
        low, high = (np.nan, np.nan) if np.isnan(drawn).any() else percentile_interval(drawn)
        return cls(float(value), float(low), float(high), n, drawn)

    def scaled(self, scale: float) -> "Estimate":
        """The same in another unit; a negative scale turns the interval over."""
        low, high = sorted((scale * self.low, scale * self.high))
        drawn = None if self.drawn is None else scale * self.drawn
        return Estimate(scale * self.value, low, high, self.n, drawn)

    @property
    def has_width(self) -> bool:
        """Whether its interval says anything: a number at both ends, and not the same."""
        return self.low < self.high


Combination = Callable[..., "Estimate"]  # of a sequence of estimates


def _columns(estimates: Sequence[Estimate]) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    value, low, high = np.array([(item.value, item.low, item.high) for item in estimates]).T
    return value, low, high, sum(item.n for item in estimates)


def _drawn(estimates: Sequence[Estimate]) -> Float[np.ndarray, "estimate resample"] | None:
    """The resamples of all, where all have as many."""
    drawn = [item.drawn for item in estimates if item.drawn is not None]
    if len(drawn) < len(estimates) or len({len(line) for line in drawn}) != 1:
        return None
    return np.stack(drawn)


def mean_of(estimates: Sequence[Estimate]) -> Estimate:
    """Mean of independent estimates: half-widths add in quadrature (Zou and Donner 2008)."""
    value, low, high, n = _columns(estimates)
    mean, count = value.mean(), len(estimates)
    below = np.sqrt(np.sum((value - low) ** 2)) / count
    above = np.sqrt(np.sum((high - value) ** 2)) / count
    drawn = _drawn(estimates)
    return Estimate(
        mean, mean - below, mean + above, n, None if drawn is None else drawn.mean(axis=0)
    )


def mean_on_same_examples(estimates: Sequence[Estimate]) -> Estimate:
    """Mean of estimates from the same examples, by their common resamples.

    Without resamples the bounds are averaged: the widest interval that any dependence between
    their errors can call for.
    """
    value, low, high, _ = _columns(estimates)
    n, drawn = max(item.n for item in estimates), _drawn(estimates)
    if drawn is not None:
        return Estimate.of_drawn(value.mean(), drawn.mean(axis=0), n)
    return Estimate(value.mean(), low.mean(), high.mean(), n)


def over_seeds(runs: Sequence[Estimate]) -> Estimate:
    """Mean over fine-tunings that differ in their seed alone, as of another seed and examples.

    The variance between seeds adds to that of the examples, which all of them share: a t interval
    of the few values, its half-width added in quadrature. Part of the examples' variance shows
    between seeds as well, so the interval is somewhat wide. One run stays as it is: its interval
    is of this one model.
    """
    if len(runs) == 1:
        return runs[0]
    examples = mean_on_same_examples(runs)
    values = np.array([run.value for run in runs])
    error = values.std(ddof=1) / np.sqrt(len(runs))
    half_width = error * _student_limit(len(runs) - 1)
    drawn = None
    if examples.drawn is not None:
        count = len(examples.drawn)
        between = _student_quantiles(len(runs) - 1, count) * error
        drawn = examples.drawn + np.random.default_rng(count).permutation(between)
    return Estimate(
        examples.value,
        examples.value - np.hypot(examples.value - examples.low, half_width),
        examples.value + np.hypot(examples.high - examples.value, half_width),
        examples.n,
        drawn,
    )


# SciPy takes a millisecond to make a distribution, and every head asks for the same one.
@lru_cache(maxsize=64)
def _student_limit(freedom: int) -> float:
    return scipy.stats.t(freedom).isf((1 - LEVEL) / 2)


@lru_cache(maxsize=64)
def _student_quantiles(freedom: int, count: int) -> Float[np.ndarray, " {count}"]:
    return scipy.stats.t(freedom).ppf((np.arange(count) + 0.5) / count)


def difference_of(one: Estimate, other: Estimate) -> Estimate:
    """One less the other, paired by their common resamples.

    Without them they are taken as independent: half-widths add in quadrature (Zou and Donner
    2008), which is wider than need be where estimates of the same examples go up and down together.
    """
    value, n = one.value - other.value, min(one.n, other.n)
    drawn = _drawn([one, other])
    if drawn is not None:
        return Estimate.of_drawn(value, drawn[0] - drawn[1], n)
    low = value - np.hypot(one.value - one.low, other.high - other.value)
    high = value + np.hypot(one.high - one.value, other.value - other.low)
    return Estimate(value, low, high, n)


def count_above(heads: pd.DataFrame, column: str, bound: float) -> Estimate:
    """How many heads have a value above a bound, by the 95% interval of each.

    The range of the count goes from those that are significantly above it to all but those that
    are significantly below, after Holm's correction over all heads.
    """
    low, high = (heads[end] for end in interval_of(column))
    half_width = (high - low) / 2
    error = (half_width / scipy.stats.norm.isf((1 - LEVEL) / 2)).clip(lower=np.finfo(float).tiny)
    score = ((heads[column] - bound) / error).to_numpy()
    above, below = (holm(scipy.stats.norm.sf(sign * score)) < (1 - LEVEL) / 2 for sign in (1, -1))
    value = int((heads[column] > bound).sum())
    return Estimate(value, int(above.sum()), len(heads) - int(below.sum()), len(heads))


def _widening(count: int) -> float:
    """How much wider a normal interval must be for `count` of them to hold at once (Bonferroni)."""
    tail = (1 - LEVEL) / 2
    return scipy.stats.norm.isf(tail / count) / scipy.stats.norm.isf(tail)


def smallest(estimates: Sequence[Estimate], at: int | None = None) -> Estimate:
    """The smallest of independent estimates; lies above a bound only if every one of them does.

    The lower end needs no correction (an intersection-union test); the upper end does, because one
    low estimate among many is what chance gives.

    Args:
        at: the estimate whose value and upper end these are, where another figure chose it: below
            a bound lies then that one, above it still every one.
    """
    value, low, high, n = _columns(estimates)
    widened = value + _widening(len(estimates)) * (high - value)
    if at is None:
        return Estimate(value.min(), low.min(), widened.min(), n)
    return Estimate(value[at], low.min(), widened[at], n)


def largest(estimates: Sequence[Estimate], at: int | None = None) -> Estimate:
    """The largest of independent estimates; lies above a bound as soon as one of them does.

    Args:
        at: as of `smallest`, with the lower end in place of the upper.
    """
    return smallest([item.scaled(-1) for item in estimates], at).scaled(-1)
