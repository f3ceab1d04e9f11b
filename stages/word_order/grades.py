"""Grades of intact and of shuffled texts, with order heads and with random heads off.

The source has one text and says the grade that it is given; here it is every validation pair, and
how the grades are spread. A grade comes back where it lies at least one nearer to that of the
intact text than it did when the text was shuffled. Some grades come back whichever heads are off,
as texts on the edge of two grades fall by chance: so random heads stand beside the order heads.
"""

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from stages.core.intervals.groups import group_weights
from stages.core.intervals.intervals import bca_limits
from stages.word_order import tables

Grades = Float[np.ndarray, " pair"]
Lines = dict[str, Float[np.ndarray, " line"]]


def grades_of(logits: Float[np.ndarray, "*other output"], kind: str) -> np.ndarray:
    """The predicted class; of a score, the nearest whole number."""
    if kind == "regression":
        return np.rint(logits[..., 0]).astype(float)
    return logits.argmax(-1).astype(float)


@dataclass(frozen=True)
class Outcomes:
    """Grades of every pair under each condition.

    `random` has one line a draw, NaN where the draw was not run on the pair.
    """

    intact: Grades
    intact_off: Grades
    shuffled: Grades
    shuffled_off: Grades
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
        names = ("intact", "intact_off", "shuffled", "shuffled_off", "random")
        return getattr(self, names[tables.CONDITIONS.index(condition)])


@dataclass(frozen=True)
class Weights:
    """How often each line has each pair, and each draw: the data, resamples, one pair left out."""

    pairs: Float[np.ndarray, "line pair"]
    draws: Float[np.ndarray, "line draw"]
    resamples: int

    @classmethod
    def drawn(cls, pairs: int, draws: int, resamples: int, seed: int, own: int) -> "Weights":
        """Those of `resamples`.

        Args:
            seed: of the pairs, which are drawn alike for all fine-tunings.
            own: of the draws, which are others for each.
        """
        resampled = group_weights(pairs, resamples, seed)
        of_pairs = np.concatenate([np.ones((1, pairs)), resampled, 1 - np.eye(pairs)])
        of_draws = np.ones((len(of_pairs), draws))
        of_draws[1 : 1 + resamples] = np.random.default_rng([seed, own, 3]).multinomial(
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

    def interval(self, lines: Float[np.ndarray, " line"]) -> tuple[float, float, float]:
        """The data's value, and the limits of its BCa interval, as shares near 0 need it."""
        drawn = lines[1 : 1 + self.resamples]
        if np.isnan(drawn).any():
            return float(lines[0]), math.nan, math.nan
        low, high = bca_limits(lines[:1], drawn[None], lines[None, 1 + self.resamples :])
        return float(lines[0]), float(low[0]), float(high[0])


def quantities(outcomes: Outcomes, weights: Weights) -> Lines:
    """Every quantity of grades, by its name."""
    means = {name: weights.mean(outcomes.of(name)) for name in tables.CONDITIONS[:-1]}
    fallen = outcomes.fallen
    order_back = weights.mean(outcomes.back(outcomes.shuffled_off), fallen)
    random_back = weights.mean(outcomes.back(outcomes.random), fallen)
    order_rise = means[tables.SHUFFLED_OFF] - means[tables.SHUFFLED]
    # Pair by pair, as not every draw is run on every pair.
    random_rise = weights.mean(outcomes.random - outcomes.shuffled)
    found = {
        tables.FALL: means[tables.SHUFFLED] - means[tables.INTACT],
        tables.ORDER_RISE: order_rise,
        tables.RANDOM_RISE: random_rise,
        tables.RISE_BEYOND: order_rise - random_rise,
        tables.INTACT_RISE: means[tables.INTACT_OFF] - means[tables.INTACT],
        tables.FALLEN: weights.mean(fallen.astype(float)),
        tables.ORDER_BACK: order_back,
        tables.RANDOM_BACK: random_back,
        tables.BACK_BEYOND: order_back - random_back,
    }
    return found | {tables.SPARED: order_rise - found[tables.INTACT_RISE]}


def share_rows(
    outcomes: Outcomes, weights: Weights, names: dict[int, str]
) -> list[dict[str, str | int | float]]:
    """One row a condition and grade: the share of pairs with that grade.

    Args:
        names: of the grades, by their numbers.
    """
    rows = []
    for condition in tables.CONDITIONS:
        grades = outcomes.of(condition)
        for place, name in names.items():
            own = np.where(np.isnan(grades), np.nan, grades == place)
            found = zip(("share", "low", "high"), weights.interval(weights.mean(own)), strict=True)
            rows.append({"condition": condition, "place": place, "grade": name, **dict(found)})
    return rows


def mean_rows(outcomes: Outcomes, weights: Weights) -> list[dict[str, str | int | float]]:
    """One row a condition: the mean grade, over how many pairs and draws."""
    rows = []
    for condition in tables.CONDITIONS:
        grades = outcomes.of(condition)
        found = zip(("mean", "low", "high"), weights.interval(weights.mean(grades)), strict=True)
        draws = len(grades) if grades.ndim > 1 else 0
        size = {"examples": len(outcomes.intact), "draws": draws}
        rows.append({"condition": condition, **dict(found), **size})
    return rows
