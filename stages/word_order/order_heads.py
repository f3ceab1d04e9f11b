"""Which heads follow the order of words, whatever the words are (query-title study, 2.3).

Every head is asked what the units of the second text give to the one before, and to the one behind.
In the exchanged text that is another one than in the intact text: a head that follows positions
attends to the new neighbour, one that follows contents to the former one, wherever it went. Only
units count whose neighbour on that side is another one, of another content, than before.

A head's score is what it gives to the neighbour by position, in the intact or in the exchanged
text, whichever is less, minus what it gives to the former neighbour in the exchanged text: 1 for
positions alone, -1 for contents alone, 0 where the place of a unit makes no difference.
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
from stages.word_order.shuffles import Shuffled

DIRECTIONS = {"previous": -1, "next": 1}
# What units give: to the neighbour in the intact text; in the exchanged text to the neighbour by
# position, and to the one that was the neighbour before.
INTACT, BY_POSITION, FORMER = range(3)
Given = Float[np.ndarray, "3 direction pair head"]


@dataclass(frozen=True)
class Cases:
    """Units that have another neighbour on one side than before: all of them numbers of units."""

    asking: Int[np.ndarray, " case"]
    by_position: Int[np.ndarray, " case"]
    former: Int[np.ndarray, " case"]


def cases_of(order: list[int], contents: list[int], step: int) -> Cases:
    """The cases of one pair.

    Args:
        order: which unit stands first in the exchanged text, second, and so on.
        contents: equal numbers for equal units.
        step: -1 for the unit before, 1 for the unit behind.
    """
    count = len(order)
    found = []
    for place, unit in enumerate(order):
        if not (0 <= unit + step < count and 0 <= place + step < count):
            continue
        new, former = order[place + step], unit + step
        if contents[new] != contents[former]:
            found.append((unit, new, former))
    return Cases(*np.array(found, dtype=int).reshape(-1, 3).T)


def attention_given(gated: Gated, shuffled: Shuffled, batch: int, runtime: Runtime) -> Given:
    """What units of each pair give their neighbours, mean over cases; NaN where there is none.

    Heads are those of the first layer, of the second, and so on.
    """
    pairs, heads = len(shuffled.kept), gated.layers * gated.heads
    given = np.full((3, len(DIRECTIONS), pairs, heads), np.nan, dtype=np.float32)
    parts = list(shuffled.intact.batches(batch))
    found = in_order(partial(_given_by_batch, shuffled), gated, parts, runtime)
    for part, own in zip(parts, tqdm(found, desc="order heads", total=len(parts)), strict=True):
        given[:, :, part.rows] = own
    return given


def _given_by_batch(shuffled: Shuffled, gated: Gated, part: Batch) -> Given:
    """What `attention_given` says of the pairs of one batch."""
    exchanged = shuffled.exchanged.batch(part.rows)
    shape = (3, len(DIRECTIONS), len(part.rows), gated.layers * gated.heads)
    given = np.full(shape, np.nan, dtype=np.float32)
    cases = [
        [cases_of(shuffled.orders[row], shuffled.contents[row], step) for row in part.rows]
        for step in DIRECTIONS.values()
    ]
    layers = zip(
        *(
            _between_units(gated, inputs, [units[row] for row in part.rows])
            for inputs, units in (
                (part.inputs, shuffled.units),
                (exchanged.inputs, shuffled.exchanged_units),
            )
        ),
        strict=True,
    )
    for layer, (before, after) in enumerate(layers):
        own = slice(layer * gated.heads, (layer + 1) * gated.heads)
        for side, of_pairs in enumerate(cases):
            for place, known in enumerate(of_pairs):
                if len(known.asking):
                    given[:, side, place, own] = given_by_cases(before[place], after[place], known)
    return given


def given_by_cases(
    before: Float[Tensor, "head unit unit"], after: Float[Tensor, "head unit unit"], cases: Cases
) -> Float[np.ndarray, "3 head"]:
    """Mean over cases of what is given in the intact and in the exchanged text, by unit."""
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
    parts = membership(units, inputs["input_ids"].shape[1], device)
    for maps in layer_maps(gated, inputs):
        to_units = maps[:, None] @ parts.mT[:, None, None]
        yield from_words(to_units, parts)[:, 0]


def scores(
    given: Given, weights: Float[np.ndarray, "line pair"]
) -> Float[np.ndarray, "line direction head"]:
    """The score of every head in either direction, of each weighting of the pairs."""
    known = ~np.isnan(given[INTACT, :, :, :1])
    counts = np.einsum("lp,dph->ldh", weights, known)
    filled = np.where(known, given, 0).astype(float)
    sums = np.stack([np.tensordot(weights, part, (1, 1)) for part in filled])
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums / counts
    return np.minimum(means[INTACT], means[BY_POSITION]) - means[FORMER]


def means(given: Given) -> Float[np.ndarray, "3 direction head"]:
    """What units give, mean over pairs."""
    return np.nanmean(given.astype(float), axis=2)


def ordered_heads(
    found: Float[np.ndarray, "line direction head"], count: int
) -> tuple[Int[np.ndarray, "line {count}"], Int[np.ndarray, "line {count}"]]:
    """The heads of the highest scores, the highest first, and the direction of each."""
    best = found.max(axis=1)
    heads = np.argsort(-best, axis=1, kind="stable")[:, :count]
    lines = np.arange(len(found))[:, None]
    return heads, found.argmax(axis=1)[lines, heads]


@dataclass(frozen=True)
class OrderHeads:
    """The heads with the highest scores on the pairs that choose, scored on others.

    Attributes:
        heads, directions: the chosen ones, best first; places in `DIRECTIONS`.
        lines: their mean score on the pairs that chose nothing: of the data, then of resamples.
        every: of every head the score on these pairs, in the direction that is better on those.
        every_direction: that direction.
    """

    heads: Int[np.ndarray, " chosen"]
    directions: Int[np.ndarray, " chosen"]
    lines: Float[np.ndarray, " line"]
    every: Float[np.ndarray, "line head"]
    every_direction: Int[np.ndarray, " head"]

    def chosen(self, count: int) -> Bool[np.ndarray, " {count}"]:
        """Which of all heads are among them."""
        return np.isin(np.arange(count), self.heads)


def find_heads(
    choosing: Given,
    scoring: Given,
    count: int,
    weights: tuple[Float[np.ndarray, "line one"], Float[np.ndarray, "line other"]],
) -> OrderHeads:
    """Choose heads on some pairs and score them on others; each line of weights chooses anew.

    Args:
        count: of heads that are chosen.
        weights: of the pairs that choose and of those that score; the first line is the data's.
    """
    votes, marks = scores(choosing, weights[0]), scores(scoring, weights[1])
    heads, directions = ordered_heads(votes, count)
    lines = np.arange(len(votes))[:, None]
    of_chosen = marks[lines, directions, heads].mean(1)
    better = votes[0].argmax(0)
    every = marks[:, better, np.arange(marks.shape[2])]
    return OrderHeads(heads[0], directions[0], of_chosen, every, better)
