"""The grid on a graphics card against a loop on the same card."""

import time

import numpy as np
import pandas as pd
import torch

from benchmarks.alternatives import Logits, usual_loop
from benchmarks.encoders import classifier, texts
from benchmarks.grid import FLOOR, FLOOR_BY_TERMS, LOOP, OURS, TOLERANCE, own_grid
from benchmarks.pairs import ratios, take_turns
from stages.core.heads.gates import single_heads
from stages.core.heads.seam import Gated
from stages.core.runtime.runtime import DTYPES, Precision, Runtime, find_device
from stages.core.stage.files import InputError
from stages.core.stage.settings import PARAMETER_FILE
from stages.importance.cost import Geometry, least_for_grid

EXAMPLES, TOKENS = 1000, 128
SIDE, REPEATS = 8192, 20  # of the product that measures the card's best rate
BATCH = 128
# Difference of logits in bf16, as a share of how far heads move them: the loop rounds all the way,
# but a wrong head, or none, is as far off as heads are from each other.
BF16_SHARE = 0.5


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


def check(ours: Logits, other: Logits, precision: Precision) -> float:
    """The difference of two sides' logits: its largest in fp32, its root mean square in bf16.

    Ends the run where it is too large; NaN is.
    """
    difference = ours - other
    if precision == "fp32":
        found, most = float(np.abs(difference).max()), TOLERANCE
    else:
        moved = other - other.mean(0)  # from gate to gate, of the same example
        found = float(np.sqrt(np.mean((difference - difference.mean(0)) ** 2)))
        most = BF16_SHARE * float(np.sqrt(np.mean(moved**2)))
    if not found <= most:
        raise SystemExit(f"the sides differ by {found}, and may by {most}")
    return found


def compare(encoder: str, precision: Precision, rounds: int, runtime: Runtime) -> pd.DataFrame:
    """Every head off on 1,000 examples of 128 tokens: time, and share of the card's rate.

    Returns:
        side, seconds, ratio, lowest, highest, difference, share_of_best (of the rate of a large
        product on this card, for the operations that each side has to do).

    Raises:
        InputError: `runtime.device` is no CUDA card.
    """
    device = find_device(runtime.device)
    if device.type != "cuda":
        raise InputError(f"{PARAMETER_FILE}: `runtime.device` is {device}; this needs a CUDA card")
    gated = Gated(classifier(encoder).to(device))
    model = classifier(encoder).to(device, DTYPES[precision])
    encoded = texts(np.full(EXAMPLES, TOKENS), model.config.vocab_size)
    geometry = Geometry.of(model.config)
    gates = list(single_heads(geometry.layers, geometry.heads, "zero"))
    heads = [gate.heads[0] for gate in gates]
    found: dict[str, np.ndarray] = {}

    sides = {
        OURS: lambda: found.update(
            {OURS: own_grid(gated, encoded, gates, runtime, BATCH, precision)}
        ),
        LOOP: lambda: found.update({LOOP: usual_loop(model, encoded, heads)}),
    }
    for side in sides.values():
        side()  # the card's first run is slow
    table = ratios(take_turns(sides, rounds), to=OURS)
    difference = check(found[OURS], found[LOOP], precision)
    by_terms = precision == "fp32"  # as the grid does it
    operations = {
        OURS: least_for_grid(geometry, gates, encoded.lengths, by_terms),
        LOOP: len(gates) * EXAMPLES * geometry.forward(TOKENS),
    }
    rate = table["side"].map(operations) / table["seconds"]
    best = best_rate(device, precision)
    table["difference"], table["share_of_best"] = difference, rate / best
    floor = {"side": FLOOR_BY_TERMS if by_terms else FLOOR, "seconds": operations[OURS] / best}
    table = pd.concat([table, pd.DataFrame([floor])], ignore_index=True)
    return table.assign(encoder=encoder, precision=precision)
