"""Grades of intact and of shuffled texts, with order heads and with random heads ablated.

The source grades one text; here every validation pair is graded. A grade comes back if ablation
brings it nearer to the grade of the intact text by at least one. Texts on the edge of two grades
fall by chance, and come back by chance. So random heads are ablated as well.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float

from stages.core.intervals.groups import group_weights
from stages.core.intervals.intervals import bca_limits
from stages.core.tables import drawn_of, estimate_columns
from stages.word_order import tables

Grades = Float[np.ndarray, " pair"]
Lines = dict[str, Float[np.ndarray, " line"]]


def grades_of(logits: Float[np.ndarray, "*other output"], kind: str) -> np.ndarray:
    """The predicted class; of a score, the nearest whole number."""
    if kind == "regression":
        return np.rint(logits[..., 0]).astype(float)
    return logits.argmax(-1).astype(float)


@dataclass(frozen=True)
class ConditionGrades:
    """Grades of every pair under each condition.

    `random` has one line a draw; NaN if the draw was not run on the pair.
    """

    intact: Grades
    intact_ablated: Grades
    shuffled: Grades
    shuffled_ablated: Grades
    random: Float[np.ndarray, "draw pair"]

    @property
    def fallen(self) -> Bool[np.ndarray, " pair"]:
        """Pairs whose grade is lower when the text is shuffled."""
        return self.shuffled < self.intact

    def back(self, grades: Float[np.ndarray, "*draw pair"]) -> Float[np.ndarray, "*draw pair"]:
        """1 where a fallen grade is nearer to the intact one by at least one; else 0, NaN stays."""
        nearer = np.abs(self.shuffled - self.intact) - np.abs(grades - self.intact)
        return np.where(np.isnan(grades), np.nan, (nearer >= 1) & self.fallen)

    def whole_numbers(self) -> dict[int, str]:
        """The grades that were given, where the task has no classes."""
        given = np.unique(np.concatenate([self.of(name).ravel() for name in tables.CONDITIONS]))
        return {int(grade): f"{grade:g}" for grade in given[~np.isnan(given)]}

    def of(self, condition: str) -> Float[np.ndarray, "*draw pair"]:
        """The grades of one of `CONDITIONS`."""
        names = ("intact", "intact_ablated", "shuffled", "shuffled_ablated", "random")
        return getattr(self, names[tables.CONDITIONS.index(condition)])


@dataclass(frozen=True)
class LineWeights:
    """How often each line has each pair, and each draw: the data, resamples, one pair left out."""

    pairs: Float[np.ndarray, "line pair"]
    draws: Float[np.ndarray, "line draw"]
    resamples: int

    @classmethod
    def drawn(
        cls, pairs: int, draws: int, resamples: int, seed: int, draw_seed: int
    ) -> "LineWeights":
        """The weights of resamples.

        Args:
            seed: of the pairs; all fine-tunings have the same.
            draw_seed: of the draws; each fine-tuning has another one.
        """
        resampled = group_weights(pairs, resamples, seed)
        of_pairs = np.concatenate([np.ones((1, pairs)), resampled, 1 - np.eye(pairs)])
        of_draws = np.ones((len(of_pairs), draws))
        of_draws[1 : 1 + resamples] = np.random.default_rng([seed, draw_seed, 3]).multinomial(
            draws, np.full(draws, 1 / draws), resamples
        )
        return cls(of_pairs, of_draws, resamples)

    def mean(
        self,
        values: Float[np.ndarray, "*draw pair"],
        among: Bool[np.ndarray, " pair"] | None = None,
    ) -> Float[np.ndarray, " line"]:
        """The mean over pairs, each of which has the mean over its draws; NaN without a pair."""
        weights = self.pairs if among is None else self.pairs * among
        with np.errstate(invalid="ignore", divide="ignore"):
            if values.ndim == 1:
                return weights @ values / weights.sum(1)
            known = ~np.isnan(values)
            # Pairs count alike, whether many draws were run on them or few.
            cells = known / np.maximum(known.sum(0), 1)
            of_pairs = self.draws @ np.where(known, values * cells, 0)
            return (weights * of_pairs).sum(1) / (weights * (self.draws @ cells)).sum(1)

    def estimate(self, column: str, lines: Float[np.ndarray, " line"]) -> dict[str, Any]:
        """The columns of a value with its interval and its resamples."""
        drawn = {drawn_of(column): lines[1 : 1 + self.resamples]}
        return estimate_columns(column, *self.interval(lines)) | drawn

    def interval(self, lines: Float[np.ndarray, " line"]) -> tuple[float, float, float]:
        """The data's value, and the limits of its BCa interval, as shares near 0 need it."""
        drawn = lines[1 : 1 + self.resamples]
        if np.isnan(drawn).any():
            return float(lines[0]), math.nan, math.nan
        low, high = bca_limits(lines[:1], drawn[None], lines[None, 1 + self.resamples :])
        return float(lines[0]), float(low[0]), float(high[0])


