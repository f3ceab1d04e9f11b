"""Attention maps of a model layer by layer, without what its own forward pass does behind the last.

The pass of transformers also runs the last layer's values, output and network, which no map needs.
"""

from collections.abc import Iterator

import torch
from jaxtyping import Float
from torch import Tensor, nn

from stages.core.heads.layers import Hidden, layer_parts, real_tokens
from stages.core.heads.seam import Gated


@torch.inference_mode()
def layer_maps(
    gated: Gated, inputs: dict[str, Tensor]
) -> Iterator[Float[Tensor, "batch head query key"]]:
    """Yield what every token attends to in each layer: probabilities in float32, 0 on padding keys.

    Padded query rows are finite but mean nothing. What is yielded must be left as it is.

    Args:
        inputs: the tensors of a `Batch`.
    """
    hidden, real = embedded(gated, inputs), real_tokens(inputs)
    for index, module in enumerate(gated.stack):
        layer = layer_parts(module)
        maps = layer.attention_maps(hidden, real)
        yield maps
        if index < gated.layers - 1:
            values = layer.by_head(layer.projections[2], hidden)
            hidden = layer.after(layer.mixed(maps.to(values.dtype) @ values, hidden))


def embedded(gated: Gated, inputs: dict[str, Tensor]) -> Hidden:
    """What the first layer reads: the encoder's output where its stack has no layers."""
    with gated.with_stack(nn.ModuleList()):
        return gated.model.base_model(**inputs).last_hidden_state
