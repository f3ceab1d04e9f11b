"""Examples, heads and texts drawn from populations whose true effects are known."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from scipy.stats import norm

from stages.core.outcomes.outcomes import Outcomes

LARGE = 200_000  # examples that stand for all


@dataclass(frozen=True, eq=False)
class Gates:
    """Heads or layers that are off, and what each truly changes of the share of right predictions.

    Every example has a margin, right where it is above 0. A gate moves all margins, by its effect,
    and adds noise; part of the noise is common to all gates.

    Attributes:
        effects: true ones, of accuracy.
        noise: beside a standard deviation of 1 of the margins; 0.08 changes some 2% of the
            predictions, as single heads of the default do, 0.5 some 15%, as layers do.
        accuracy: with every head on.
        positive: share of the examples of class 1.
    """

    effects: Float[np.ndarray, " gate"]
    noise: float
    accuracy: float = 0.8
    positive: float = 0.5
    common: float = 0.3

    def draw(self, count: int, generator: np.random.Generator, metric: str) -> Outcomes:
        """Outcomes of every gate on `count` examples."""
        middle = norm.ppf(self.accuracy)
        margins = middle + generator.normal(size=count)
        shape = (len(self.effects), count)
        shared, own = generator.normal(size=count), generator.normal(size=shape)
        noise = np.sqrt(self.common) * shared + np.sqrt(1 - self.common) * own
        spread = np.sqrt(1 + self.noise**2)
        moved = norm.ppf(self.accuracy + self.effects)[:, None]
        gated = moved + (margins - middle + self.noise * noise) / spread
        labels = (generator.random(count) < self.positive).astype(float)
        table = pd.DataFrame(index=range(len(self.effects)))
        right = (np.where(margin > 0, labels, 1 - labels) for margin in (margins, gated))
        return Outcomes(table, metric, labels, *right)


@cache
def true_effects(gates: Gates, metric: str) -> Float[np.ndarray, " gate"]:
    """The true effect of each gate in a metric; of others than accuracy in very many examples."""
    if metric == "accuracy":
        return gates.effects
    found = gates.draw(LARGE, np.random.default_rng(0), metric)
    return found.after - found.before


def scores(
    count: int, generator: np.random.Generator, error: float = 0.5, worse: float = 0.2
) -> Outcomes:
    """Scores with every head on, and with one off that adds an error of its own."""
    labels, noise, own = generator.normal(size=(3, count))
    before = labels + error * noise
    table = pd.DataFrame(index=range(1))
    return Outcomes(table, "spearman", labels, before, (before + worse * own)[None])


def correlation_lost(error: float = 0.5, worse: float = 0.2) -> float:
    """What Spearman's correlation of `scores` truly loses, by that of normal variables."""
    before, after = (1 / np.sqrt(1 + part) for part in (error**2, error**2 + worse**2))
    return float(6 / np.pi * (np.arcsin(after / 2) - np.arcsin(before / 2)))


def cases(
    sizes: Sequence[int] | Int[np.ndarray, " group"],
    shares: Float[np.ndarray, " candidate"],
    alike: float,
    generator: np.random.Generator,
) -> tuple[Float[np.ndarray, "case candidate"], Int[np.ndarray, " case"]]:
    """Cases that candidates get right or wrong, those of one text more alike than others.

    Args:
        sizes: cases of each text.
        shares: that each candidate truly gets right.
        alike: share of the variance that is the text's.

    Returns:
        1 or 0 of each case and candidate, and the number of the text of each case.
    """
    groups = np.repeat(np.arange(len(sizes)), sizes)
    of_texts = generator.normal(size=(len(sizes), len(shares)))[groups]
    own = generator.normal(size=of_texts.shape)
    hidden = np.sqrt(alike) * of_texts + np.sqrt(1 - alike) * own
    return (hidden < norm.ppf(shares)).astype(float), groups
