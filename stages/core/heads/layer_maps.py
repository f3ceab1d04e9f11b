"""Attention of a model layer by layer, without those parts of its pass that no map needs.

The pass of transformers also runs the last layer's values, output and network.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from stages.core.heads.layers import Heads, Hidden, attention_probabilities, real_tokens
from stages.core.heads.seam import Gated


class LayerAttention(NamedTuple):
    """The attention of one layer.

    `maps` are probabilities in float32, 0 on padding keys; the rows of padded queries are finite
    but mean nothing. `queries` and `keys` give them; the keys lack their bias, which maps do not
    depend on. Nobody must change them in place.
    """

    maps: Float[Tensor, "batch head query key"]
    queries: Heads
    keys: Heads


@torch.inference_mode()
def layer_attention(gated: Gated, inputs: dict[str, Tensor]) -> Iterator[LayerAttention]:
    """Yield the attention of each layer.

    Args:
        inputs: the tensors of a `Batch`.
    """
    real = real_tokens(inputs)
    mask = None if real is None else real[:, None, None]
    hidden, layers = embedded(gated, inputs), gated.parts()
    for layer in layers:
        queries, keys = layer.queries_and_keys(hidden)
        maps = attention_probabilities(queries, keys, mask, layer.scaling)
        yield LayerAttention(maps, queries, keys)
        if layer is not layers[-1]:
            hidden = layer.from_output(maps @ layer.values(hidden), hidden)


def layer_maps(
    gated: Gated, inputs: dict[str, Tensor]
) -> Iterator[Float[Tensor, "batch head query key"]]:
    """Yield the `maps` of `layer_attention`."""
    return (attention.maps for attention in layer_attention(gated, inputs))


def embedded(gated: Gated, inputs: dict[str, Tensor]) -> Hidden:
    """The input of the first layer, shifted: the encoder's output when its stack has no layers."""
    with gated.with_stack(nn.ModuleList()):
        hidden = gated.model.base_model(**inputs).last_hidden_state
    return hidden + gated.parts()[0].shift
