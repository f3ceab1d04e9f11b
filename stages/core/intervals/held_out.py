"""Choosing the best of many heads honestly: on one half of the texts, scored on the other.

The best of many noisy scores always looks good. Each half's best candidate is scored on the other
half; together the two give one held-out score of all cases. Halves and resamples keep the texts of
one group together.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int, Real

from stages.core.intervals.groups import group_intervals
from stages.core.intervals.intervals import Interval
from stages.core.stage.tables import interval_columns, interval_names

# The columns of a choice in a table: the held-out score, that of the rival, and what it gains.
SCORE = interval_names(value="value")
RIVAL = interval_names("rival", "value")
GAIN = interval_names("gain", "value")
CHOICE_COLUMNS = ("cases", "groups", "same", *SCORE, *RIVAL, *GAIN)


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
        """The values of `CHOICE_COLUMNS`: everything but what the chosen ones are called."""
        row: dict[str, float | int | bool] = {
            "cases": self.cases,
            "groups": self.groups,
            "same": self.same,
        }
        for name, found in (("", self.score), ("rival", self.rival), ("gain", self.gain)):
            row |= interval_columns(name, found.value, found.low, found.high, "value")
        return row


def held_out(
    scores: Real[np.ndarray, "case candidate"] | Bool[np.ndarray, "case candidate"],
    rivals: Real[np.ndarray, "case rival"] | Bool[np.ndarray, "case rival"],
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


def best_of_halves(
    table: Real[np.ndarray, "case candidate"] | Bool[np.ndarray, "case candidate"],
    half: Int[np.ndarray, " case"],
) -> list[int]:
    """The best candidate on each half; on all cases where a half is empty."""
    parts = [table[half == side] for side in (0, 1)]
    return [int((part if len(part) else table).mean(0).argmax()) for part in parts]