def grade_changes(outcomes: ConditionGrades, weights: LineWeights) -> Lines:
    """Every difference of mean grades, by its name."""
    means = {name: weights.mean(outcomes.of(name)) for name in tables.CONDITIONS[:-1]}
    order_rise = means[tables.SHUFFLED_ABLATED] - means[tables.SHUFFLED]
    intact_rise = means[tables.INTACT_ABLATED] - means[tables.INTACT]
    # Pair by pair, as not every draw is run on every pair.
    random_rise = weights.mean(outcomes.random - outcomes.shuffled)
    return {
        tables.FALL: means[tables.SHUFFLED] - means[tables.INTACT],
        tables.ORDER_RISE: order_rise,
        tables.RANDOM_RISE: random_rise,
        tables.RISE_BEYOND: order_rise - random_rise,
        tables.INTACT_RISE: intact_rise,
        tables.SPARED: order_rise - intact_rise,
    }


def shares_back(outcomes: ConditionGrades, weights: LineWeights) -> Lines:
    """The share of fallen texts, and the shares of these that come back, by their names."""
    fallen = outcomes.fallen
    order_back = weights.mean(outcomes.back(outcomes.shuffled_ablated), fallen)
    random_back = weights.mean(outcomes.back(outcomes.random), fallen)
    return {
        tables.FALLEN: weights.mean(fallen.astype(float)),
        tables.ORDER_BACK: order_back,
        tables.RANDOM_BACK: random_back,
        tables.BACK_BEYOND: order_back - random_back,
    }


def changes_table(outcomes: ConditionGrades, weights: LineWeights) -> pd.DataFrame:
    """The rows of `CHANGES` of one fine-tuning and unit."""
    count = len(outcomes.intact)
    return pd.DataFrame(
        {"difference": name, **weights.estimate("change", lines), "examples": count}
        for name, lines in grade_changes(outcomes, weights).items()
    )


def returns_table(outcomes: ConditionGrades, weights: LineWeights) -> pd.DataFrame:
    """The rows of `RETURNS` of one fine-tuning and unit."""
    count, fallen = len(outcomes.intact), int(outcomes.fallen.sum())
    return pd.DataFrame(
        {
            "texts": name,
            **weights.estimate("share", lines),
            "examples": count if name == tables.FALLEN else fallen,
        }
        for name, lines in shares_back(outcomes, weights).items()
    )


def grades_table(
    outcomes: ConditionGrades, weights: LineWeights, names: dict[int, str]
) -> pd.DataFrame:
    """The rows of `GRADES` of one fine-tuning and unit.

    Args:
        names: of the grades, by their numbers.
    """
    rows = []
    for condition in tables.CONDITIONS:
        grades = outcomes.of(condition)
        for rank, grade in names.items():
            given = np.where(np.isnan(grades), np.nan, grades == rank)
            share = estimate_columns("share", *weights.interval(weights.mean(given)))
            rows.append({"condition": condition, "rank": rank, "grade": grade, **share})
    return pd.DataFrame(rows)


def means_table(outcomes: ConditionGrades, weights: LineWeights) -> pd.DataFrame:
    """The rows of `MEANS` of one fine-tuning and unit."""
    rows = []
    for condition in tables.CONDITIONS:
        grades = outcomes.of(condition)
        mean = estimate_columns("mean_grade", *weights.interval(weights.mean(grades)))
        draws = len(grades) if grades.ndim > 1 else 0
        size = {"examples": len(outcomes.intact), "draws": draws}
        rows.append({"condition": condition, **mean, **size})
    return pd.DataFrame(rows)
