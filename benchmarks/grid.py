"""The grid of single heads against a loop, TransformerLens, and its floor."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Float

from benchmarks.alternatives import Logits, transformer_lens, usual_loop
from benchmarks.encoders import classifier, mrpc_lengths, texts
from benchmarks.pairs import ratios, take_turns
from benchmarks.product_rates import product_rate
from stages.core.encoder.batches import Encoded
from stages.core.grid.grid import Grid
from stages.core.grid.run import run_gates
from stages.core.heads.gates import Gate, single_heads
from stages.core.heads.seam import Gated
from stages.core.runtime.runtime import Precision, Runtime, find_device
from stages.importance.cost import Geometry, least_for_grid
from stages.importance.gate_gradients import gate_gradients

OURS, LOOP, LENS = "this grid", "loop", "TransformerLens"
# Prefixes shared and one token in the last layer; of sums over heads only the terms that change.
FLOOR, FLOOR_BY_TERMS = "floor", "floor by terms"
GRADIENTS, FORWARD = "gradients of all gates", "one forward pass"
TOLERANCE = 1e-4  # of logits in float32
BATCH, GRADIENT_BATCH = 4, 32  # of `ablate` and `importance` in the default configuration


def own_grid(
    gated: Gated,
    encoded: Encoded,
    gates: Sequence[Gate],
    runtime: Runtime,
    batch: int = BATCH,
    precision: Precision = "fp32",
) -> Float[np.ndarray, "gate example class"]:
    """Logits under every gate, as the stage `ablate` gets them."""
    with tempfile.TemporaryDirectory() as progress:
        run = Path(progress) / "grid"
        grid = Grid(gated, gates, precision=precision)
        return run_gates(grid, encoded, batch, runtime, run, Path(progress))[1]


def compare(
    encoder: str, examples: int | None, every: int, rounds: int, runtime: Runtime, others: list[str]
) -> pd.DataFrame:
    """Time all sides on the same heads and examples and check that they agree.

    Args:
        examples: of MRPC's 408 validation pairs; None: all.
        every: take every so-many-th head, for a quick look.
        others: of `LOOP` and `LENS`.

    Returns:
        side (the cheap score and a forward pass of all examples stand beside the ways to turn
        heads off), seconds, ratio (to this grid), lowest, highest, ours_to_it (this grid's time
        over the side's), difference (largest of a logit).
    """
    device = find_device(runtime.device)
    model = classifier(encoder).to(device)
    encoded = texts(mrpc_lengths(examples), model.config.vocab_size)
    geometry = Geometry.of(model.config)
    gates = list(single_heads(geometry.layers, geometry.heads, "zero"))[::every]
    heads = [gate.heads[0] for gate in gates]
    gated = Gated(classifier(encoder).to(device))
    lens = transformer_lens(classifier(encoder).to(device), encoded) if LENS in others else None
    found: dict[str, Logits] = {}
    rates: list[float] = []
    labels = np.zeros(len(encoded.lengths))

    def gradients() -> None:
        gate_gradients(gated, encoded, labels, "classification", GRADIENT_BATCH, device)

    sides = {
        GRADIENTS: gradients,
        FORWARD: lambda: usual_loop(model, encoded, [None]),
        OURS: lambda: found.update({OURS: own_grid(gated, encoded, gates, runtime)}),
        LOOP: lambda: found.update({LOOP: usual_loop(model, encoded, heads)}),
        LENS: lambda: found.update({LENS: lens(heads)}),
    }
    timed = {name: sides[name] for name in (OURS, *others, GRADIENTS, FORWARD)}
    # The machine's speed changes: what counts are the rates just before and after the grid runs.
    beside = {OURS: lambda: rates.append(product_rate(model, runtime.threads))}
    times = take_turns(timed, rounds, beside)
    around = [np.mean(pair) for pair in zip(rates[::2], rates[1::2], strict=True)]
    operations, least = (
        least_for_grid(geometry, gates, encoded.lengths, by_terms) for by_terms in (False, True)
    )
    floors = {
        FLOOR: [operations / rate for rate in around],
        FLOOR_BY_TERMS: [least / rate for rate in around],
    }
    floor = [
        {"round": number, "side": side, "seconds": seconds}
        for side, of_rounds in floors.items()
        for number, seconds in enumerate(of_rounds)
    ]
    table = ratios(pd.concat([times, pd.DataFrame(floor)]), to=OURS)
    table["ours_to_it"] = 1 / table["ratio"]
    differences = {side: float(np.abs(found[side] - found[OURS]).max()) for side in found}
    table["difference"] = table["side"].map(differences)
    if not all(difference <= TOLERANCE for difference in differences.values()):  # NaN fails too
        raise SystemExit(f"the sides disagree:\n{table.to_string()}")
    return table.assign(encoder=encoder, heads=len(heads), examples=len(encoded.segments))
