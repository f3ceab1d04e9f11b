"""Logits of examples with each head alone at zero: those of `ablate`, and others by the grid."""

from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Float

from stages.core.encoder.batches import Encoded
from stages.core.grid.grid import Grid
from stages.core.grid.run import run_gates
from stages.core.heads.gates import single_heads
from stages.core.heads.seam import Gated
from stages.core.runtime.runtime import Precision, Runtime


def known_logits(
    folder: Path, ids: list[str], heads: int, precision: Precision
) -> dict[str, Float[np.ndarray, "head class"]]:
    """The logits of some of the examples without each head, by their ids, where `ablate` has them.

    Args:
        folder: outcomes in the mode zero; need not be there.
        heads: of the whole encoder.
    """
    if not (folder / "gates.parquet").is_file():
        return {}
    gates = pd.read_parquet(folder / "gates.parquet")
    single = gates[(gates["family"] == "head") & (gates["precision"] == precision)]
    if len(single) != heads:
        return {}
    places = single.sort_values(["layer", "head"]).index.to_numpy()
    wanted, known = set(ids), pd.read_parquet(folder / "examples.parquet")["id"]
    logits = np.load(folder / "logits.npy", mmap_mode="r")
    return {
        example: np.array(logits[places, row])
        for row, example in enumerate(known)
        if example in wanted
    }


def without_each_head(
    gated: Gated,
    encoded: Encoded,
    known: dict[int, Float[np.ndarray, "head class"]],
    precision: Precision,
    batch: int,
    runtime: Runtime,
    run: Path,
    model: Path,
) -> Float[np.ndarray, "head example class"]:
    """Logits with each head alone at zero, layer by layer.

    Args:
        known: those of some rows of `encoded`, which are not run again.
        run, model: as `run_gates` has them.
    """
    gates = list(single_heads(gated.layers, gated.heads, "zero"))
    missing = [row for row in range(len(encoded.lengths)) if row not in known]
    complete = dict(known)
    if missing:
        some = Encoded(
            {name: [ids[row] for row in missing] for name, ids in encoded.inputs.items()},
            encoded.padding,
            [encoded.segments[row] for row in missing],
        )
        _, logits = run_gates(Grid(gated, gates, None, precision), some, batch, runtime, run, model)
        complete |= dict(zip(missing, np.swapaxes(logits, 0, 1), strict=True))
    return np.stack([complete[row] for row in range(len(encoded.lengths))], axis=1)
