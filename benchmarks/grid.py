"""The grid of single heads against a loop, TransformerLens, and its floor."""

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float
from transformers import PreTrainedModel

from benchmarks.alternatives import Logits, transformer_lens, usual_loop
from benchmarks.encoders import classifier, mrpc_lengths, texts
from benchmarks.pairs import ratios, take_turns
from stages.core.batches import Encoded
from stages.core.cost import Geometry, least_for_grid
from stages.core.gates import Gate, single_heads
from stages.core.grid import Grid
from stages.core.grid_run import run_gates
from stages.core.runtime import Runtime, find_device
from stages.core.seam import Gated

OURS, LOOP, LENS, FLOOR = "this grid", "loop", "TransformerLens", "floor"
TOLERANCE = 1e-4  # of logits in float32
BATCH = 8
PRODUCT_ROWS = 2048


def own_grid(
    gated: Gated, encoded: Encoded, gates: Sequence[Gate], runtime: Runtime
) -> Float[np.ndarray, "gates examples classes"]:
    """Logits under every gate, as the stage `ablate` gets them."""
    with tempfile.TemporaryDirectory() as progress:
        return run_gates(Grid(gated, gates), encoded, BATCH, runtime, "grid", Path(progress))[1]


def product_rate(model: PreTrainedModel, repeats: int = 30) -> float:
    """Operations a second of the matrix product that the grid spends most of its time in."""
    geometry, parameters = Geometry.of(model.config), next(model.parameters())
    new = {"device": parameters.device, "dtype": parameters.dtype}
    rows = torch.randn(PRODUCT_ROWS, geometry.hidden, **new)
    weight = torch.randn(geometry.feed_forward, geometry.hidden, **new)
    seconds = []
    for _ in range(repeats):
        begin = time.perf_counter()
        torch.nn.functional.linear(rows, weight)
        if rows.is_cuda:
            torch.cuda.synchronize()
        seconds.append(time.perf_counter() - begin)
    return 2 * rows.numel() * geometry.feed_forward / float(np.median(seconds))


def compare(
    encoder: str,
    examples: int | None,
    every: int,
    rounds: int,
    runtime: Runtime,
    against: list[str],
) -> pd.DataFrame:
    """Time all sides on the same heads and examples and check that they agree.

    Args:
        examples: of MRPC's 408 validation pairs; None: all.
        every: take every so-many-th head, for a quick look.
        against: of `LOOP` and `LENS`.

    Returns:
        side, seconds, ratio (to this grid), lowest, highest, difference (largest of a logit).
    """
    device = find_device(runtime.device)
    model = classifier(encoder).to(device)
    encoded = texts(mrpc_lengths(examples), model.config.vocab_size)
    geometry = Geometry.of(model.config)
    gates = list(single_heads(geometry.layers, geometry.heads, "zero"))[::every]
    heads = [gate.heads[0] for gate in gates]
    gated = Gated(classifier(encoder).to(device))
    lens = transformer_lens(classifier(encoder).to(device), encoded) if LENS in against else None
    found: dict[str, Logits] = {}
    rates: list[float] = []

    def ours() -> None:
        rates.append(product_rate(model))
        found[OURS] = own_grid(gated, encoded, gates, runtime)

    sides = {
        OURS: ours,
        LOOP: lambda: found.update({LOOP: usual_loop(model, encoded, heads)}),
        LENS: lambda: found.update({LENS: lens(heads)}),
    }
    times = take_turns({name: sides[name] for name in (OURS, *against)}, rounds)
    operations = least_for_grid(geometry, gates, encoded.lengths)
    floor = [
        {"round": number, "side": FLOOR, "seconds": operations / rate}
        for number, rate in enumerate(rates)
    ]
    table = ratios(pd.concat([times, pd.DataFrame(floor)]), to=OURS)
    table["difference"] = [
        np.abs(found[side] - found[OURS]).max() if side in found else np.nan
        for side in table["side"]
    ]
    if (table["difference"] > TOLERANCE).any():
        raise SystemExit(f"the sides disagree:\n{table.to_string()}")
    return table.assign(encoder=encoder, heads=len(heads), examples=len(encoded.segments))
