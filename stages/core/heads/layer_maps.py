"""Attention maps of a model layer by layer, with nothing computed that no map needs.

The forward pass of transformers would go on behind the last layer's map, and copy more on its way.
"""

from collections.abc import Iterator

import torch
from jaxtyping import Float
from torch import Tensor, nn

from stages.core.heads.layers import Hidden, layer_parts
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
    hidden = embedded(gated, inputs)
    real = inputs["attention_mask"].bool()
    real = None if real.all() else real
    for index, module in enumerate(gated.stack):
        layer = layer_parts(module)
        maps = layer.attention_maps(hidden, real)
        yield maps
        if index < gated.layers - 1:
            values = layer.by_head(layer.projections[2], hidden)
            hidden = layer.after(layer.mixed(maps.to(values.dtype) @ values, hidden))


def embedded(gated: Gated, inputs: dict[str, Tensor]) -> Hidden:
    """What the first layer reads: the encoder's output where its stack has no layers."""
    gated.holder.layer = nn.ModuleList()
    try:
        return gated.model.base_model(**inputs).last_hidden_state
    finally:
        gated.holder.layer = gated.stack
