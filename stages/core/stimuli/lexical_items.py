"""Bootstraps that draw lexical items: a few words make thousands of sentences.

A sentence has several items, its nouns, and each of these stands in many sentences. So each item
gets a weight, how often it is drawn, and a sentence the product of those of its items (the
pigeonhole bootstrap of Owen 2007). It is conservative: what an item and its partner have in common
counts more than once. With few items resamples vary too little, and `widened` makes up for it.
Simulated at the sizes of the default and of the release, 200 to 300 sentences of 12 to 54 items, it
covers 92% and more, with three items a sentence up to 99%.
"""

from collections.abc import Sequence

import numpy as np
import scipy  # whose submodules load when they are first used
from jaxtyping import Bool, Float, Int

from stages.core.intervals.groups import line_weights
from stages.core.intervals.held_out import divisions
from stages.core.intervals.intervals import LEVEL


def item_numbers(
    items: Sequence[Sequence[str]],
) -> tuple[list[str], list[Int[np.ndarray, " own"]]]:
    """All items, sorted, and for each sentence the places of its own, none twice."""
    names = sorted({item for own in items for item in own})
    places = {name: place for place, name in enumerate(names)}
    return names, [np.array(sorted({places[item] for item in own}), dtype=int) for own in items]


def sentence_weights(
    items: Sequence[Sequence[str]], resamples: int, seed: int
) -> Float[np.ndarray, "line sentence"]:
    """How much each sentence counts: 1 in the first line, in the others as its items were drawn.

    Sentences of the same items are drawn alike, whichever encoder reads them.
    """
    names, places = item_numbers(items)
    drawn = line_weights(len(names), resamples, seed)
    lines = np.empty((len(drawn), len(places)))
    for sentence, own in enumerate(places):
        lines[:, sentence] = drawn[:, own].prod(axis=1)
    return lines


def widened(
    lines: Float[np.ndarray, "*column line"], count: int
) -> Float[np.ndarray, "*column line"]:
    """Values and, behind the first, resamples, further from it as a t interval is wider.

    Args:
        count: of items.
    """
    tail = (1 - LEVEL) / 2
    factor = scipy.stats.t(max(count - 1, 1)).isf(tail) / scipy.stats.norm.isf(tail)
    return lines[..., :1] + np.where(np.arange(lines.shape[-1]), factor, 0) * (
        lines - lines[..., :1]
    )


def sentence_divisions(
    items: Sequence[Sequence[str]], seed: int
) -> Bool[np.ndarray, "way 2 sentence"]:
    """For each division of the items into halves, both ways: sentences that select and are scored.

    A sentence with items of both halves does neither.
    """
    names, places = item_numbers(items)
    return np.array(
        [
            [[bool(half[own].all()) for own in places] for half in way]
            for way in divisions(np.arange(len(names)), seed)
        ]
    )
