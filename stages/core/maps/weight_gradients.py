"""What a small change of attention would do to the loss (Clark et al. 2019, section 3.2, Figure 3).

The absolute gradient of the loss with respect to every attention weight, by the kind of token that
the weight goes to. Where it is near 0, attending more or less to that token changes nothing.
"""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float
from torch import Tensor

from stages.core.encoder.batches import Batch
from stages.core.heads.seam import Gated
from stages.core.intervals.groups import Resampled
from stages.core.maps.gradient_tables import GRADIENT_COLUMNS, GRADIENT_VALUES, TOKEN_KINDS
from stages.core.maps.statistics import KindIds
from stages.core.tables import estimate_columns

# The loss of each text from the model's logits and the rows of the batch.
Loss = Callable[[Float[Tensor, "text ..."], Batch], Float[Tensor, " text"]]


def weight_gradients(
    gated: Gated, batch: Batch, loss: Loss
) -> list[tuple[Float[Tensor, "text head query key"], Float[Tensor, "text head query key"]]]:
    """Maps and gradients of each layer: of each text's own loss, as no text depends on another."""
    maps: list[Tensor] = []

    def keep(layer: int, probabilities: Float[Tensor, "text head query key"]) -> None:
        probabilities.retain_grad()
        maps.append(probabilities)

    logits = gated(batch.inputs, record_maps=keep)
    loss(logits, batch).sum().backward()
    return [(layer.detach(), layer.grad) for layer in maps]


def kind_table(
    gated: Gated, batches: Iterator[Batch], kind_ids: KindIds, loss: Loss, count: int
) -> dict[str, Float[np.ndarray, "kind head text"]]:
    """What attention to each kind of token does, and how much of it there is.

    Returns:
        `summed`: absolute gradients of all weights to tokens of the kind, added up; `per_weight`:
        their mean; `attention`: the share of attention that the kind gets. NaN for a kind that a
        text lacks. Arrays have the order of TOKEN_KINDS and the heads of all layers.
    """
    heads = gated.layers * gated.heads
    found = {name: np.full((len(TOKEN_KINDS), heads, count), np.nan) for name in GRADIENT_COLUMNS}
    for parameter in gated.model.parameters():
        parameter.requires_grad_(False)
    # One leaf that asks for gradients keeps the graph; its own gradient is never read.
    gated.model.get_input_embeddings().weight.requires_grad_(True)
    for batch in batches:
        tokens = kind_ids.find(batch.inputs)
        plain = tokens.real & ~(tokens.cls | tokens.sep | tokens.punctuation)
        masks = torch.stack([tokens.cls, tokens.sep, tokens.punctuation, plain], 1)
        weights = masks.sum(-1) * tokens.real.sum(-1, keepdim=True)
        for layer, (maps, gradients) in enumerate(weight_gradients(gated, batch, loss)):
            place = slice(layer * gated.heads, (layer + 1) * gated.heads)
            real = tokens.real[:, None, :, None]
            absolute = (gradients.abs() * real).sum(-2)
            attention = (maps * real).sum(-2) / tokens.real.sum(-1)[:, None, None]
            summed = torch.einsum("bhk,bnk->nhb", absolute, masks.to(absolute.dtype))
            shares = torch.einsum("bhk,bnk->nhb", attention, masks.to(attention.dtype))
            missing = (weights == 0).T[:, None]
            per_weight = summed / weights.T[:, None].clamp_min(1)
            for name, values in zip(GRADIENT_COLUMNS, (summed, per_weight, shares), strict=True):
                values = values.masked_fill(missing, torch.nan).cpu().double().numpy()
                found[name][:, place, batch.rows] = values
        gated.model.zero_grad(set_to_none=True)
    return found


def layer_table(
    found: dict[str, Float[np.ndarray, "kind head text"]],
    layers: int,
    means: Callable[[Float[np.ndarray, "row text"]], Resampled],
) -> pd.DataFrame:
    """One row a layer and kind: means over heads and texts of what `kind_table` found.

    Args:
        means: gives the mean of each of its rows with its interval and resamples.
    """
    rows = pd.DataFrame(
        [(layer, kind) for kind in TOKEN_KINDS for layer in range(layers)],
        columns=["layer", "kind"],
    )
    for name, values in found.items():
        per_layer = values.reshape(len(TOKEN_KINDS) * layers, -1, values.shape[-1]).mean(1)
        mean = means(per_layer)
        drawn = mean.drawn if GRADIENT_VALUES[name].resampled else None
        columns = estimate_columns(name, mean.value, mean.low, mean.high, drawn)
        rows = rows.assign(**columns, texts=(~np.isnan(per_layer)).sum(1))
    return rows[rows["texts"] > 0].reset_index(drop=True)
