"""Which heads match, and which head reads: chosen on training examples, by scores.

The score of a head is the smaller of what it gives to the equal term beyond the two kinds of chance
(`stages.matching.terms`). It is beyond chance where both are, at 95% over all heads that are asked
(one-sided, Bonferroni), by the normal approximation of a mean over examples.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import scipy  # whose submodules load when they are first used
from jaxtyping import Bool, Float

from stages.core.heads.gates import Head, bands
from stages.core.intervals.groups import line_weights
from stages.core.intervals.intervals import LEVEL
from stages.matching.terms import PLANES

Figures = Float[np.ndarray, "plane example layer head"]
# Of every head, of the data and then of its resamples.
Lines = Float[np.ndarray, "line layer head"]
ROUNDING = 1e-6  # less than this of a share is rounding
BOTH_CHANCES = ("place", "key")
# A [CLS] row is on shared terms if they have more of it than other terms and than tokens at large.
ON_SHARED = ("beyond_terms", "beyond_even")


class Chosen(NamedTuple):
    """Heads that match: the strongest of the lower half, and those of them beyond chance.

    `others` are all of the lower half that are not among these, `upper` the strongest of the upper
    half; `candidates` are heads of the upper half whose [CLS] row lies on shared terms.
    """

    strongest: list[Head]
    matching: list[Head]
    others: list[Head]
    upper: list[Head]
    candidates: list[Head]


def plane(figures: Figures, name: str) -> Float[np.ndarray, "example layer head"]:
    """One of the figures."""
    return figures[PLANES.index(name)]


def means(figures: Float[np.ndarray, "example layer head"]) -> Float[np.ndarray, "layer head"]:
    """The mean over the examples that have a case; NaN where none has."""
    known = ~np.isnan(figures)
    with np.errstate(invalid="ignore"):
        return np.where(known, figures, 0.0).sum(0, dtype=float) / known.sum(0)


def scores(figures: Figures) -> Float[np.ndarray, "layer head"]:
    """What each head gives to the equal term beyond chance."""
    return np.minimum(*(means(plane(figures, name)) for name in BOTH_CHANCES))


def beyond_chance(
    figures: Figures, names: Sequence[str], asked: int
) -> Bool[np.ndarray, "layer head"]:
    """Which heads have all of these figures above 0, where so many heads are asked."""
    bound = scipy.stats.norm.isf((1 - LEVEL) / asked)
    found = np.ones(figures.shape[2:], dtype=bool)
    for name in names:
        own = plane(figures, name)
        count = (~np.isnan(own)).sum(0)
        mean = means(own)
        with np.errstate(invalid="ignore", divide="ignore"):
            error = np.sqrt(means((own - mean) ** 2) / (count - 1))
            found &= mean > np.maximum(bound * error, ROUNDING)
    return found


def choose(figures: Figures, share: float, reading_share: float) -> Chosen:
    """Choose by figures of training examples.

    Args:
        share: of all heads, rounded up: so many match, at most.
        reading_share: of the heads of the upper half, rounded up, that may be the one that reads.
    """
    layers, heads = figures.shape[2:]
    halves = bands(layers)
    lower, upper = (
        [(layer, head) for layer in halves[half] for head in range(heads)]
        for half in ("lower", "upper")
    )
    found = scores(figures)
    count = math.ceil(share * layers * heads)
    strongest = largest(found, lower, count)
    beyond = beyond_chance(figures, BOTH_CHANCES, max(len(lower), 1))
    matching = [head for head in strongest if beyond[head]]
    read = beyond_chance(figures, ON_SHARED, len(upper))
    on_terms = means(plane(figures, ON_SHARED[0]))
    most = largest(on_terms, upper, math.ceil(reading_share * len(upper)))
    return Chosen(
        strongest,
        matching,
        [head for head in lower if head not in matching],
        largest(found, upper, count),
        [head for head in most if read[head]],
    )


def largest(values: Float[np.ndarray, "layer head"], among: list[Head], count: int) -> list[Head]:
    """The heads with the largest values, largest first."""
    return sorted(among, key=lambda head: -values[head])[:count]


def random_like(heads: Iterable[Head], of_layer: int, draw: int, seed: int) -> tuple[Head, ...]:
    """As many other heads of the same layers, drawn.

    Args:
        of_layer: how many heads a layer has; where too few are left, any of them are drawn.
    """
    generator = np.random.default_rng([seed, 3, draw])
    drawn: list[Head] = []
    heads = list(heads)
    for layer in sorted({layer for layer, _ in heads}):
        own = [head for at, head in heads if at == layer]
        others = [head for head in range(of_layer) if head not in own]
        pool = others if len(others) >= len(own) else list(range(of_layer))
        picked = generator.choice(pool, len(own), replace=False)
        drawn += [(layer, int(head)) for head in sorted(picked)]
    return tuple(drawn)


def resampled(figures: Figures, resamples: int, seed: int) -> dict[str, Lines]:
    """The mean of each figure, and the score, of every head: the data's, then resamples'.

    Examples are drawn alike for every encoder that reads as many.
    """
    count = figures.shape[1]
    weights = line_weights(count, resamples, seed)
    found = {}
    for name in PLANES:
        own = plane(figures, name).reshape(count, -1)
        known = ~np.isnan(own)
        with np.errstate(invalid="ignore", divide="ignore"):
            line = (weights @ np.where(known, own, 0.0)) / (weights @ known.astype(float))
        found[name] = line.reshape(len(weights), *figures.shape[2:])
    return found | {"score": np.minimum(*(found[name] for name in BOTH_CHANCES))}
