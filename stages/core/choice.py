"""Choosing the best of many heads honestly: on one half of the texts, scored on the other.

The best of many noisy scores always looks good. Each half's best candidate is scored on the other
half; together the two give one held-out score of all cases. Halves and resamples keep the texts of
one group together.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int, Real

from stages.core.intervals import LEVEL, Interval

DRAWN_NUMBERS = 5_000_000
# A bootstrap of fewer has too few outcomes to say anything of an interval's limits.
LEAST_GROUPS = 5


@dataclass(frozen=True)
class Choice:
    """The best candidate, its held-out score, and what it gains over the best rival.

    `best` and `best_rival` are chosen on all cases (their names for a table); `score`, `rival` and
    `gain` are held out. `same` says whether both halves chose the same candidate.
    """

    best: int
    best_rival: int
    same: bool
    score: Interval
    rival: Interval
    gain: Interval
    cases: int
    groups: int

    def columns(self) -> dict[str, float | int | bool]:
        """Everything but the names, for a row of a table."""
        row: dict[str, float | int | bool] = {
            "cases": self.cases,
            "groups": self.groups,
            "same": self.same,
        }
        for name, interval in (("", self.score), ("rival_", self.rival), ("gain_", self.gain)):
            row |= {
                f"{name}value": interval.value,
                f"{name}low": interval.low,
                f"{name}high": interval.high,
            }
        return row


def held_out(
    scores: Real[np.ndarray, "case candidate"],
    rivals: Real[np.ndarray, "case rival"],
    groups: Int[np.ndarray, " case"],
    resamples: int,
    seed: int,
    scored: Bool[np.ndarray, " case"] | None = None,
) -> Choice:
    """Choose among candidates and among rivals alike, and compare the two chosen ones.

    Args:
        scores: what each candidate has on each case: right (1) or wrong (0), or a share.
        rivals: the same of baselines, one or more.
        groups: cases of one number stay together.
        scored: the cases that the scores are of, where the choice rests on more; by default all.
    """
    half = halves(groups, seed)
    picks, rival_picks = (best_of_halves(table, half) for table in (scores, rivals))
    cases = np.arange(len(groups))
    score = scores[cases, np.take(picks, 1 - half)].astype(float)
    rival = rivals[cases, np.take(rival_picks, 1 - half)].astype(float)
    chosen = np.stack([score, rival, score - rival])
    if len(np.unique(groups)) < 2:
        chosen[:] = np.nan  # nothing is held out
    if scored is not None:
        chosen, groups = chosen[:, scored], groups[scored]
    intervals = group_intervals(chosen, groups, resamples, seed)
    return Choice(
        int(scores.mean(0).argmax()),
        int(rivals.mean(0).argmax()),
        bool(picks[0] == picks[1]),
        *intervals,
        len(groups),
        len(np.unique(groups)),
    )


def halves(groups: Int[np.ndarray, " case"], seed: int) -> Int[np.ndarray, " case"]:
    """0 or 1 for each case: half of the groups, drawn, in each."""
    names = np.unique(groups)
    sides = np.random.default_rng(seed).permutation(len(names)) % 2
    return sides[np.searchsorted(names, groups)]


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


def best_of_halves(
    table: Real[np.ndarray, "case candidate"], half: Int[np.ndarray, " case"]
) -> list[int]:
    """The best candidate on each half; on all cases where a half is empty."""
    parts = [table[half == side] for side in (0, 1)]
    return [int((part if len(part) else table).mean(0).argmax()) for part in parts]
