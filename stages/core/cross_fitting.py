"""What one half of the texts chooses, measured on the other half, with its interval.

`held_out` scores a candidate by what chose it. Here the two may differ: heads that are chosen by
what they link are asked something else. Each half chooses for the other, and the mean over several
divisions into halves depends less on one of them. Each resample of the groups chooses anew.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from stages.core.intervals.groups import LEAST_GROUPS, Resampled, group_weights, sums_of_groups
from stages.core.intervals.held_out import SPLITS, Choice, halves
from stages.core.intervals.held_out import Score as HeldOut
from stages.core.intervals.intervals import percentile_interval


@dataclass(frozen=True)
class Half:
    """One half of the groups, and how often each line (the data, then resamples) has each."""

    members: Int[np.ndarray, " member"]
    weights: Float[np.ndarray, "line member"]

    def sums(
        self, of_groups: Float[np.ndarray, "candidate group"]
    ) -> Float[np.ndarray, "line candidate"]:
        """Sums over the half, of sums over the cases of each group."""
        return self.weights @ of_groups[:, self.members].T


# The measures of what the first half chooses, on the second half.
Score = Callable[[Half, Half], Float[np.ndarray, "measure line"]]


def cross_fitted(
    score: Score, count: int, resamples: int, seed: int
) -> Float[np.ndarray, "measure line"]:
    """Measures of what the other half chose, mean over halves and divisions.

    Args:
        score: is called with the half that chooses and the half that is measured.
        count: of groups; group by group resampled as `group_weights` does it.

    Returns:
        The data's in the first line, those of the resamples behind it.
    """
    weights = np.concatenate([np.ones((1, count)), group_weights(count, resamples, seed)])
    found = []
    for split in range(SPLITS):
        side = halves(np.arange(count), seed + split)
        parts = [np.flatnonzero(side == half) for half in (0, 1)]
        one, other = (Half(members, weights[:, members]) for members in parts)
        with np.errstate(invalid="ignore", divide="ignore"):
            found += [score(one, other), score(other, one)]
    return np.mean(found, axis=0)


def with_intervals(lines: Float[np.ndarray, "measure line"], count: int) -> Resampled:
    """The first line with percentile intervals of the others; NaN for fewer than five groups."""
    values, drawn = lines[:, 0], lines[:, 1:]
    if count < LEAST_GROUPS:
        drawn = np.full_like(drawn, np.nan)
    limits = [_limits(line[~np.isnan(line)]) for line in drawn]
    low, high = np.array(limits).reshape(-1, 2).T
    return Resampled(values, low, high, drawn)


def choices_within(
    scores: Bool[np.ndarray, "case candidate"],
    rivals: Bool[np.ndarray, "case rival"],
    groups: Int[np.ndarray, " case"],
    sets: Sequence[slice],
    resamples: int,
    seed: int,
) -> list[Choice]:
    """As `held_out` of each set of candidates by itself, all of them in one pass.

    Args:
        sets: of places of candidates.
    """
    count = len(np.unique(groups))
    of_scores, of_rivals, sizes = (
        sums_of_groups(table.T.astype(float), groups)
        for table in (scores, rivals, np.ones((len(groups), 1)))
    )
    chosen: list[set[int]] = [set() for _ in sets]

    def right(choosing: Half, scored: Half) -> Float[np.ndarray, "measure line"]:
        votes, hits = choosing.sums(of_scores), scored.sums(of_scores)
        lines = np.arange(len(votes))
        found = []
        for some, picked in zip(sets, chosen, strict=True):
            picks = votes[:, some].argmax(1)
            picked.add(int(picks[0]))
            found.append(hits[:, some][lines, picks])
        found.append(scored.sums(of_rivals)[lines, choosing.sums(of_rivals).argmax(1)])
        return np.stack([*found, scored.sums(sizes)[:, 0]])

    # Ratios of means over halves: each case counts alike.
    *sums, cases = cross_fitted(right, count, resamples, seed)
    lines = np.stack(sums) / cases
    if count < 2:
        lines = np.full_like(lines, np.nan)
    *own, rival = lines
    totals = of_scores.sum(1)
    best_rival = int(of_rivals.sum(1).argmax())
    return [
        Choice(
            int(totals[some].argmax()) + some.start,
            best_rival,
            len(picked) == 1,
            *_held_out(np.stack([line, rival, line - rival]), count),
            len(groups),
            count,
        )
        for some, picked, line in zip(sets, chosen, own, strict=True)
    ]


def _held_out(lines: Float[np.ndarray, "measure line"], count: int) -> list[HeldOut]:
    found = with_intervals(lines, count)
    parts = zip(found.value, found.low, found.high, found.drawn, strict=True)
    return [
        HeldOut(float(value), float(low), float(high), drawn) for value, low, high, drawn in parts
    ]


def _limits(line: Float[np.ndarray, " resample"]) -> tuple[float, float]:
    if not len(line):
        return np.nan, np.nan
    low, high = percentile_interval(line)
    return float(low), float(high)
