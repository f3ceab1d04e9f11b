"""Order heads off, and random heads of the same layers, on intact and on shuffled pairs."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from jaxtyping import Float, Int

from stages.core.encoder.batches import Batch, Encoded
from stages.core.grid.grid import Grid
from stages.core.heads.gates import Gate, Head
from stages.core.heads.seam import Gated
from stages.core.pieces import digest_of, open_pieces, run_pieces
from stages.core.runtime.runtime import Runtime
from stages.word_order.grades import Outcomes
from stages.word_order.shuffles import Shuffled


@dataclass(frozen=True)
class Asked:
    """Some pairs, to be graded with every head on and under each gate; the name is theirs alone."""

    name: str
    gates: list[Gate]
    pairs: Encoded


Graded = tuple[Float[np.ndarray, " pair"], Float[np.ndarray, "gate pair"]]
Run = Callable[[list[Asked]], list[Graded]]


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
    members = [np.arange(number, len(drawn), len(blocks)) for number in range(len(blocks))]
    asked = [
        Asked(
            f"shuffled-{number}",
            [order, *(drawn[draw] for draw in own)],
            pairs.only(rows).exchanged,
        )
        for number, (rows, own) in enumerate(zip(blocks, members, strict=True))
    ]
    # Words and pieces often have the same order heads.
    same = (order.heads, tuple(pairs.kept.tolist()))
    if same not in known:
        asked.append(Asked("intact", [order], pairs.intact))
    graded = run(asked)
    shuffled, shuffled_off = np.empty((2, count))
    random = np.full((len(drawn), count), np.nan)
    for rows, own, (before, after) in zip(blocks, members, graded[: len(blocks)], strict=True):
        shuffled[rows], shuffled_off[rows] = before, after[0]
        random[np.ix_(own, rows)] = after[1:]
    if same not in known:
        before, (after,) = graded[-1]
        known[same] = before, after
    intact, intact_off = known[same]
    return Outcomes(intact, intact_off, shuffled, shuffled_off, random)


def logits_under(
    gated: Gated, asked: Sequence[Asked], batch: int, runtime: Runtime, run: Path, model: Path
) -> Iterator[tuple[Float[np.ndarray, "pair output"], Float[np.ndarray, "gate pair output"]]]:
    """Yield for each of `asked` the logits with every head on, and under each gate.

    The batches of all of them are run side by side: few pairs are asked at a time, in batches of
    unlike sizes, and cores would wait for the last one.

    Args:
        batch: pairs that go through together.
        runtime, run, model: as `run_gates` has them.
    """
    batches = [list(one.pairs.batches(batch)) for one in asked]
    jobs = {
        f"{one.name}-{number}": (part, _different(one.gates))
        for one, parts in zip(asked, batches, strict=True)
        for number, part in enumerate(parts)
    }
    identity = [
        batch,
        [(one.name, list(map(_heads_off, one.gates)), digest_of(one.pairs)) for one in asked],
    ]
    pieces = run_pieces(
        _run_piece, gated, jobs, runtime, open_pieces(run, identity, model, __name__, runtime)
    )
    for one, parts in zip(asked, batches, strict=True):
        before, after = zip(*islice(pieces, len(parts)), strict=True)
        back = np.argsort(np.concatenate([part.rows for part in parts]))
        different = [_heads_off(gate) for gate in _different(one.gates)]
        every_gate = [different.index(_heads_off(gate)) for gate in one.gates]
        yield np.concatenate(before)[back], np.concatenate(after, axis=1)[every_gate][:, back]


def _different(gates: list[Gate]) -> list[Gate]:
    """Gates that ablate other heads than those before them: few heads are often drawn twice."""
    first: dict[tuple, Gate] = {}
    for gate in gates:
        first.setdefault(_heads_off(gate), gate)
    return list(first.values())


def _heads_off(gate: Gate) -> tuple[str, tuple[Head, ...]]:
    return gate.mode, tuple(sorted(set(gate.heads)))


def _run_piece(
    gated: Gated, piece: tuple[Batch, list[Gate]]
) -> tuple[Float[np.ndarray, "pair output"], Float[np.ndarray, "gate pair output"]]:
    batch, gates = piece
    return Grid(gated, gates).run(batch)
