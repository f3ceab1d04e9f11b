"""Running a grid over all examples, in pieces that stay as they finish, here or elsewhere."""

import hashlib
from pathlib import Path

import numpy as np
from jaxtyping import Float

from stages.core.encoder.batches import Batch, Encoded
from stages.core.grid.grid import Grid, slices
from stages.core.pieces import digest_of, open_pieces, run_pieces
from stages.core.runtime.runtime import Runtime

# Gates of one piece of work: enough to share the full pass, few enough to spread over machines.
GATES_IN_BLOCK = 512


def run_gates(
    grid: Grid, encoded: Encoded, batch: int, runtime: Runtime, run: Path, model: Path
) -> tuple[Float[np.ndarray, "example class"], Float[np.ndarray, "gate example class"]]:
    """Logits of all examples with every head on, and under each gate.

    Args:
        batch: examples that go through together.
        runtime: says where the pieces run: a batch of examples under a block of gates each.
        run: folder for finished pieces, which a later call reads instead of running them again.
            Pieces of other arguments, code or versions are removed. The caller removes the folder
            once it has written the result (see `resumable`).
        model: folder that the model was loaded from.
    """
    parts = list(encoded.batches(batch))
    # Several draws of a share may ablate the same heads; draws of all heads do.
    places: dict[tuple, int] = {}
    same = [
        places.setdefault((gate.mode, frozenset(gate.heads)), place)
        for place, gate in enumerate(grid.gates)
    ]
    blocks = list(slices(list(places.values()), GATES_IN_BLOCK))
    jobs = {
        f"{number}-{block}": (part, gates)
        for number, part in enumerate(parts)
        for block, gates in enumerate(blocks)
    }
    means = b"" if grid.means is None else grid.means.cpu().numpy().tobytes()
    identity = {
        "gates": [(gate.mode, gate.heads) for gate in grid.gates],
        "means": hashlib.sha256(means).hexdigest(),
        "inputs": digest_of(encoded),
        "batch": batch,
        "precision": grid.precision,
    }
    folder = open_pieces(run, identity, model, __name__, runtime)
    count = len(encoded.lengths)
    baseline, gated = None, None
    pieces = run_pieces(_run_piece, grid, jobs, runtime, folder)
    for (part, gates), (before, after) in zip(jobs.values(), pieces, strict=True):
        if baseline is None:
            baseline = np.empty((count, before.shape[1]), dtype=np.float32)
            gated = np.empty((len(grid.gates), *baseline.shape), dtype=np.float32)
        baseline[part.rows] = before
        gated[np.ix_(gates, part.rows)] = after
    return baseline, gated[same]


def _run_piece(
    grid: Grid, piece: tuple[Batch, list[int]]
) -> tuple[Float[np.ndarray, "batch class"], Float[np.ndarray, "gate batch class"]]:
    batch, gates = piece
    return grid.run(batch, gates)
