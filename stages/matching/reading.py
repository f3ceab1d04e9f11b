"""A high head that reads low ones (query-title study, 2.4.3): the [CLS] row of one head.

The head is the candidate whose ablation raises the loss on training examples most. Its row is
measured on validation examples without ablation, without the matching heads, and without random
heads of the same layers.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Float
from torch import Tensor
from tqdm import tqdm

from stages.core.encoder.batches import Encoded
from stages.core.grid.grid import Grid
from stages.core.grid.run import run_gates
from stages.core.heads.gate_batches import GateBatch, off_matrix
from stages.core.heads.gates import Gate, Head
from stages.core.heads.layer_maps import embedded
from stages.core.heads.layers import attention_probabilities, real_tokens
from stages.core.heads.seam import Gated
from stages.core.intervals.groups import group_weights
from stages.core.intervals.intervals import percentile_interval
from stages.core.losses import losses
from stages.core.runtime.runtime import Precision, Runtime
from stages.core.tables import drawn_of, estimate_columns
from stages.matching.gates import MODE
from stages.matching.tables import MATCHING, NONE, RANDOM
from stages.matching.terms import Terms

Rows = Float[np.ndarray, "condition example"]


def loss_rises(
    gated: Gated,
    candidates: Sequence[Head],
    encoded: Encoded,
    labels: Float[np.ndarray, " example"],
    kind: str,
    precision: Precision,
    batch: int,
    runtime: Runtime,
    run: Path,
    model: Path,
) -> Float[np.ndarray, " candidate"]:
    """The rise of the mean loss when each candidate alone is ablated."""
    gates = [Gate(MODE, (head,), "head") for head in candidates]
    grid = Grid(gated, gates, precision=precision)
    before, after = (
        torch.from_numpy(logits) for logits in run_gates(grid, encoded, batch, runtime, run, model)
    )
    target = torch.from_numpy(labels)
    rise = losses(after, target.expand(after.shape[:-1]), kind).mean(-1)
    return (rise - losses(before, target, kind).mean()).double().numpy()


@torch.inference_mode()
def cls_rows(
    gated: Gated, reader: Head, gates: Sequence[Gate | None], inputs: dict[str, Tensor]
) -> list[Float[Tensor, "batch key"]]:
    """The [CLS] row of one head under each gate; None ablates no head.

    Only the layers from a gate's first up to the reader's run anew. [CLS] is the first token.
    """
    real = real_tokens(inputs)
    mask = None if real is None else real[:, None, None]
    layers, (last, head) = gated.parts(), reader
    read = [embedded(gated, inputs)]
    for layer in layers[:last]:
        output, _ = layer.attend(read[-1], real)
        read.append(layer.from_output(output, read[-1].clone()))
    rows = []
    for gate in gates:
        first = last if gate is None else min(gate.first_layer, last)
        hidden = read[first]
        for index in range(first, last):
            output, _ = layers[index].attend(hidden, real)
            ablated = off_matrix([gate], gated.layers, gated.heads).to(output.device)
            output = GateBatch(gate.mode, ablated.expand(len(output), -1, -1)).replace(
                index, output, None
            )
            hidden = layers[index].from_output(output, hidden.clone())
        queries, keys = layers[last].queries_and_keys(hidden)
        only = slice(head, head + 1)
        maps = attention_probabilities(queries[:, only], keys[:, only], mask, layers[last].scaling)
        rows.append(maps[:, 0, 0])
    return rows


def share_and_entropy(
    row: Float[np.ndarray, " token"], shared: Bool[np.ndarray, " token"]
) -> tuple[float, float]:
    """The share of a row of weights on shared terms, and its entropy in nats."""
    seen = row[row > 0].astype(float)
    return float(row[shared].sum()), float(-(seen * np.log(seen)).sum())


def read_by(
    gated: Gated,
    reader: Head,
    gates: Sequence[Gate | None],
    encoded: Encoded,
    terms: Sequence[Terms],
    batch: int,
    device: torch.device,
) -> Float[np.ndarray, "figure condition example"]:
    """Share on shared terms and entropy of the reader's [CLS] row; NaN where none is shared."""
    count = len(encoded.lengths)
    figures = np.full((2, len(gates), count), np.nan)
    total = -(-count // batch)
    for texts in tqdm(encoded.batches(batch, device), "reading head", total, unit="batch"):
        for condition, rows in enumerate(cls_rows(gated, reader, gates, texts.inputs)):
            weights = rows.float().cpu().numpy()
            for row, example, length in zip(weights, texts.rows, texts.lengths, strict=True):
                shared = terms[example].shared
                if shared.any():
                    figures[:, condition, example] = share_and_entropy(row[:length], shared)
    return figures


def reading_table(
    figures: Float[np.ndarray, "figure condition example"], resamples: int, seed: int
) -> pd.DataFrame:
    """Share and entropy without ablation, without the matching heads, and without random ones.

    Args:
        figures: of the conditions in this order; each draw of random heads is a condition.

    Returns:
        The values of `READING` but the loss. Examples are resampled, and the draws of random heads.
    """
    known = ~np.isnan(figures[0, 0])
    figures, count = figures[:, :, known], int(known.sum())
    weights = group_weights(count, resamples, seed) / max(count, 1)
    resampled = np.einsum("fce,re->fcr", figures, weights)
    values = figures.mean(-1)
    groups = {NONE: slice(0, 1), MATCHING: slice(1, 2), RANDOM: slice(2, None)}
    rows = []
    for ablated, some in groups.items():
        draws = figures[:, some].shape[1]
        if not draws:
            continue
        picks = np.random.default_rng([seed, 4]).integers(draws, size=(draws, resamples))
        row = {"ablated": ablated, "draws": draws, "examples": count}
        for name, value, lines in zip(("share", "entropy"), values, resampled, strict=True):
            drawn = np.take_along_axis(lines[some], picks, 0).mean(0)
            ends = percentile_interval(drawn)
            row |= estimate_columns(name, value[some].mean(), *ends) | {drawn_of(name): drawn}
        rows.append(row)
    return pd.DataFrame(rows)
