"""Estimates with intervals, and how to combine them.

A claim often speaks of several tasks ("on average", "on every task"), while each task's interval
was bootstrapped on its own examples. Tasks share no examples, so their errors are independent.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import norm

from stages.core.intervals.intervals import LEVEL, Interval, holm


class NotMeasured(LookupError):
    """This configuration has no such measure: the claim or page that needs it is left out."""


@dataclass(frozen=True)
class Estimate:
    """A value, its interval, and the number of examples, maps or heads that it rests on."""

    value: float
    low: float
    high: float
    n: int

    @classmethod
    def of(cls, interval: Interval, n: int, scale: float = 1.0) -> "Estimate":
        """The interval in another unit: `scale=100` makes points of a metric between 0 and 1."""
        return cls(scale * interval.value, scale * interval.low, scale * interval.high, n)

    def scaled(self, scale: float) -> "Estimate":
        """The same in another unit; a negative scale turns the interval over."""
        low, high = sorted((scale * self.low, scale * self.high))
        return Estimate(scale * self.value, low, high, self.n)


@dataclass(frozen=True)
class Answer:
    """The answer of a measure: the estimate on which the verdict rests, and one for each task.

    `counted` says what the `n` of the estimates counts, `decided_on` which task alone decides.
    """

    pooled: Estimate
    tasks: dict[str, Estimate]
    counted: str = "examples"
    decided_on: str = ""  # where not all of `tasks`


Combination = Callable[[Sequence["Estimate"]], "Estimate"]


def _columns(estimates: Sequence[Estimate]) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    value, low, high = np.array([(item.value, item.low, item.high) for item in estimates]).T
    return value, low, high, sum(item.n for item in estimates)


def mean_of(estimates: Sequence[Estimate]) -> Estimate:
    """Mean of independent estimates: half-widths add in quadrature (Zou and Donner 2008)."""
    value, low, high, n = _columns(estimates)
    mean, count = value.mean(), len(estimates)
    below = np.sqrt(np.sum((value - low) ** 2)) / count
    above = np.sqrt(np.sum((high - value) ** 2)) / count
    return Estimate(mean, mean - below, mean + above, n)


def mean_on_same_examples(estimates: Sequence[Estimate]) -> Estimate:
    """Mean of estimates from the same examples: their errors may go together, so bounds average.

    This is the widest interval that any dependence between them can call for.
    """
    value, low, high, _ = _columns(estimates)
    return Estimate(value.mean(), low.mean(), high.mean(), max(item.n for item in estimates))


def difference_of(one: Estimate, other: Estimate) -> Estimate:
    """One less the other, as if independent: half-widths add in quadrature (Zou and Donner 2008).

    Estimates of the same examples mostly go up and down together; their interval is narrower.
    """
    value = one.value - other.value
    low = value - np.hypot(one.value - one.low, other.high - other.value)
    high = value + np.hypot(one.high - one.value, other.value - other.low)
    return Estimate(value, low, high, min(one.n, other.n))


def by_corpus(
    rows: pd.DataFrame, estimate: Callable[[pd.DataFrame], Estimate], counted: str
) -> Answer:
    """The estimate of every corpus that has the measure; the first of them decides.

    Raises:
        NotMeasured: none has it.
    """
    found: dict[str, Estimate] = {}
    lacking = NotMeasured("no corpus has the measure")
    for corpus, own in rows.groupby("corpus", sort=False):
        try:
            found[str(corpus)] = estimate(own)
        except NotMeasured as error:
            lacking = error
    if not found:
        raise lacking
    return first_of(found, counted)


def row_by_corpus(
    rows: pd.DataFrame, columns: tuple[str, str, str, str], counted: str, factor: float = 1
) -> Answer:
    """As `by_corpus`, of one row a corpus.

    Args:
        columns: of the value, its limits, and the number of cases.
        factor: of value and limits.
    """

    def estimate(own: pd.DataFrame) -> Estimate:
        (row,) = own.to_dict("records")
        return Estimate(*(row[column] for column in columns)).scaled(factor)

    return by_corpus(rows, estimate, counted)


def count_above(heads: pd.DataFrame, column: str, bound: float) -> Estimate:
    """How many heads have a mean above a bound; `low` and `high` are limits of 95% intervals.

    The interval of the count goes from those that are significantly above it to all but those that
    are significantly below, after Holm's correction over all heads.
    """
    half_width = (heads["high"] - heads["low"]) / 2
    error = (half_width / norm.isf((1 - LEVEL) / 2)).clip(lower=np.finfo(float).tiny)
    score = ((heads[column] - bound) / error).to_numpy()
    above, below = (holm(norm.sf(sign * score)) < (1 - LEVEL) / 2 for sign in (1, -1))
    value = int((heads[column] > bound).sum())
    return Estimate(value, int(above.sum()), len(heads) - int(below.sum()), len(heads))


def first_of(estimates: dict[str, Estimate], counted: str) -> Answer:
    """The estimates of several corpora: the first one decides.

    Raises:
        NotMeasured: there is none.
    """
    if not estimates:
        raise NotMeasured("no corpus has the measure")
    name = next(iter(estimates))
    return Answer(estimates[name], estimates, counted, name)


def _widening(count: int) -> float:
    """How much wider a normal interval must be for `count` of them to hold at once (Bonferroni)."""
    tail = (1 - LEVEL) / 2
    return norm.isf(tail / count) / norm.isf(tail)


def smallest(estimates: Sequence[Estimate]) -> Estimate:
    """The smallest of independent estimates; lies above a bound only if every one of them does.

    The lower end needs no correction (an intersection-union test); the upper end does, because one
    low estimate among many is what chance gives.
    """
    value, low, high, n = _columns(estimates)
    widened = value + _widening(len(estimates)) * (high - value)
    return Estimate(value.min(), low.min(), widened.min(), n)


def largest(estimates: Sequence[Estimate]) -> Estimate:
    """The largest of independent estimates; lies above a bound as soon as one of them does."""
    return smallest([item.scaled(-1) for item in estimates]).scaled(-1)


def preferring(
    task: str,
    estimates: dict[str, Estimate],
    counted: str = "examples",
    otherwise: Combination | None = mean_of,
) -> Answer:
    """The estimate of the task that the study is about or, where it is not run, of all tasks.

    Args:
        otherwise: how the estimates of all tasks become one; None where no other task will do.

    Raises:
        NotMeasured: there is no estimate at all, or none that will do.
    """
    if not estimates:
        raise NotMeasured("no task has the measure")
    if task in estimates:
        return Answer(estimates[task], estimates, counted, task)
    if otherwise is None:
        raise NotMeasured(f"the claim is about the task {task}, which is not run")
    return Answer(otherwise(list(estimates.values())), estimates, counted)
