"""The parts of a score: what each neuron's product of query and key adds to it.

Arrays have the heads of all layers of one text.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from stages.core.heads.layer_modules import layer_modules
from stages.core.heads.seam import Gated


def attended_parts(
    queries: Float[Tensor, "head token size"],
    keys: Float[Tensor, "head token size"],
    maps: Float[Tensor, "head token token"],
) -> Float[Tensor, "head token size"]:
    """Each neuron's part of the score of a token and the one that it attends to most.

    Above the query's mean over all keys: what is the same for all keys drops out of the softmax.
    """
    chosen = maps.argmax(-1)
    attended = keys.gather(1, chosen[..., None].expand(-1, -1, keys.shape[-1]))
    return queries * (attended - keys.mean(1, keepdim=True))


def neuron_shares(
    parts: Float[Tensor, "head token size"], most: int
) -> tuple[Float[Tensor, "head largest"], Float[Tensor, " head"]]:
    """Share of the score that the k largest neurons carry, and how constant their signs are.

    A neuron's share is of the parts' absolute values over all tokens, and the largest are the same
    for all tokens: neurons that take turns do not count as few. Sign consistency is the absolute
    mean over tokens of the parts' signs, weighted by the neurons' absolute parts: 1 where every
    neuron has one sign everywhere.
    """
    weight = parts.abs().mean(1)
    total = weight.sum(-1, keepdim=True).clamp_min(torch.finfo(parts.dtype).tiny)
    shares = weight.sort(-1, descending=True).values[..., :most].cumsum(-1) / total
    consistency = (parts.sign().mean(1).abs() * weight).sum(-1) / weight.sum(-1)
    return shares, consistency


def positive_products(
    parts: Float[Tensor, "head token size"],
    queries: Float[Tensor, "head token size"],
    keys: Float[Tensor, "head token size"],
    words: Bool[Tensor, " token"],
    segments: Int[Tensor, " token"],
    count: int,
) -> tuple[Float[Tensor, " head"], Float[Tensor, " head"]]:
    """How many products of query and key are above 0 at a head's `count` largest neurons.

    Args:
        parts: by which neurons are large.
        keys: with their bias, as signs depend on it.
        words: tokens that are neither [CLS] nor [SEP].

    Returns:
        The share of pairs of two words of one segment, and of two of different segments; NaN where
        there is no such pair.
    """
    largest = parts.abs().mean(1).topk(count, dim=-1).indices[:, None]
    asking, attended = (
        side[:, words].gather(2, largest.expand(-1, int(words.sum()), -1))
        for side in (queries, keys)
    )
    positive = (asking[:, :, None] * attended[:, None] > 0).to(queries.dtype).mean(-1)
    own = segments[words]
    same = own[:, None] == own
    itself = torch.eye(len(own), dtype=torch.bool, device=own.device)
    within, across = (positive[:, pairs].mean(-1) for pairs in (same & ~itself, ~same))
    return within, across


def key_offsets(gated: Gated) -> Float[Tensor, "head 1 size"]:
    """What recorded keys lack of the model's own, which is the same for all tokens of a head."""
    offsets = []
    for layer in gated.stack:
        modules = layer_modules(layer, gated.family)
        shift = modules.key.weight @ modules.output.bias
        offsets.append((modules.key.bias - shift).detach().unflatten(0, (gated.heads, 1, -1)))
    return torch.cat(offsets)


def sep_to_cls(
    maps: Float[Tensor, "head token token"],
    sep: Bool[Tensor, " token"],
    cls: Bool[Tensor, " token"],
) -> Float[Tensor, " head"]:
    """The share of the attention of [SEP] that goes to [CLS]."""
    return maps[:, sep][:, :, cls].sum(-1).mean(-1)
