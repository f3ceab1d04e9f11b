"""Ablation of order heads, and of random heads of the same layers, on intact and shuffled pairs."""

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
from stages.word_order.grades import ConditionGrades
from stages.word_order.shuffles import ShuffledPairs


@dataclass(frozen=True)
class Asked:
    """Pairs to grade without ablation and under each gate; no two sets share a name."""

    name: str
    gates: list[Gate]
    pairs: Encoded


Graded = tuple[Float[np.ndarray, " pair"], Float[np.ndarray, "gate pair"]]
Run = Callable[[list[Asked]], list[Graded]]


def count_of(share: float, heads: int) -> int:
    """A share of all heads, rounded up."""
    return math.ceil(round(share * heads, 9))


def gates_of_random_heads(
    order_heads: Sequence[Head], heads: int, draws: Sequence[int], seed: int
) -> Iterator[Gate]:
    """For each draw, random other heads of the same layers, the same number in each.

    A layer with too few others gives all of them and some of its order heads.

    Args:
        heads: of a layer.
        draws: their numbers; each has a random stream of its own.
    """
    for draw in draws:
        generator = np.random.default_rng([seed, draw])
        drawn: list[Head] = []
        for layer in sorted({layer for layer, _ in order_heads}):
            taken = [head for of, head in order_heads if of == layer]
            others = [head for head in range(heads) if head not in taken]
            for some in (others, taken):
                generator.shuffle(some)
            drawn += [(layer, head) for head in sorted((others + taken)[: len(taken)])]
        yield Gate("zero", tuple(drawn), "random", "layers of order heads", draw=draw)


def shared_out(count: int, seeds: Sequence[int], seed: int) -> list[int]:
    """The draws of one seed, at least one; the seeds share all `count` draws out."""
    return list(range(seeds.index(seed), max(count, len(seeds)), len(seeds)))


def blocks_of(pairs: int, size: int, draws: int, seed: int) -> list[Int[np.ndarray, " some"]]:
    """All pairs in random blocks of at most `size`, but no more blocks than there are draws."""
    blocks = min(math.ceil(pairs / size), draws)
    order = np.random.default_rng([seed, 2]).permutation(pairs)
    return [np.sort(block) for block in np.array_split(order, blocks)]


@dataclass(frozen=True)
class HeadsToAblate:
    """Heads to ablate: the order heads, and random heads in draws of these numbers.

    Each draw runs on at most `size` pairs, if there are enough draws for all pairs.
    """

    order_heads: Sequence[Head]
    draws: Sequence[int]
    size: int
    seed: int


def outcomes_under(
    gates: HeadsToAblate,
    run: Run,
    pairs: ShuffledPairs,
    heads: int,
    known: dict[tuple, tuple[np.ndarray, np.ndarray]],
) -> ConditionGrades:
    """Grades of the pairs under every condition.

    Args:
        heads: of a layer.
        known: grades of intact pairs with these order heads, from other units; is added to.
    """
    order = Gate("zero", tuple(sorted(gates.order_heads)), "order")
    drawn = list(gates_of_random_heads(order.heads, heads, gates.draws, gates.seed))
    count = len(pairs.rows)
    blocks = blocks_of(count, gates.size, len(drawn), gates.seed)
    members = [np.arange(number, len(drawn), len(blocks)) for number in range(len(blocks))]
    asked = [
        Asked(
            f"shuffled-{number}",
            [order, *(drawn[draw] for draw in numbers)],
            pairs.only(rows).exchanged,
        )
        for number, (rows, numbers) in enumerate(zip(blocks, members, strict=True))
    ]
    # Words and pieces often have the same order heads.
    same = (order.heads, tuple(pairs.rows.tolist()))
    if same not in known:
        asked.append(Asked("intact", [order], pairs.intact))
    graded = run(asked)
    shuffled, shuffled_ablated = np.empty((2, count))
    random = np.full((len(drawn), count), np.nan)
    for rows, numbers, (before, after) in zip(blocks, members, graded[: len(blocks)], strict=True):
        shuffled[rows], shuffled_ablated[rows] = before, after[0]
        random[np.ix_(numbers, rows)] = after[1:]
    if same not in known:
        before, (after,) = graded[-1]
        known[same] = before, after
    intact, intact_ablated = known[same]
    return ConditionGrades(intact, intact_ablated, shuffled, shuffled_ablated, random)


def logits_under(
    gated: Gated, asked: Sequence[Asked], batch: int, runtime: Runtime, run: Path, model: Path
) -> Iterator[tuple[Float[np.ndarray, "pair output"], Float[np.ndarray, "gate pair output"]]]:
    """Yield the logits of each of `asked` without ablation, and under each gate.

    The batches of all run side by side, as each set has few pairs in batches of unequal sizes.

    Args:
        batch: pairs that go through together.
        runtime, run, model: as of `run_gates`.
    """
    batches = [list(pairs.pairs.batches(batch)) for pairs in asked]
    jobs = {
        f"{pairs.name}-{number}": (texts, _different(pairs.gates))
        for pairs, of_pairs in zip(asked, batches, strict=True)
        for number, texts in enumerate(of_pairs)
    }
    identity = [
        batch,
        [(pairs.name, list(map(_ablated, pairs.gates)), digest_of(pairs.pairs)) for pairs in asked],
    ]
    pieces = run_pieces(
        _run_piece, gated, jobs, runtime, open_pieces(run, identity, model, __name__, runtime)
    )
    for pairs, of_pairs in zip(asked, batches, strict=True):
        before, after = zip(*islice(pieces, len(of_pairs)), strict=True)
        back = np.argsort(np.concatenate([texts.rows for texts in of_pairs]))
        different = [_ablated(gate) for gate in _different(pairs.gates)]
        every_gate = [different.index(_ablated(gate)) for gate in pairs.gates]
        yield np.concatenate(before)[back], np.concatenate(after, axis=1)[every_gate][:, back]


def _different(gates: list[Gate]) -> list[Gate]:
    """The gates without repeats, as small sets of heads are often drawn twice."""
    first: dict[tuple, Gate] = {}
    for gate in gates:
        first.setdefault(_ablated(gate), gate)
    return list(first.values())


def _ablated(gate: Gate) -> tuple[str, tuple[Head, ...]]:
    return gate.mode, tuple(sorted(set(gate.heads)))


def _run_piece(
    gated: Gated, piece: tuple[Batch, list[Gate]]
) -> tuple[Float[np.ndarray, "pair output"], Float[np.ndarray, "gate pair output"]]:
    batch, gates = piece
    return Grid(gated, gates).run(batch)
