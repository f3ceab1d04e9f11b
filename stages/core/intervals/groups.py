"""Bootstraps that draw whole groups of texts, as the texts of a group are alike."""

import numpy as np
from jaxtyping import Float, Int

from stages.core.intervals.intervals import LEVEL, Interval

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
    """Means over cases with percentile bootstrap limits that draw whole groups; NaN is left out.

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
    """Ratios of sums over cases with percentile bootstrap limits that draw whole groups.

    All measures share the resamples, which are drawn in blocks to bound memory. Fewer than
    `LEAST_GROUPS` give no interval: its limits are NaN.

    Returns:
        value, low and high of each measure.
    """
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=groups[order[:1]] - 1))
    above, below = (
        np.add.reduceat(sums[:, order], starts, axis=1) for sums in (numerators, denominators)
    )
    count = len(starts)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = above.sum(1) / below.sum(1)
        if count < LEAST_GROUPS:
            unknown = np.full(len(values), np.nan)
            return values, unknown, unknown
        generator = np.random.default_rng([seed, 1])
        even = np.full(count, 1 / count)
        block = max(1, DRAWN_NUMBERS // max(count, len(values)))
        resampled = []
        for left in range(resamples, 0, -block):
            weights = generator.multinomial(count, even, min(block, left)).T.astype(float)
            resampled.append((above @ weights) / (below @ weights))
    tail = (1 - LEVEL) / 2
    limits = np.full((2, len(values)), np.nan)
    measured = ~np.isnan(values)
    drawn = np.concatenate(resampled, axis=1)[measured]
    limits[:, measured] = np.nanquantile(drawn, [tail, 1 - tail], axis=1)
    return values, *limits
