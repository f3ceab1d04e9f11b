"""Choosing the best of many heads honestly: on one half of the texts, scored on the other.

The best of many noisy scores always looks good. Each half's best candidate is scored on the other
half; together the two give one held-out score of all cases, and the mean over several divisions
into halves depends less on one of them. Halves and resamples keep the texts of one group together.
The interval is of that very mean: each resample of the groups chooses and scores anew. Simulated,
it covers 94% and more where there are 100 groups, and is wider than need be where many candidates
are alike, as a resample's choice is noisier than that of the data.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int, Real

from stages.core.intervals.groups import LEAST_GROUPS, group_weights, sums_of_groups
from stages.core.intervals.intervals import percentile_interval
from stages.core.stage.tables import interval_columns, interval_names
from stages.core.tables import Value, count, drawn_of, estimate_columns, flag

# The columns of a choice in a table: the held-out score, that of the rival, and what it gains.
SCORE = interval_names(value="value")
RIVAL = interval_names("rival", "value")
GAIN = interval_names("gain", "value")
CHOICE_COLUMNS = ("cases", "groups", "same", *SCORE, *RIVAL, *GAIN)
# Those that a table of choices has resamples of, in the order of `Choice.drawn`.
CHOICE_RESAMPLED = (SCORE[0], RIVAL[0], GAIN[0])
SPLITS = 5  # divisions into halves


def choice_values(
    score: str, rival: str, unit: str = "share", form: str = ".1%"
) -> dict[str, Value]:
    """The values of a held-out choice in a declared table.

    Args:
        score: what the chosen candidate has, in words.
        rival: what the best rival has.
    """
    estimate = {"format": form, "unit": unit, "interval": True, "resampled": True}
    return {
        "cases": count("cases"),
        "groups": count("groups of texts"),
        "same": flag("same choice in all halves"),
        "score": Value(score, **estimate),
        "rival": Value(rival, **estimate),
        "gain": Value(f"{score} minus {rival}", **estimate),
    }


@dataclass(frozen=True)
class Score:
    """A held-out score with its interval and its values on resamples."""

    value: float
    low: float
    high: float
    drawn: Float[np.ndarray, " resample"]


@dataclass(frozen=True)
class Choice:
    """The best candidate, its held-out score, and what it gains over the best rival.

    `best` and `best_rival` are chosen on all cases (their names for a table); `score`, `rival` and
    `gain` are held out. `same` says whether all halves chose the same candidate.
    """

    best: int
    best_rival: int
    same: bool
    score: Score
    rival: Score
    gain: Score
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

    def row(self) -> dict[str, Any]:
        """The columns of `choice_values`: all but the names of the chosen ones."""
        row: dict[str, Any] = {"cases": self.cases, "groups": self.groups, "same": self.same}
        for column, part in (("score", self.score), ("rival", self.rival), ("gain", self.gain)):
            row |= estimate_columns(column, part.value, part.low, part.high)
            row[drawn_of(column)] = part.drawn
        return row

    @property
    def drawn(self) -> Float[np.ndarray, "column resample"]:
        """The resamples of the columns `CHOICE_RESAMPLED`."""
        return np.stack([self.score.drawn, self.rival.drawn, self.gain.drawn])


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
    if scored is None:
        scored = np.ones(len(groups), dtype=bool)
    count = len(np.unique(groups))
    weights = np.concatenate([np.ones((1, count)), group_weights(count, resamples, seed)])
    sides = [halves(np.arange(count), seed + split) for split in range(SPLITS)]
    parts = [_cross_fitted(table, groups, scored, weights, sides) for table in (scores, rivals)]
    (score, same), (rival, _) = parts
    if count < 2:
        score, rival = np.full_like(score, np.nan), np.full_like(rival, np.nan)
    return Choice(
        int(scores.mean(0).argmax()),
        int(rivals.mean(0).argmax()),
        same,
        *(_scored(line, count) for line in (score, rival, score - rival)),
        int(scored.sum()),
        len(np.unique(groups[scored])),
    )


def _cross_fitted(
    table: Real[np.ndarray, "case candidate"] | Bool[np.ndarray, "case candidate"],
    groups: Int[np.ndarray, " case"],
    scored: Bool[np.ndarray, " case"],
    weights: Float[np.ndarray, "line group"],
    sides: list[Int[np.ndarray, " group"]],
) -> tuple[Float[np.ndarray, " line"], bool]:
    """The mean score of the candidates that the other half chose, for each weighting of groups.

    Returns:
        The scores, mean over the divisions, and whether the first weighting chose one candidate
        throughout.
    """
    values = table.astype(float).T
    choosing = sums_of_groups(values, groups).T
    scoring = sums_of_groups(values * scored, groups).T
    cases = weights @ sums_of_groups(scored.astype(float), groups)
    lines = np.arange(len(weights))
    total, chosen = np.zeros(len(weights)), set()
    for side in sides:
        for half in (0, 1):
            picks = ((weights * (side == half)) @ choosing).argmax(1)
            chosen.add(int(picks[0]))
            total += ((weights * (side != half)) @ scoring)[lines, picks]
    with np.errstate(invalid="ignore", divide="ignore"):
        return total / len(sides) / cases, len(chosen) == 1


def _scored(line: Float[np.ndarray, " line"], groups: int) -> Score:
    """The first of a line with the interval of the others, its resamples."""
    drawn = line[1:]
    if groups < LEAST_GROUPS or np.isnan(drawn).all():
        return Score(float(line[0]), np.nan, np.nan, np.full_like(drawn, np.nan))
    low, high = percentile_interval(drawn[~np.isnan(drawn)])
    return Score(float(line[0]), float(low), float(high), drawn)


def halves(groups: Int[np.ndarray, " case"], seed: int) -> Int[np.ndarray, " case"]:
    """0 or 1 for each case: half of the groups, drawn, in each."""
    names = np.unique(groups)
    sides = np.random.default_rng(seed).permutation(len(names)) % 2
    return sides[np.searchsorted(names, groups)]
