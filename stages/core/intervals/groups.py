"""Bootstraps that draw whole groups of texts, as the texts of a group are alike."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from stages.core.intervals.intervals import Interval, bca_limits

DRAWN_NUMBERS = 5_000_000
# A bootstrap of fewer has too few outcomes to say anything of an interval's limits.
LEAST_GROUPS = 5


def group_intervals(
    values: Float[np.ndarray, "measure case"],
    groups: Int[np.ndarray, " case"],
    resamples: int,
    seed: int,
) -> list[Interval]:
    """As `group_means`, as a list of intervals."""
    columns = group_means(values, groups, resamples, seed)
    return [Interval(*map(float, column)) for column in zip(*columns, strict=True)]


def group_means(
    values: Float[np.ndarray, "measure case"],
    groups: Int[np.ndarray, " case"],
    resamples: int,
    seed: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Means over cases with bootstrap limits that draw whole groups; NaN is left out.

    Returns:
        mean, low and high of each measure, as `group_ratios`.
    """
    known = ~np.isnan(values)
    return group_ratios(np.where(known, values, 0.0), known.astype(float), groups, resamples, seed)


def group_ratio(
    numerator: Float[np.ndarray, " case"],
    denominator: Float[np.ndarray, " case"],
    groups: Int[np.ndarray, " case"],
    resamples: int,
    seed: int,
) -> Interval:
    """The ratio of two sums over the same cases, with its bootstrap interval over groups."""
    found = group_ratios(numerator[None], denominator[None], groups, resamples, seed)
    return Interval(*(float(part[0]) for part in found))


def group_ratios(
    numerators: Float[np.ndarray, "measure case"],
    denominators: Float[np.ndarray, "measure case"],
    groups: Int[np.ndarray, " case"],
    resamples: int,
    seed: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ratios of sums over cases with bootstrap limits that draw whole groups.

    Returns:
        value, low and high of each measure, as `resampled_ratios` has them.
    """
    found = resampled_ratios(numerators, denominators, groups, resamples, seed)
    return found.value, found.low, found.high


@dataclass(frozen=True)
class Resampled:
    """Measures of the same cases, their intervals, and their values on the same resamples.

    Measures of one encoder and of another on the same texts are drawn alike if groups, number of
    resamples and seed are the same, so that differences of their resamples are paired.
    """

    value: Float[np.ndarray, " measure"]
    low: Float[np.ndarray, " measure"]
    high: Float[np.ndarray, " measure"]
    drawn: Float[np.ndarray, "measure resample"]


def resampled_means(
    values: Float[np.ndarray, "measure case"],
    groups: Int[np.ndarray, " case"],
    resamples: int,
    seed: int,
) -> Resampled:
    """Means over cases, NaN left out, as `resampled_ratios`."""
    known = ~np.isnan(values)
    return resampled_ratios(
        np.where(known, values, 0.0), known.astype(float), groups, resamples, seed
    )


def resampled_ratios(
    numerators: Float[np.ndarray, "measure case"],
    denominators: Float[np.ndarray, "measure case"],
    groups: Int[np.ndarray, " case"],
    resamples: int,
    seed: int,
) -> Resampled:
    """Ratios of sums over cases, resampled by whole groups.

    Limits are BCa (bias-corrected and accelerated, Efron 1987), as shares near 0 and 1 need; the
    acceleration is that of leaving out one group. Fewer than `LEAST_GROUPS` give no interval: its
    limits and resamples are NaN.
    """
    above, below = sums_of_groups(np.stack([numerators, denominators]), groups)
    count = above.shape[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        values = above.sum(1) / below.sum(1)
        if count < LEAST_GROUPS:
            unknown = np.full((len(values), resamples), np.nan)
            return Resampled(values, unknown[:, 0], unknown[:, 0], unknown)
        drawn = np.concatenate(
            [
                (above @ part) / (below @ part)
                for part in _blocks(count, len(values), resamples, seed)
            ],
            axis=1,
        )
        without_one = (above.sum(1, keepdims=True) - above) / (below.sum(1, keepdims=True) - below)
    return Resampled(values, *bca_limits(values, drawn, without_one), drawn)


def sums_of_groups(
    values: Float[np.ndarray, "*measure case"], groups: Int[np.ndarray, " case"]
) -> Float[np.ndarray, "*measure group"]:
    """Sums over the cases of each group, groups in the order of their numbers."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=groups[order[:1]] - 1))
    return np.add.reduceat(values[..., order], starts, axis=-1)


def group_weights(count: int, resamples: int, seed: int) -> Float[np.ndarray, "resample group"]:
    """How often each resample has each of `count` groups."""
    generator = np.random.default_rng([seed, 1])
    return generator.multinomial(count, np.full(count, 1 / count), resamples).astype(float)


def line_weights(count: int, resamples: int, seed: int) -> Float[np.ndarray, "line group"]:
    """How often the data (first line: once) and each resample have each of `count` groups."""
    return np.concatenate([np.ones((1, count)), group_weights(count, resamples, seed)])


def _blocks(
    count: int, measures: int, resamples: int, seed: int
) -> Iterator[Float[np.ndarray, "group resample"]]:
    """The weights of `group_weights`, block by block, which bounds memory."""
    generator = np.random.default_rng([seed, 1])
    even = np.full(count, 1 / count)
    block = max(1, DRAWN_NUMBERS // max(count, measures))
    for left in range(resamples, 0, -block):
        yield generator.multinomial(count, even, min(block, left)).T.astype(float)
