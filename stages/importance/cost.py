"""Floating-point operations of forward passes and grids, a multiplication and an addition as two.

Matrix products only: what is left out (norms, softmax, embeddings) grows with tokens times hidden
size, a few hundredths of what is counted.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Int
from transformers import PreTrainedConfig

from stages.core.encoder.families import family_of
from stages.core.heads.gates import Gate, single_heads
from stages.core.intervals.intervals import draw_samples, percentile_interval
from stages.core.tables import estimate_columns


@dataclass(frozen=True)
class Geometry:
    """Sizes of a BERT-like encoder."""

    layers: int
    heads: int
    hidden: int
    feed_forward: int

    @classmethod
    def of(cls, config: PreTrainedConfig) -> "Geometry":
        """The sizes that a configuration names, in the words of any family."""
        inner = getattr(config, family_of(config).inner_size)
        return cls(config.num_hidden_layers, config.num_attention_heads, config.hidden_size, inner)

    @property
    def square(self) -> int:
        """One vector through one of the four projections of attention."""
        return 2 * self.hidden**2

    @property
    def network(self) -> int:
        """One vector through the feed-forward network."""
        return 4 * self.hidden * self.feed_forward

    def layer(self, tokens: int) -> int:
        """One layer, every token asking every token."""
        attention = 4 * tokens**2 * self.hidden
        return tokens * (4 * self.square + self.network) + attention

    def forward(self, tokens: int) -> int:
        """All layers in full, as transformers runs them."""
        return self.layers * self.layer(tokens)

    def gradients(self, tokens: int) -> int:
        """One pass forward, and one backward to all gates that needs no gradients of weights.

        Backwards, a product with weights costs what it does forward; of attention's products of
        two activations each becomes two.
        """
        attention = self.layers * 4 * tokens**2 * self.hidden
        return 2 * self.forward(tokens) + attention

    def last_layer(self, tokens: int) -> int:
        """The last layer where its first token alone asks (`Layer.attend_from_first`)."""
        one_query = 4 * tokens * self.heads * self.hidden
        return 4 * self.square + self.network + one_query

    def least_forward(self, tokens: int) -> int:
        """The fewest operations for one classification that are known to give the same logits."""
        return (self.layers - 1) * self.layer(tokens) + self.last_layer(tokens)

    def least_suffix(self, gate: Gate, tokens: int, by_terms: bool = True) -> int:
        """The operations for one gate, once all below its first layer's heads is known.

        Args:
            by_terms: of the sums over heads that the first layer's output projection and, through
                it, its network's first projection make, only the terms that change are made anew:
                the fewest operations known. Otherwise both are made as a whole.
        """
        first = gate.first_layer
        asking = 1 if first == self.layers - 1 else tokens
        changed = len([head for layer, head in gate.heads if layer == first])
        terms = min(changed / self.heads, 1) if by_terms else 1
        suffix = asking * (terms * (self.square + self.network / 2) + self.network / 2)
        if first < self.layers - 1:
            between = self.layers - 2 - first
            suffix += between * self.layer(tokens) + self.last_layer(tokens)
        return int(suffix)


def least_for_grid(
    geometry: Geometry, gates: Iterable[Gate], lengths: Iterable[int], by_terms: bool = True
) -> int:
    """The operations for all gates on examples of these lengths, unpadded; see `least_suffix`."""
    gates = list(gates)
    return sum(
        geometry.least_forward(tokens)
        + sum(geometry.least_suffix(gate, tokens, by_terms) for gate in gates)
        for tokens in map(int, lengths)
    )


def cost_table(
    geometry: Geometry, lengths: Int[np.ndarray, " example"], resamples: int, seed: int
) -> pd.DataFrame:
    """What importance of all heads costs by gradients and by the exact grid, on the same examples.

    Operations are counted and no seconds, which differ from run to run. The grid's are the fewest
    that are known (`least_for_grid`).

    Returns:
        One row: examples, grid_passes and gradient_passes (operations as a multiple of those of one
        forward pass of the examples), ratio (the gradients' as a share of the grid's), ratio_low,
        ratio_high. The bootstrap draws examples, so the interval is of texts of other lengths.
    """
    gates = list(single_heads(geometry.layers, geometry.heads, "zero"))
    of_lengths = {
        tokens: (
            geometry.forward(tokens),
            least_for_grid(geometry, gates, [tokens]),
            geometry.gradients(tokens),
        )
        for tokens in map(int, np.unique(lengths))
    }
    forward, grid, gradients = np.array([of_lengths[int(tokens)] for tokens in lengths], float).T
    samples = draw_samples(len(lengths), resamples, seed)
    again = gradients[samples].sum(axis=1) / grid[samples].sum(axis=1)
    ratio = estimate_columns("ratio", gradients.sum() / grid.sum(), *percentile_interval(again))
    passes = {"grid_passes": grid, "gradient_passes": gradients}
    counted = {name: operations.sum() / forward.sum() for name, operations in passes.items()}
    return pd.DataFrame([{"examples": len(lengths), **counted, **ratio}])
