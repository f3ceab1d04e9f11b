"""The best head, unions of the best heads, and how these lie in each other, all held out.

One half of the groups of texts chooses, the other is scored, both ways and over several divisions;
each resample of the groups chooses anew.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
from jaxtyping import Float, Int

from stages.boundaries.segments import Marked
from stages.boundaries.tables import ACCURACY, F1
from stages.core.intervals.groups import Resampled, line_weights
from stages.core.intervals.held_out import Half, cross_fitted, of_best, with_intervals


@dataclass(frozen=True)
class Ratios:
    """A score of each reader as a ratio of two sums over the groups."""

    above: Float[np.ndarray, "reader group"]
    below: Float[np.ndarray, "reader group"]

    @property
    def best(self) -> int:
        """The reader with the highest score on all groups."""
        return int((self.above.sum(1) / self.below.sum(1)).argmax())

    def sums_on(self, half: Half) -> Float[np.ndarray, "sum line reader"]:
        """Both sums on each line of a half."""
        return np.stack([half.sums(self.above), half.sums(self.below)])

    def on(self, half: Half) -> Float[np.ndarray, "line reader"]:
        """The score on each line of a half."""
        above, below = self.sums_on(half)
        return above / below


def ratios(marked: Marked) -> dict[str, Ratios]:
    """Each score of all readers: accuracy over positions, and F1 over words.

    F1 is twice the words found over the sum of words marked and words there are.
    """
    return {
        ACCURACY: Ratios(marked.hits, np.broadcast_to(marked.cases, marked.hits.shape)),
        F1: Ratios(2 * marked.words_found, marked.stretches + marked.words),
    }


def with_rival(
    own: Float[np.ndarray, " line"], rival: Float[np.ndarray, " line"], groups: int
) -> Resampled:
    """Value, rival and gain of the data (first in the lines) with intervals of the resamples."""
    return with_intervals(np.stack([own, rival, own - rival]), groups)


def best_reader(
    readers: Ratios, rivals: Ratios, resamples: int, seed: int
) -> tuple[Resampled, bool]:
    """The score of the best reader beside that of the best rival, both chosen on the other half.

    Returns:
        Both with their difference, and whether every half chose the same reader.
    """
    count = readers.above.shape[1]
    lines = line_weights(count, resamples, seed)
    ((above, below), same), ((rival_above, rival_below), _) = (
        of_best(table.on, table.sums_on, lines, seed) for table in (readers, rivals)
    )
    return with_rival(above / below, rival_above / rival_below, count), same


def random_union(marked: Marked, size: int) -> Float[np.ndarray, " group"]:
    """Positions that at least one of `size` heads drawn at random has right, expected over draws.

    Of H heads of which w are wrong at a position, the first one drawn is wrong with a probability
    of w / H, the second then with one of (w - 1) / (H - 1), and so on.
    """
    heads = len(marked.right)
    wrong = heads - marked.right.sum(0)
    all_wrong = np.prod([(wrong - taken) / (heads - taken) for taken in range(size)], axis=0)
    return marked.summed(1 - all_wrong)


def union(marked: Marked, heads: tuple[int, ...]) -> Float[np.ndarray, " group"]:
    """Positions that at least one of some heads has right."""
    return marked.summed(np.logical_or.reduce(marked.right[list(heads)]))


def best_union(marked: Marked, size: int, resamples: int, seed: int) -> Resampled:
    """The union of the heads with most positions right, beside the union of random heads."""
    at_random = random_union(marked, size)[None]

    @cache
    def of(heads: tuple[int, ...]) -> Float[np.ndarray, " group"]:
        return union(marked, heads)

    def sums(choosing: Half, scored: Half) -> Float[np.ndarray, "measure line"]:
        own = np.empty(len(choosing.weights))
        for heads, lines in _sets(best_places(choosing.sums(marked.hits), size)):
            own[lines] = scored.weights[lines] @ of(heads)[scored.members]
        rest = (scored.sums(table)[:, 0] for table in (at_random, marked.cases[None]))
        return np.stack([own, *rest])

    lines = line_weights(marked.groups, resamples, seed)
    own, rival, cases = cross_fitted(sums, lines, seed)
    return with_rival(own / cases, rival / cases, marked.groups)


@dataclass(frozen=True)
class Nested:
    """How two heads cut text: sums over groups, of the coarser and the finer one."""

    marked: Marked
    coarser: int
    finer: int

    def shares(
        self, weigh: Callable[[Float[np.ndarray, " group"]], Float[np.ndarray, " line"]]
    ) -> Float[np.ndarray, "measure line"]:
        """The share of the coarser's stretches made of whole ones of the finer, and by chance.

        By chance the finer marks an end at any position as often as it does over all; a stretch has
        none, one or two ends within a run.

        Args:
            weigh: sums what is given for each group.
        """
        marked, coarser, finer = self.marked, self.coarser, self.finer
        runs, cut, marks = (
            weigh(part) for part in (marked.runs, marked.cut_runs[coarser], marked.marked[coarser])
        )
        rate = weigh(marked.marked[finer]) / weigh(marked.cases)
        stretches = runs + marks
        by_chance = (runs - cut) + 2 * cut * rate + (marks - cut) * rate**2
        return np.stack([weigh(marked.made_of(coarser, finer)), by_chance]) / stretches


def nested_heads(marked: Marked, size: int, resamples: int, seed: int) -> Resampled:
    """How far the best heads lie in each other, mean over their pairs, beside chance.

    Of two heads the coarser is the one that marks fewer ends on the half that chooses.
    """

    def shares(choosing: Half, scored: Half) -> Float[np.ndarray, "measure line"]:
        total = np.zeros((2, len(choosing.weights)))
        best = best_places(choosing.sums(marked.hits), size)
        marks = np.take_along_axis(choosing.sums(marked.marked), best, axis=1)
        ordered = np.take_along_axis(best, np.argsort(marks, axis=1, kind="stable"), axis=1)
        pairs = list(combinations(range(size), 2))
        for one, other in pairs:
            for (coarser, finer), lines in _sets(ordered[:, [one, other]], ordered=True):
                weights = scored.weights[lines]
                total[:, lines] += Nested(marked, coarser, finer).shares(
                    lambda values, weights=weights: weights @ values[scored.members]
                )
        return total / len(pairs)

    lines = line_weights(marked.groups, resamples, seed)
    own, rival = cross_fitted(shares, lines, seed)
    return with_rival(own, rival, marked.groups)


def best_places(
    votes: Float[np.ndarray, "*line head"], size: int
) -> Int[np.ndarray, "*line chosen"]:
    """The heads with most votes, best first; of equal ones the lower."""
    return np.argsort(-votes, axis=-1, kind="stable")[..., :size]


def _sets(
    picks: Int[np.ndarray, "line chosen"], ordered: bool = False
) -> Iterator[tuple[tuple[int, ...], Int[np.ndarray, " own"]]]:
    """Each set of heads that was picked, with the lines that picked it.

    Args:
        ordered: whether another order is another set.
    """
    keys = picks if ordered else np.sort(picks, axis=1)
    sets, place = np.unique(keys, axis=0, return_inverse=True)
    for number, heads in enumerate(sets):
        yield tuple(heads.tolist()), np.flatnonzero(place.ravel() == number)
