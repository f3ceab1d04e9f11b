"""Heads that follow the order of words, for any words (query-title study, 2.3).

The measure is the attention from units of the second text to the unit before and to the unit
behind. The exchanged text gives a unit another neighbour. A head that follows positions attends to
the new neighbour; a head that follows contents attends to the former one, at its new position. Only
units count whose neighbour on that side has another content than before.

A head's score is its attention to the neighbour by position, the smaller of that in the intact and
in the exchanged text, minus its attention to the former neighbour in the exchanged text. It is 1
for positions alone, -1 for contents alone, and 0 if positions make no difference.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from jaxtyping import Bool, Float, Int
from torch import Tensor
from tqdm import tqdm

from stages.core.encoder.batches import Batch
from stages.core.fan_out import in_order
from stages.core.heads.layer_maps import layer_maps
from stages.core.heads.seam import Gated
from stages.core.maps.words import from_words, membership
from stages.core.runtime.runtime import Runtime
from stages.word_order.shuffles import ShuffledPairs

DIRECTIONS = {"previous": -1, "next": 1}
# Attention of units: to the neighbour in the intact text; in the exchanged text to the neighbour by
# position, and to the former neighbour.
INTACT, BY_POSITION, FORMER = range(3)
Given = Float[np.ndarray, "3 direction pair head"]


@dataclass(frozen=True)
class NeighbourCases:
    """Units that have another neighbour on one side than before, as numbers of units."""

    asking: Int[np.ndarray, " case"]
    by_position: Int[np.ndarray, " case"]
    former: Int[np.ndarray, " case"]


def neighbour_cases(order: list[int], contents: list[int], step: int) -> NeighbourCases:
    """The cases of one pair.

    Args:
        order: the units in the order of the exchanged text.
        contents: equal numbers for equal units.
        step: -1 for the unit before, 1 for the unit behind.
    """
    count = len(order)
    cases = []
    for position, unit in enumerate(order):
        if not (0 <= unit + step < count and 0 <= position + step < count):
            continue
        new, former = order[position + step], unit + step
        if contents[new] != contents[former]:
            cases.append((unit, new, former))
    return NeighbourCases(*np.array(cases, dtype=int).reshape(-1, 3).T)


def attention_given(gated: Gated, shuffled: ShuffledPairs, batch: int, runtime: Runtime) -> Given:
    """The attention of each pair's units to their neighbours, mean over cases; NaN without a case.

    Heads stand in the order of layers.
    """
    pairs, heads = len(shuffled.rows), gated.layers * gated.heads
    given = np.full((3, len(DIRECTIONS), pairs, heads), np.nan, dtype=np.float32)
    batches = list(shuffled.intact.batches(batch))
    of_batches = in_order(partial(_given_by_batch, shuffled), gated, batches, runtime)
    progress = tqdm(of_batches, desc="order heads", total=len(batches))
    for texts, of_texts in zip(batches, progress, strict=True):
        given[:, :, texts.rows] = of_texts
    return given


def _given_by_batch(shuffled: ShuffledPairs, gated: Gated, texts: Batch) -> Given:
    """As `attention_given`, of the pairs of one batch."""
    exchanged = shuffled.exchanged.batch(texts.rows)
    shape = (3, len(DIRECTIONS), len(texts.rows), gated.layers * gated.heads)
    given = np.full(shape, np.nan, dtype=np.float32)
    cases = [
        [neighbour_cases(shuffled.orders[row], shuffled.contents[row], step) for row in texts.rows]
        for step in DIRECTIONS.values()
    ]
    layers = zip(
        *(
            _between_units(gated, inputs, [units[row] for row in texts.rows])
            for inputs, units in (
                (texts.inputs, shuffled.units),
                (exchanged.inputs, shuffled.exchanged_units),
            )
        ),
        strict=True,
    )
    for layer, (before, after) in enumerate(layers):
        heads = slice(layer * gated.heads, (layer + 1) * gated.heads)
        for side, of_pairs in enumerate(cases):
            for pair, known in enumerate(of_pairs):
                if len(known.asking):
                    given[:, side, pair, heads] = given_by_cases(before[pair], after[pair], known)
    return given


def given_by_cases(
    before: Float[Tensor, "head unit unit"],
    after: Float[Tensor, "head unit unit"],
    cases: NeighbourCases,
) -> Float[np.ndarray, "3 head"]:
    """The attention in the intact and in the exchanged text, mean over cases."""
    return np.stack(
        [
            between[:, cases.asking, goals].mean(1).cpu().numpy()
            for between, goals in (
                (before, cases.former),
                (after, cases.by_position),
                (after, cases.former),
            )
        ]
    )


def _between_units(
    gated: Gated, inputs: dict[str, Tensor], units: list[list[int]]
) -> Iterator[Float[Tensor, "pair head unit unit"]]:
    """Attention between units, layer by layer: from the mean of their tokens to the sum."""
    device = gated.model.device
    inputs = {name: ids.to(device) for name, ids in inputs.items()}
    members = membership(units, inputs["input_ids"].shape[1], device)
    for maps in layer_maps(gated, inputs):
        to_units = maps[:, None] @ members.mT[:, None, None]
        yield from_words(to_units, members)[:, 0]


def order_scores(
    given: Given, weights: Float[np.ndarray, "line pair"]
) -> Float[np.ndarray, "line direction head"]:
    """The score of every head in both directions, for each line of weights of the pairs."""
    known = ~np.isnan(given[INTACT, :, :, :1])
    counts = np.einsum("lp,dph->ldh", weights, known)
    filled = np.where(known, given, 0).astype(float)
    sums = np.stack([np.tensordot(weights, values, (1, 1)) for values in filled])
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums / counts
    return np.minimum(means[INTACT], means[BY_POSITION]) - means[FORMER]


def mean_attention(given: Given) -> Float[np.ndarray, "3 direction head"]:
    """The attention of units, mean over pairs."""
    return np.nanmean(given.astype(float), axis=2)


def ordered_heads(
    of_heads: Float[np.ndarray, "line direction head"], count: int
) -> tuple[Int[np.ndarray, "line {count}"], Int[np.ndarray, "line {count}"]]:
    """The heads of the highest scores, the highest first, and the direction of each."""
    best = of_heads.max(axis=1)
    heads = np.argsort(-best, axis=1, kind="stable")[:, :count]
    lines = np.arange(len(of_heads))[:, None]
    return heads, of_heads.argmax(axis=1)[lines, heads]


@dataclass(frozen=True)
class OrderHeads:
    """The heads with the highest scores on the pairs that select, scored on other pairs.

    Attributes:
        heads, directions: the selected ones, best first; directions are indices of `DIRECTIONS`.
        lines: their mean score on the other pairs: of the data, then of resamples.
        every: the score of every head on the other pairs, in the direction selected for it.
        every_direction: that direction.
    """

    heads: Int[np.ndarray, " selected"]
    directions: Int[np.ndarray, " selected"]
    lines: Float[np.ndarray, " line"]
    every: Float[np.ndarray, "line head"]
    every_direction: Int[np.ndarray, " head"]

    def selected(self, count: int) -> Bool[np.ndarray, " {count}"]:
        """Whether each head is selected."""
        return np.isin(np.arange(count), self.heads)


def select_order_heads(
    selecting: Given,
    scoring: Given,
    count: int,
    weights: tuple[Float[np.ndarray, "line one"], Float[np.ndarray, "line other"]],
) -> OrderHeads:
    """Select heads on some pairs and score them on others; each line of weights selects anew.

    Args:
        count: of selected heads.
        weights: of the pairs that select and of those that score; the first line is the data's.
    """
    votes, marks = order_scores(selecting, weights[0]), order_scores(scoring, weights[1])
    heads, directions = ordered_heads(votes, count)
    lines = np.arange(len(votes))[:, None]
    of_selected = marks[lines, directions, heads].mean(1)
    better = votes[0].argmax(0)
    every = marks[:, better, np.arange(marks.shape[2])]
    return OrderHeads(heads[0], directions[0], of_selected, every, better)
