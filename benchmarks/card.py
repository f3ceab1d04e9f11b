"""The grid on a graphics card against a loop on the same card."""

import time

import numpy as np
import pandas as pd
import torch

from benchmarks.alternatives import usual_loop
from benchmarks.encoders import classifier, texts
from benchmarks.grid import FLOOR, LOOP, OURS, TOLERANCE, own_grid
from benchmarks.pairs import ratios, take_turns
from stages.core.cost import Geometry, least_for_grid
from stages.core.files import InputError
from stages.core.gates import single_heads
from stages.core.parameters import PARAMETER_FILE
from stages.core.runtime import DTYPES, Precision, Runtime, find_device
from stages.core.seam import Gated

EXAMPLES, TOKENS = 1000, 128
SIDE, REPEATS = 8192, 20  # of the product that measures the card's best rate
# Dense bf16 operations a second, from NVIDIA's data sheets.
PEAKS = {"H200": 989e12, "H100": 989e12, "A100": 312e12, "L40S": 362e12, "L4": 121e12}
# Largest difference of a logit: in bf16 neighbouring numbers near 1 are 2^-7 apart.
TOLERANCES = {"fp32": TOLERANCE, "bf16": 0.1}


def best_rate(device: torch.device, precision: Precision) -> float:
    """Operations a second of a large matrix product, the best of several."""
    a, b = (torch.randn(SIDE, SIDE, device=device, dtype=DTYPES[precision]) for _ in range(2))
    seconds = []
    for _ in range(REPEATS):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        a @ b
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - begin)
    return 2 * SIDE**3 / min(seconds)


def compare(encoder: str, precision: Precision, rounds: int, runtime: Runtime) -> pd.DataFrame:
    """Every head off on 1,000 examples of 128 tokens: time, and share of the card's rate.

    Returns:
        side, seconds, ratio, lowest, highest, difference, share_of_best (of the largest product's
        rate on this card) and share_of_peak (of the data sheet's bf16 peak) of the operations that
        each side has to do.

    Raises:
        InputError: `runtime.device` is no CUDA card.
    """
    device = find_device(runtime.device)
    if device.type != "cuda":
        raise InputError(f"{PARAMETER_FILE}: `runtime.device` is {device}; this needs a CUDA card")
    gated, model = (classifier(encoder).to(device, DTYPES[precision]) for _ in range(2))
    gated = Gated(gated)
    encoded = texts(np.full(EXAMPLES, TOKENS), model.config.vocab_size)
    geometry = Geometry.of(model.config)
    gates = list(single_heads(geometry.layers, geometry.heads, "zero"))
    heads = [gate.heads[0] for gate in gates]
    found: dict[str, np.ndarray] = {}
    sides = {
        OURS: lambda: found.update({OURS: own_grid(gated, encoded, gates, runtime)}),
        LOOP: lambda: found.update({LOOP: usual_loop(model, encoded, heads)}),
    }
    own_grid(gated, encoded, gates[:1], runtime)  # the card's first run is slow
    table = ratios(take_turns(sides, rounds), to=OURS)
    difference = float(np.abs(found[OURS] - found[LOOP]).max())
    if difference > TOLERANCES[precision]:
        raise SystemExit(f"the sides differ by {difference}")
    operations = {
        OURS: least_for_grid(geometry, gates, encoded.lengths),
        LOOP: len(gates) * EXAMPLES * geometry.forward(TOKENS),
    }
    rate = table["side"].map(operations) / table["seconds"]
    peak = next(
        (peak for name, peak in PEAKS.items() if name in torch.cuda.get_device_name()), None
    )
    best = best_rate(device, precision)
    table["difference"], table["share_of_best"] = difference, rate / best
    table["share_of_peak"] = rate / peak if peak and precision == "bf16" else np.nan
    floor = {"side": FLOOR, "seconds": operations[OURS] / best}
    table = pd.concat([table, pd.DataFrame([floor])], ignore_index=True)
    return table.assign(encoder=encoder, precision=precision)
