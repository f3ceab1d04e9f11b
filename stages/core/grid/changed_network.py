"""The feed-forward network when a single head changes: its first projection of the change alone.

Exact. The norm takes its mean from the residual stream m and divides by its deviation s, so the
sums of the network's first projection W behind it are (A m - a mean) / s + c, with A = W times the
norm's weights, a = A 1, and c = W times the norm's bias, and the projection's own. Where one head
changes, m changes by P d: d has the size of a head, and A P is known beforehand. So each gate costs
a product with A P, which has the columns of a head and not those of the residual stream.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from stages.core.heads.layers import Hidden, Inner, Layer


def change_weights(layer: Layer) -> Float[Tensor, "head column inner"]:
    """A P of every head, and below it a and c: for BERT-base 9.7 MB a layer.

    So there is a `column` for each of the head's, and two more.
    """
    norm, inner = layer.mixing_norm, layer.inner
    heads = (layer.head_weights * norm.weight) @ inner.weight
    total = norm.weight @ inner.weight
    constant = norm.bias @ inner.weight + inner.bias
    both = torch.stack([total, constant]).expand(len(heads), -1, -1)
    return torch.cat([heads, both], dim=1)


def unchanged_sums(layer: Layer, mixed: Hidden) -> Inner:
    """A m, of the residual stream with all heads on."""
    return (mixed * layer.mixing_norm.weight) @ layer.inner.weight


def after_changes(
    layer: Layer,
    sums: Inner,
    mixed: Float[Tensor, "gate batch token hidden"],
    changes: Float[Tensor, "gate batch token size"],
    weights: Float[Tensor, "gate column inner"],
) -> Float[Tensor, "gate_batch token hidden"]:
    """The layer's output under gates of one head each.

    Args:
        sums: as `unchanged_sums` gives them.
        mixed: the residual stream under each gate.
        changes: of the output of each gate's head.
        weights: of that head, as `change_weights` gives them.
    """
    norm = layer.mixing_norm
    hidden, mean, inverse = torch.native_layer_norm(
        mixed, norm.weight.shape, norm.weight, norm.bias, norm.epsilon
    )
    factors = torch.cat([changes * inverse, -mean * inverse, torch.ones_like(mean)], dim=-1)
    changed = sums * inverse
    changed.view(len(changed), -1, changed.shape[-1]).baddbmm_(factors.flatten(1, 2), weights)
    return layer.from_sums(changed.flatten(0, 2), hidden.flatten(0, 1))
