"""Order heads off, and random heads of the same layers, on intact and on shuffled pairs."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float, Int
from tqdm import tqdm

from stages.core.encoder.batches import Batch, Encoded
from stages.core.fan_out import fan_out
from stages.core.grid.grid import Grid
from stages.core.heads.gates import Gate, Head
from stages.core.heads.seam import Gated
from stages.core.runtime.runtime import Runtime
from stages.core.stage.files import atomic
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


@dataclass(frozen=True)
class Piece:
    """A batch of the pairs that are asked, and the gates that differ."""

    batch: Batch
    gates: list[Gate]
    kept: Path


def logits_under(
    gated: Gated, asked: Sequence[Asked], batch: int, runtime: Runtime, run: Path
) -> Iterator[tuple[Float[np.ndarray, "pair output"], Float[np.ndarray, "gate pair output"]]]:
    """Yield for each of `asked` the logits with every head on, and under each gate.

    The batches of all of them are run side by side: few pairs are asked at a time, in batches of
    unlike sizes, and cores would wait for the last one.

    Args:
        batch: pairs that go through together.
        runtime: says where the batches run.
        run: folder, named by all that logits depend on, that keeps each finished batch for a
            later call.
    """
    pieces = [
        [
            Piece(part, _different(one.gates), run / f"{one.name}-{number}.npz")
            for number, part in enumerate(one.pairs.batches(batch))
        ]
        for one in asked
    ]
    every = [piece for own in pieces for piece in own]
    missing = [piece for piece in every if not piece.kept.exists()]
    done = len(every) - len(missing)
    with tqdm(total=len(every), initial=done, desc="heads off") as bar:
        for piece, (before, after) in fan_out(_run_piece, gated, missing, runtime):
            with atomic(piece.kept) as partial, open(partial, "wb") as stream:
                np.savez(stream, before=before, after=after)
            bar.update()
    for one, own in zip(asked, pieces, strict=True):
        before, after = [], []
        for piece in own:
            with np.load(piece.kept) as kept:
                before.append(kept["before"])
                after.append(kept["after"])
        back = np.argsort(np.concatenate([piece.batch.rows for piece in own]))
        different = [_turned_off(gate) for gate in own[0].gates]
        every_gate = [different.index(_turned_off(gate)) for gate in one.gates]
        yield np.concatenate(before)[back], np.concatenate(after, axis=1)[every_gate][:, back]


def _different(gates: list[Gate]) -> list[Gate]:
    """Gates that turn other heads off than those before them: few heads are often drawn twice."""
    first: dict[tuple, Gate] = {}
    for gate in gates:
        first.setdefault(_turned_off(gate), gate)
    return list(first.values())


def _turned_off(gate: Gate) -> tuple:
    return gate.mode, frozenset(gate.heads)


def _run_piece(
    gated: Gated, piece: Piece
) -> tuple[Float[np.ndarray, "pair output"], Float[np.ndarray, "gate pair output"]]:
    return Grid(gated, piece.gates).run(piece.batch)
