"""Multiplications that an encoder without some heads would not make: computed, not measured.

transformers 5 has no `prune_heads` and loads no layer that has fewer heads than the others, so the
heads' columns are set to zero (`tools/cut.py`) and are multiplied all the same.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int
from transformers import PreTrainedConfig

from stages.core.encoder.families import family_of

PROJECTIONS = 4  # of queries, keys, values and the output
PRODUCTS = 2  # of queries with keys, of weights with values


@dataclass(frozen=True)
class Sizes:
    """Sizes of an encoder that its multiplications depend on."""

    layers: int
    heads: int
    hidden: int
    feed_forward: int

    @classmethod
    def of(cls, config: PreTrainedConfig) -> "Sizes":
        """Those that a configuration names, in the words of any family."""
        inner = getattr(config, family_of(config).inner_size)
        return cls(config.num_hidden_layers, config.num_attention_heads, config.hidden_size, inner)


def saved(sizes: Sizes, ablated: float, lengths: Int[np.ndarray, " example"]) -> dict[str, float]:
    """The multiplications of whole layers that an encoder without so many heads would save.

    Returns:
        Shares `of_attention` (projections and products of maps, in which all heads have the same
        part) and `of_encoder` (the feed-forward network with it); `tokens`, mean of the lengths.
    """
    tokens = lengths.astype(float)
    attention = (PROJECTIONS * tokens * sizes.hidden**2 + PRODUCTS * tokens**2 * sizes.hidden).sum()
    network = (2 * tokens * sizes.hidden * sizes.feed_forward).sum()
    share = ablated / (sizes.layers * sizes.heads)
    return {
        "tokens": float(tokens.mean()),
        "of_attention": share,
        "of_encoder": float(share * attention / (attention + network)),
    }
