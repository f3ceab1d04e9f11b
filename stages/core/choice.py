"""Choosing the best of many heads honestly: on one half of the texts, scored on the other.

The best of 144 noisy scores always looks good. Each half's best candidate is scored on the other
half; together the two give one held-out score of all cases. Halves and resamples keep the texts of
one group together.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int, Real

from stages.core.intervals import LEVEL, Interval, percentile_interval

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
    chosen = np.stack([_held_out(table, half) for table in (scores, rivals)])
    chosen = np.concatenate([chosen, chosen[:1] - chosen[1:]])
    if len(np.unique(groups)) < 2:
        chosen[:] = np.nan  # nothing is held out
    picks = _picks(scores, half)
    if scored is not None:
        chosen, groups = chosen[:, scored], groups[scored]
    score, rival, gain = group_intervals(chosen, groups, resamples, seed)
    return Choice(
        int(scores.mean(0).argmax()),
        int(rivals.mean(0).argmax()),
        bool(picks[0] == picks[1]),
        score,
        rival,
        gain,
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

    All measures share the resamples, which are drawn in blocks to bound memory. Fewer than
    `LEAST_GROUPS` give no interval: its limits are NaN.

    Returns:
        mean, low and high of each measure.
    """
    names, place = np.unique(groups, return_inverse=True)
    known = ~np.isnan(values)
    sums = _by_group(np.where(known, values, 0.0), place, len(names))
    sizes = _by_group(known.astype(float), place, len(names))
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums.sum(1) / sizes.sum(1)
        if len(names) < LEAST_GROUPS:
            unknown = np.full(len(means), np.nan)
            return means, unknown, unknown
        generator = np.random.default_rng([seed, 1])
        even = np.full(len(names), 1 / len(names))
        block = max(1, DRAWN_NUMBERS // max(len(names), len(values)))
        resampled = np.concatenate(
            [
                _ratios(sums, sizes, generator.multinomial(len(names), even, min(block, left)))
                for left in range(resamples, 0, -block)
            ],
            axis=1,
        )
    tail = (1 - LEVEL) / 2
    limits = np.full((2, len(means)), np.nan)
    measured = ~np.isnan(means)
    limits[:, measured] = np.nanquantile(resampled[measured], [tail, 1 - tail], axis=1)
    return means, *limits


def group_ratio(
    numerator: Float[np.ndarray, " case"],
    denominator: Float[np.ndarray, " case"],
    groups: Int[np.ndarray, " case"],
    resamples: int,
    seed: int,
) -> Interval:
    """The ratio of two sums over the same cases, with its bootstrap interval over groups."""
    names, place = np.unique(groups, return_inverse=True)
    above, below = (
        _by_group(values[None], place, len(names)) for values in (numerator, denominator)
    )
    value = float(above.sum() / below.sum())
    if len(names) < LEAST_GROUPS:
        return Interval(value, np.nan, np.nan)
    generator = np.random.default_rng([seed, 1])
    even = np.full(len(names), 1 / len(names))
    resampled = _ratios(above, below, generator.multinomial(len(names), even, resamples))
    low, high = percentile_interval(resampled[0])
    return Interval(value, float(low), float(high))


def _by_group(
    values: Float[np.ndarray, "measure case"], place: Int[np.ndarray, " case"], count: int
) -> Float[np.ndarray, "measure group"]:
    sums = np.zeros((count, len(values)))
    np.add.at(sums, place, values.T)
    return sums.T


def _ratios(
    sums: Float[np.ndarray, "measure group"],
    sizes: Float[np.ndarray, "measure group"],
    drawn: Int[np.ndarray, "resample group"],
) -> Float[np.ndarray, "measure resample"]:
    weights = drawn.T.astype(float)
    return (sums @ weights) / (sizes @ weights)


def _picks(table: Real[np.ndarray, "case candidate"], half: Int[np.ndarray, " case"]) -> list[int]:
    """The best candidate on each half; on all cases where a half is empty."""
    parts = [table[half == side] for side in (0, 1)]
    return [int((part if len(part) else table).mean(0).argmax()) for part in parts]


def _held_out(
    table: Real[np.ndarray, "case candidate"], half: Int[np.ndarray, " case"]
) -> Float[np.ndarray, " case"]:
    picks = _picks(table, half)
    return table[np.arange(len(table)), np.take(picks, 1 - half)].astype(float)
