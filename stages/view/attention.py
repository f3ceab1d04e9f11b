"""What one pass of a model gives for the page, and what it predicts with each head off."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from stages.core.encoder.batches import Batch
from stages.core.grid.grid import Grid
from stages.core.heads.gates import Gate, Mode, single_heads
from stages.core.heads.layer_modules import layer_modules
from stages.core.heads.seam import Gated

MODES: tuple[Mode, ...] = ("zero", "uniform")


class Attention(NamedTuple):
    """The attention of one text.

    `maps` are softmax(q k / sqrt(size)) of the `queries` and `keys`, which have their biases.
    """

    maps: Float[np.ndarray, "layer head query key"]
    queries: Float[np.ndarray, "layer head token size"]
    keys: Float[np.ndarray, "layer head token size"]


class Prediction(NamedTuple):
    """What a classifier gives out: probabilities of its classes, or the score of a regression.

    Attributes:
        whole: with every head on.
        without: under each mode, with one head off.
    """

    whole: Float[np.ndarray, " class"]
    without: dict[Mode, Float[np.ndarray, "layer head class"]]


@torch.inference_mode()
def attention_of(
    gated: Gated, batch: Batch, layers: Sequence[int], heads: Sequence[int]
) -> Attention:
    """The attention of a batch of one text in some heads of some layers."""
    maps: dict[int, Tensor] = {}
    sides: dict[tuple[str, int], Tensor] = {}
    chosen = list(heads)

    def keep_side(side: str, layer: int, output: Float[Tensor, "1 token hidden"]) -> None:
        by_head = output[0].unflatten(-1, (gated.heads, gated.head_size)).transpose(0, 1)
        sides[side, layer] = by_head[chosen]

    hooks = []
    for layer in layers:
        modules = layer_modules(gated.stack[layer], gated.family)
        for side, projection in (("query", modules.query), ("key", modules.key)):
            hooks.append(
                projection.register_forward_hook(
                    lambda _, __, output, side=side, layer=layer: keep_side(side, layer, output)
                )
            )
    try:
        gated(
            batch.inputs,
            record_maps=lambda layer, map_of_all: maps.update({layer: map_of_all[0, chosen]}),
        )
    finally:
        for hook in hooks:
            hook.remove()
    return Attention(
        *(
            torch.stack(parts).float().numpy()
            for parts in (
                [maps[layer] for layer in layers],
                [sides["query", layer] for layer in layers],
                [sides["key", layer] for layer in layers],
            )
        )
    )


def prediction_of(
    gated: Gated, batch: Batch, layers: Sequence[int], heads: Sequence[int]
) -> Prediction:
    """What a classifier gives out for a batch of one text, whole and with each head off."""
    gates: list[Gate] = [
        gate
        for mode in MODES
        for gate in single_heads(gated.layers, gated.heads, mode)
        if gate.heads[0][0] in layers and gate.heads[0][1] in heads
    ]
    before, after = Grid(gated, gates).run(batch)
    shape = (len(MODES), len(layers), len(heads), -1)
    without = given_out(after[:, 0].astype(float)).reshape(shape)
    return Prediction(given_out(before.astype(float))[0], dict(zip(MODES, without, strict=True)))


def given_out(logits: Float[np.ndarray, "row class"]) -> Float[np.ndarray, "row class"]:
    """Probabilities of two classes or more; of a regression the score, which is its logit."""
    if logits.shape[1] == 1:
        return logits
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)
