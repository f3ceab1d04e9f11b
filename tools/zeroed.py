"""Weights of a checkpoint with zeros where heads are off, or were pruned."""

import re

import torch
from torch import Tensor
from transformers import PreTrainedConfig

from stages.core.encoder.families import family_of


def without_heads(
    name: str,
    weight: Tensor,
    config: PreTrainedConfig,
    off: list[tuple[int, int]],
    pruned: list[tuple[int, int]],
) -> Tensor:
    """The weight `name` of a checkpoint, of the shape that its layer has with every head.

    Args:
        off: layer and head of those whose output is to be zero.
        pruned: layer and head of those whose rows and columns were taken out; they get zeros.
    """
    family, heads = family_of(config), config.num_attention_heads
    inputs = "|".join(map(re.escape, family.modules[1:4]))  # query, key and value
    output = re.escape(family.modules[4])
    match = re.fullmatch(
        rf"(?:.*\.)?{family.holder}\.layer\.(\d+)\."
        rf"(?:({inputs})\.(?:weight|bias)|{output}\.weight)",
        name,
    )
    if match is None:
        return weight
    layer, axis = int(match[1]), 0 if match[2] else 1
    size = config.hidden_size // heads
    missing = {head for each, head in pruned if each == layer}
    if missing:
        rest = iter(weight.split(size, axis))
        zeros = torch.zeros_like(weight.narrow(axis, 0, 1)).repeat_interleave(size, axis)
        whole = [
            zeros if head in missing else next(rest, zeros.narrow(axis, 0, 0))
            for head in range(heads)
        ]
        # A weight that had more or fewer rows than the others keeps another shape, and is refused.
        weight = torch.cat([*whole, *rest], axis)
    if axis == 1:
        for head in {head for each, head in off if each == layer}:
            weight[:, head * size : (head + 1) * size] = 0
    return weight
