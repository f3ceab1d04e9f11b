"""Order heads off, and random heads of the same layers, on intact and on shuffled pairs."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from stages.core.encoder.batches import Encoded
from stages.core.heads.gates import Gate, Head
from stages.word_order.grades import Outcomes
from stages.word_order.shuffles import Shuffled

# Grades of pairs with every head on, and under each gate; called with a name of its own.
Run = Callable[
    [str, list[Gate], Encoded], tuple[Float[np.ndarray, " pair"], Float[np.ndarray, "gate pair"]]
]


def count_of(share: float, heads: int) -> int:
    """A share of all heads, rounded up."""
    return math.ceil(round(share * heads, 9))


def random_gates(
    order_heads: Sequence[Head], heads: int, draws: Sequence[int], seed: int
) -> Iterator[Gate]:
    """For each draw, as many other heads of the same layers as there are order heads in each.

    A layer that has too few others gives some of its order heads beside all of these.

    Args:
        heads: of a layer.
        draws: their numbers, each of which has a stream of its own.
    """
    for draw in draws:
        generator = np.random.default_rng([seed, draw])
        drawn: list[Head] = []
        for layer in sorted({layer for layer, _ in order_heads}):
            own = [head for of, head in order_heads if of == layer]
            others = [head for head in range(heads) if head not in own]
            for some in (others, own):
                generator.shuffle(some)
            drawn += [(layer, head) for head in sorted((others + own)[: len(own)])]
        yield Gate("zero", tuple(drawn), "random", "layers of order heads", draw=draw)


def shared_out(count: int, places: Sequence[int], place: int) -> list[int]:
    """The draws that fall to one of several seeds: every so manieth of `count`, one at least."""
    return list(range(places.index(place), max(count, len(places)), len(places)))


def blocks_of(pairs: int, size: int, draws: int, seed: int) -> list[Int[np.ndarray, " some"]]:
    """All pairs in random blocks of at most `size`, but no more blocks than there are draws."""
    blocks = min(math.ceil(pairs / size), draws)
    order = np.random.default_rng([seed, 2]).permutation(pairs)
    return [np.sort(block) for block in np.array_split(order, blocks)]


@dataclass(frozen=True)
class Gates:
    """What is turned off: the order heads, and as many random heads in draws of these numbers.

    Each draw runs on `size` pairs or fewer, if there are draws enough for all pairs.
    """

    order_heads: Sequence[Head]
    draws: Sequence[int]
    size: int
    seed: int


def outcomes_under(
    gates: Gates,
    run: Run,
    pairs: Shuffled,
    heads: int,
    known: dict[tuple, tuple[np.ndarray, np.ndarray]],
) -> Outcomes:
    """Grades of the pairs under every condition.

    Args:
        heads: of a layer.
        known: grades of intact pairs with these order heads, from other units; is added to.
    """
    order = Gate("zero", tuple(sorted(gates.order_heads)), "order")
    drawn = list(random_gates(order.heads, heads, gates.draws, gates.seed))
    count = len(pairs.kept)
    blocks = blocks_of(count, gates.size, len(drawn), gates.seed)
    shuffled, shuffled_off = np.empty((2, count))
    random = np.full((len(drawn), count), np.nan)
    for number, rows in enumerate(blocks):
        members = np.arange(number, len(drawn), len(blocks))
        some = [order, *(drawn[draw] for draw in members)]
        shuffled[rows], after = run(f"shuffled-{number}", some, pairs.only(rows).exchanged)
        shuffled_off[rows], random[np.ix_(members, rows)] = after[0], after[1:]
    # Words and pieces often have the same order heads.
    same = (order.heads, tuple(pairs.kept.tolist()))
    if same not in known:
        before, (after,) = run("intact", [order], pairs.intact)
        known[same] = before, after
    intact, intact_off = known[same]
    return Outcomes(intact, intact_off, shuffled, shuffled_off, random)
