"""Running a grid over all examples, in pieces that are kept as they finish, here or elsewhere."""

import hashlib
from pathlib import Path

import numpy as np
import torch
import transformers
from jaxtyping import Float
from tqdm import tqdm

from stages.core.closure import code_run_by
from stages.core.encoder.batches import Batch, Encoded
from stages.core.fan_out import fan_out
from stages.core.grid.grid import Grid, slices
from stages.core.runtime.runtime import Runtime, find_device
from stages.core.scratch import fingerprint, open_scratch
from stages.core.stage.files import atomic

# Gates of one piece of work: enough to share the full pass, few enough to spread over machines.
GATES_IN_BLOCK = 512


def run_gates(
    grid: Grid, encoded: Encoded, batch: int, runtime: Runtime, run: Path, model: Path
) -> tuple[Float[np.ndarray, "example class"], Float[np.ndarray, "gate example class"]]:
    """Logits of all examples with every head on, and under each gate.

    Args:
        batch: examples that go through together.
        runtime: says where the pieces run: a batch of examples under a block of gates each.
        run: folder that keeps each finished piece; a later call reads it there instead of running
            it again. Pieces that other arguments, code or versions made are removed. The caller
            removes the folder once it has kept the result.
        model: folder that the model was loaded from.
    """
    progress = _open_pieces(grid, encoded, batch, runtime, run, model)
    parts = list(encoded.batches(batch))
    # Several draws of a share may turn the same heads off; draws of all heads do.
    places: dict[tuple, int] = {}
    same = [
        places.setdefault((gate.mode, frozenset(gate.heads)), place)
        for place, gate in enumerate(grid.gates)
    ]
    blocks = list(slices(list(places.values()), GATES_IN_BLOCK))
    pieces = [(number, block) for number in range(len(parts)) for block in range(len(blocks))]
    files = {piece: progress / f"{piece[0]}-{piece[1]}.npz" for piece in pieces}
    missing = [
        (piece, parts[piece[0]], blocks[piece[1]])
        for piece, file in files.items()
        if not file.exists()
    ]
    with tqdm(total=len(pieces), initial=len(pieces) - len(missing), desc=run.name) as bar:
        for (piece, *_), (before, after) in fan_out(_run_piece, grid, missing, runtime):
            with atomic(files[piece]) as partial, open(partial, "wb") as stream:
                np.savez(stream, before=before, after=after)
            bar.update()
    count = len(encoded.lengths)
    baseline, gated = None, None
    for (number, block), file in files.items():
        with np.load(file) as kept:
            before, after = kept["before"], kept["after"]
        if baseline is None:
            baseline = np.empty((count, before.shape[1]), dtype=np.float32)
            gated = np.empty((len(grid.gates), *baseline.shape), dtype=np.float32)
        rows = parts[number].rows
        baseline[rows] = before
        gated[np.ix_(blocks[block], rows)] = after
    return baseline, gated[same]


def _run_piece(
    grid: Grid, piece: tuple[object, Batch, list[int]]
) -> tuple[Float[np.ndarray, "batch class"], Float[np.ndarray, "gate batch class"]]:
    _, batch, places = piece
    return grid.run(batch, places)


def _open_pieces(
    grid: Grid, encoded: Encoded, batch: int, runtime: Runtime, run: Path, model: Path
) -> Path:
    means = b"" if grid.means is None else grid.means.cpu().numpy().tobytes()
    identity = {
        "gates": [(gate.mode, gate.heads) for gate in grid.gates],
        "means": hashlib.sha256(means).hexdigest(),
        "inputs": encoded.inputs,
        "batch": batch,
        "precision": grid.precision,
        "device": find_device(runtime.device).type,
        "versions": [torch.__version__, transformers.__version__],
    }
    weights = sorted(model.glob("model*.safetensors"))
    progress = run / fingerprint(identity, [*weights, *code_run_by(__name__)])
    open_scratch(progress)
    return progress
