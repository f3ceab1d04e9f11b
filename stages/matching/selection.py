"""The heads that match, and candidates for the head that reads, selected on training examples.

The score of a head is its attention to the equal term beyond chance: the smaller of two values, one
for each kind of chance (`stages.matching.terms`). A head is beyond chance if both values are, at
95% over all tested heads (one-sided, Bonferroni), by the normal approximation of a mean.
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
# Means over the data, then over each resample.
Lines = Float[np.ndarray, "line layer head"]
ROUNDING = 1e-6  # less than this of a share is rounding
BOTH_CHANCES = ("place", "key")
# A [CLS] row is on shared terms if they have more of it than other terms and than tokens at large.
ON_SHARED = ("beyond_terms", "beyond_even")


class SelectedHeads(NamedTuple):
    """The selected heads: the strongest of the lower half, and those of them beyond chance.

    `others` are all other heads of the lower half, `upper` the strongest of the upper half.
    `candidates` are heads of the upper half whose [CLS] row lies on shared terms.
    """

    strongest: list[Head]
    matching: list[Head]
    others: list[Head]
    upper: list[Head]
    candidates: list[Head]


def plane_of(figures: Figures, name: str) -> Float[np.ndarray, "example layer head"]:
    """One of the figures."""
    return figures[PLANES.index(name)]


def means_over_cases(
    figures: Float[np.ndarray, "example layer head"],
) -> Float[np.ndarray, "layer head"]:
    """The mean over the examples that have a case; NaN where none has."""
    known = ~np.isnan(figures)
    with np.errstate(invalid="ignore"):
        return np.where(known, figures, 0.0).sum(0, dtype=float) / known.sum(0)


def scores_beyond_chance(figures: Figures) -> Float[np.ndarray, "layer head"]:
    """The attention of each head to the equal term, beyond both kinds of chance."""
    return np.minimum(*(means_over_cases(plane_of(figures, name)) for name in BOTH_CHANCES))


def heads_beyond_chance(
    figures: Figures, names: Sequence[str], tested: int
) -> Bool[np.ndarray, "layer head"]:
    """Whether each head has all of these figures above 0, corrected for the number of heads."""
    bound = scipy.stats.norm.isf((1 - LEVEL) / tested)
    beyond = np.ones(figures.shape[2:], dtype=bool)
    for name in names:
        values = plane_of(figures, name)
        count = (~np.isnan(values)).sum(0)
        mean = means_over_cases(values)
        with np.errstate(invalid="ignore", divide="ignore"):
            error = np.sqrt(means_over_cases((values - mean) ** 2) / (count - 1))
            beyond &= mean > np.maximum(bound * error, ROUNDING)
    return beyond


def select_heads(figures: Figures, share: float, reading_share: float) -> SelectedHeads:
    """Select heads by the figures of training examples.

    Args:
        share: the largest share of all heads that may match, rounded up.
        reading_share: the share of the upper half's heads that may be candidates, rounded up.
    """
    layers, heads = figures.shape[2:]
    halves = bands(layers)
    lower, upper = (
        [(layer, head) for layer in halves[half] for head in range(heads)]
        for half in ("lower", "upper")
    )
    of_heads = scores_beyond_chance(figures)
    count = math.ceil(share * layers * heads)
    strongest = heads_with_largest(of_heads, lower, count)
    beyond = heads_beyond_chance(figures, BOTH_CHANCES, max(len(lower), 1))
    matching = [head for head in strongest if beyond[head]]
    read = heads_beyond_chance(figures, ON_SHARED, len(upper))
    on_terms = means_over_cases(plane_of(figures, ON_SHARED[0]))
    most = heads_with_largest(on_terms, upper, math.ceil(reading_share * len(upper)))
    return SelectedHeads(
        strongest,
        matching,
        [head for head in lower if head not in matching],
        heads_with_largest(of_heads, upper, count),
        [head for head in most if read[head]],
    )


def heads_with_largest(
    values: Float[np.ndarray, "layer head"], among: list[Head], count: int
) -> list[Head]:
    """The heads with the largest values, largest first."""
    return sorted(among, key=lambda head: -values[head])[:count]


def random_like(heads: Iterable[Head], of_layer: int, draw: int, seed: int) -> tuple[Head, ...]:
    """Random other heads of the same layers, the same number in each.

    Args:
        of_layer: the number of heads in a layer; if too few others are left, all may be drawn.
    """
    generator = np.random.default_rng([seed, 3, draw])
    drawn: list[Head] = []
    heads = list(heads)
    for layer in sorted({layer for layer, _ in heads}):
        taken = [head for at, head in heads if at == layer]
        others = [head for head in range(of_layer) if head not in taken]
        pool = others if len(others) >= len(taken) else list(range(of_layer))
        picked = generator.choice(pool, len(taken), replace=False)
        drawn += [(layer, int(head)) for head in sorted(picked)]
    return tuple(drawn)


def resampled(figures: Figures, resamples: int, seed: int) -> dict[str, Lines]:
    """The mean of each figure, and the score, of every head: of the data, then of each resample.

    Models with the same number of examples get the same resamples.
    """
    count = figures.shape[1]
    weights = line_weights(count, resamples, seed)
    lines = {}
    for name in PLANES:
        values = plane_of(figures, name).reshape(count, -1)
        known = ~np.isnan(values)
        with np.errstate(invalid="ignore", divide="ignore"):
            line = (weights @ np.where(known, values, 0.0)) / (weights @ known.astype(float))
        lines[name] = line.reshape(len(weights), *figures.shape[2:])
    return lines | {"score": np.minimum(*(lines[name] for name in BOTH_CHANCES))}
