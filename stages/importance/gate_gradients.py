"""Importance of heads from gradients (Michel et al. 2019, section 4.1), and what it is worth.

The gate of a head scales its output: 1 leaves it as it is, 0 ablates it. The gradient of the
loss with respect to the gate is the effect of a small step towards 0, for all heads in one backward
pass. The grid measures the whole way, at many times the cost.
"""

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int
from tqdm import tqdm

from stages.core.encoder.batches import Encoded
from stages.core.heads.gate_batches import GateBatch
from stages.core.heads.seam import Gated
from stages.core.intervals.intervals import draw_samples, percentile_interval
from stages.core.losses import losses
from stages.core.outcomes.outcomes import Outcomes
from stages.core.outcomes.paired import resample
from stages.core.tables import drawn_of, estimate_columns
from stages.core.tasks.metrics import spearman
from stages.importance.cost import Geometry
from stages.importance.tables import BY_LAYER, UNNORMED

Scores = Float[np.ndarray, "example layer head"]
# What a pass forward keeps for the one backward, of all examples of a batch together.
HELD_BYTES = 1_000_000_000
# Vectors of the hidden size and of the network's that each layer keeps of every token.
KEPT_HIDDEN, KEPT_NETWORK = 10, 2


def gate_gradients(
    gated: Gated,
    encoded: Encoded,
    labels: Float[np.ndarray, " example"],
    kind: str,
    batch: int,
    device: torch.device,
) -> Scores:
    """Gradient of each example's loss with respect to the gate of every head, at an open gate.

    Exact for each example: every one has gates of its own in the batch, and no example's loss
    depends on another's gates.

    Args:
        batch: examples that go through together, at most; fewer where they are long.
    """
    gated.model.requires_grad_(False)
    result = np.empty((len(labels), gated.layers, gated.heads))
    size = batch_within(Geometry.of(gated.model.config), int(encoded.lengths.max()), batch)
    total = -(-len(labels) // size)
    for examples in tqdm(encoded.batches(size, device), "gradients", total, unit="batch"):
        off = torch.zeros(len(examples.rows), gated.layers, gated.heads, device=device)
        off.requires_grad_()
        logits = gated(examples.inputs, gate=GateBatch("zero", off)).float()
        targets = torch.from_numpy(labels[examples.rows]).to(device, torch.float32)
        loss = losses(logits, targets, kind).sum()
        # The gate is 1 - off.
        result[examples.rows] = -torch.autograd.grad(loss, off)[0].cpu().double().numpy()
    return result


def batch_within(geometry: Geometry, tokens: int, most: int) -> int:
    """How many examples of so many tokens may go through together, `most` at most."""
    vectors = KEPT_HIDDEN * geometry.hidden + KEPT_NETWORK * geometry.feed_forward
    held = geometry.layers * tokens * vectors * torch.float32.itemsize
    return min(most, max(1, HELD_BYTES // held))


def importance_table(gradients: Scores, changes: Scores, resamples: int, seed: int) -> pd.DataFrame:
    """One row a head: the mean absolute gradient, and the mean change of the loss without it.

    Args:
        changes: of each example's loss when the head's output is set to zero.

    Returns:
        layer, head, importance, importance_low, importance_high, loss, loss_low, loss_high,
        absolute_loss (mean of the absolute change); intervals are bootstrapped over examples.
    """
    layers, heads = gradients.shape[1:]
    layer, head = np.divmod(np.arange(layers * heads), heads)
    table = pd.DataFrame({"layer": layer, "head": head})
    samples = draw_samples(len(gradients), resamples, seed)
    for name, values in (("importance", np.abs(gradients)), ("loss", changes)):
        table[name] = values.mean(0).ravel()
        limits = percentile_interval(resampled_means(values, samples).T)
        table[f"{name}_low"], table[f"{name}_high"] = limits
    table["absolute_loss"] = np.abs(changes).mean(0).ravel()
    return table


def agreement_table(
    gradients: Scores, changes: Scores, outcomes: Outcomes, resamples: int, seed: int
) -> pd.DataFrame:
    """Rank correlation over heads between the cheap score and what the exact grid says.

    Args:
        changes: as in `importance_table`.
        outcomes: of setting each head's output to zero, in the order of layers and heads.

    Returns:
        One row a norm of the cheap score (as in `stages.importance.tables`) and exact score
        (`loss`: mean change of the loss; `absolute loss`; the metric's name: what the metric
        loses): norm, exact, and spearman with its interval and its values on resamples. The
        bootstrap resamples the examples, the same for both sides and for both norms. No rows
        where the encoder has one head: it has no rank.
    """
    if gradients[0].size < 2:
        return pd.DataFrame()
    samples = draw_samples(len(gradients), resamples, seed)
    cheap, *exact = (
        (values.mean(0).ravel(), resampled_means(values, samples))
        for values in (np.abs(gradients), changes, np.abs(changes))
    )
    of_exact = dict(zip(("loss", "absolute loss"), exact, strict=True))
    lost = outcomes.before - outcomes.after
    of_exact[outcomes.metric] = lost, -resample(outcomes, resamples, seed).effects.T
    layers = gradients.shape[1]
    of_norms = {
        UNNORMED: cheap,
        BY_LAYER: tuple(normed_by_layer(importance, layers) for importance in cheap),
    }
    rows = []
    for norm, (score, score_again) in of_norms.items():
        for name, (change, change_again) in of_exact.items():
            drawn = spearman(score_again, change_again)
            correlation = float(spearman(score, change)), *percentile_interval(drawn)
            row = {"norm": norm, "exact": name, drawn_of("spearman"): drawn}
            rows.append(row | estimate_columns("spearman", *correlation))
    return pd.DataFrame(rows)


def normed_by_layer(
    importance: Float[np.ndarray, "*resample cell"], layers: int
) -> Float[np.ndarray, "*resample cell"]:
    """Importance of each head over the l2 norm of its layer's; 0 where the layer has none."""
    by_layer = importance.reshape(*importance.shape[:-1], layers, -1)
    length = np.linalg.norm(by_layer, axis=-1, keepdims=True)
    shares = np.divide(by_layer, length, out=np.zeros_like(by_layer), where=length > 0)
    return shares.reshape(importance.shape)


def resampled_means(
    values: Scores, samples: Int[np.ndarray, "resample example"]
) -> Float[np.ndarray, "resample cell"]:
    """Mean of each cell over the examples of each resample."""
    drawn = np.zeros(samples.shape)
    np.add.at(drawn, (np.arange(len(samples))[:, None], samples), 1)
    return drawn @ values.reshape(len(values), -1) / samples.shape[1]
