"""A BERT-like layer in its parts, so that a grid can run each part no more than it must.

transformers runs a layer only as a whole. What differs between the families is where the same
matrices are kept; dropout is off, as the wrapped models are in evaluation mode.
"""

from abc import ABC, abstractmethod

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from transformers.activations import GELUActivation

from stages.core.heads.gates import uniform_output
from stages.core.heads.seam import attention_probabilities

Hidden = Float[Tensor, "batch token hidden"]
Heads = Float[Tensor, "batch head token size"]
Inner = Float[Tensor, "batch token inner"]


class Layer(ABC):
    """One layer: attention, mixing the heads into the residual stream, feed-forward network."""

    def __init__(self, module: nn.Module):
        self.module = module

    @property
    @abstractmethod
    def projections(self) -> tuple[nn.Linear, nn.Linear, nn.Linear]:
        """Query, key and value."""

    @property
    @abstractmethod
    def attention(self) -> nn.Module:
        """The module that the attention function is called with."""

    @property
    @abstractmethod
    def output_projection(self) -> nn.Linear:
        """What the heads' outputs, side by side, go through."""

    @property
    @abstractmethod
    def mixing_norm(self) -> nn.LayerNorm:
        """The norm of the residual stream after the heads were added to it."""

    @property
    @abstractmethod
    def network(self) -> tuple[nn.Linear, nn.Module, nn.Linear]:
        """The feed-forward network: first projection, activation, second projection."""

    @property
    @abstractmethod
    def network_norm(self) -> nn.LayerNorm:
        """The norm of the residual stream after the network was added to it."""

    @property
    def head_weights(self) -> Float[Tensor, "head size hidden"]:
        """The part of the output projection that each head's output goes through."""
        weight = self.output_projection.weight
        return weight.T.unflatten(0, (-1, self.attention.attention_head_size))

    def mixed(self, output: Heads, residual: Hidden) -> Hidden:
        """The heads' outputs, through the output projection, added to the residual stream."""
        return self.output_projection(output.transpose(1, 2).flatten(2)).add_(residual)

    def after(self, mixed: Hidden) -> Hidden:
        """The rest of the layer: norm and feed-forward network."""
        hidden = self.mixing_norm(mixed)
        return self.from_sums(self.network[0](hidden), hidden)

    def from_sums(self, sums: Inner, hidden: Hidden) -> Hidden:
        """The feed-forward network from the sums of its first projection on, which are overwritten.

        Args:
            hidden: the network's input, which is its residual too.
        """
        _, activation, outer = self.network
        if isinstance(activation, GELUActivation):
            inner = torch.ops.aten.gelu_(sums)  # the largest tensor of all: not twice in the cache
        else:
            inner = activation(sums)
        return self.network_norm(outer(inner).add_(hidden))

    def by_head(self, projection: nn.Linear, hidden: Hidden) -> Heads:
        """Queries, keys or values of every head."""
        size = self.attention.attention_head_size
        return projection(hidden).unflatten(-1, (-1, size)).transpose(1, 2)

    def attend(
        self, hidden: Hidden, real: Bool[Tensor, "batch token"] | None
    ) -> tuple[Heads, Heads]:
        """Output and value of every head, every token asking."""
        query, key, value = (self.by_head(linear, hidden) for linear in self.projections)
        output = scaled_dot_product_attention(
            query,
            key,
            value,
            attn_mask=None if real is None else real[:, None, None],
            scale=self.attention.scaling,
        )
        return output, value

    def attention_maps(
        self, hidden: Hidden, real: Bool[Tensor, "batch token"] | None
    ) -> Float[Tensor, "batch head query key"]:
        """What every token attends to in every head: probabilities in float32, 0 on padding."""
        query, key = (self.by_head(linear, hidden) for linear in self.projections[:2])
        mask = None if real is None else real[:, None, None]
        return attention_probabilities(query, key, mask, self.attention.scaling)

    def attend_from_first(
        self, hidden: Hidden, real: Bool[Tensor, "batch token"] | None
    ) -> Float[Tensor, "batch head 1 size"]:
        """Output of every head where only the first token asks.

        Exact, but without keys and values: as q (W h) = (q W) h, the projections act on one vector
        a head instead of one a token. The keys' bias shifts all scores alike and drops out.
        """
        size = self.attention.attention_head_size
        query, key, value = self.projections
        asking = query(hidden[:, 0]).unflatten(-1, (-1, size))
        weights = key.weight.unflatten(0, (-1, size))
        folded = torch.einsum("bhs,hsd->bhd", asking, weights)
        scores = (folded @ hidden.mT).float() * self.attention.scaling
        if real is not None:
            scores = scores.masked_fill(~real[:, None], float("-inf"))
        seen = scores.softmax(-1).to(hidden.dtype) @ hidden
        weights = value.weight.unflatten(0, (-1, size))
        output = torch.einsum("bhd,hsd->bhs", seen, weights) + value.bias.unflatten(0, (-1, size))
        return output[:, :, None]

    def uniform_output(
        self, hidden: Hidden, real: Bool[Tensor, "batch token"] | None
    ) -> Float[Tensor, "batch head size"]:
        """What each head gives out that attends to every real token alike, without all values."""
        mean = uniform_output(hidden[:, None], real)[:, 0]
        return self.projections[2](mean).unflatten(-1, (-1, self.attention.attention_head_size))


class BertLayer(Layer):
    """Also RoBERTa's, ELECTRA's and MiniLM's."""

    @property
    def attention(self) -> nn.Module:
        return self.module.attention.self

    @property
    def projections(self) -> tuple[nn.Linear, nn.Linear, nn.Linear]:
        return self.attention.query, self.attention.key, self.attention.value

    @property
    def output_projection(self) -> nn.Linear:
        return self.module.attention.output.dense

    @property
    def mixing_norm(self) -> nn.LayerNorm:
        return self.module.attention.output.LayerNorm

    @property
    def network(self) -> tuple[nn.Linear, nn.Module, nn.Linear]:
        first, second = self.module.intermediate, self.module.output
        return first.dense, first.intermediate_act_fn, second.dense

    @property
    def network_norm(self) -> nn.LayerNorm:
        return self.module.output.LayerNorm


class DistilBertLayer(Layer):
    """DistilBERT's."""

    @property
    def attention(self) -> nn.Module:
        return self.module.attention

    @property
    def projections(self) -> tuple[nn.Linear, nn.Linear, nn.Linear]:
        return self.attention.q_lin, self.attention.k_lin, self.attention.v_lin

    @property
    def output_projection(self) -> nn.Linear:
        return self.attention.out_lin

    @property
    def mixing_norm(self) -> nn.LayerNorm:
        return self.module.sa_layer_norm

    @property
    def network(self) -> tuple[nn.Linear, nn.Module, nn.Linear]:
        network = self.module.ffn
        return network.lin1, network.activation, network.lin2

    @property
    def network_norm(self) -> nn.LayerNorm:
        return self.module.output_layer_norm


def real_tokens(inputs: dict[str, Tensor]) -> Bool[Tensor, "batch token"] | None:
    """Which tokens of a batch are no padding; None where none is, which attention does faster."""
    real = inputs["attention_mask"].bool()
    return None if real.all() else real


def layer_parts(module: nn.Module) -> Layer:
    """The parts of a layer of any of the families."""
    return DistilBertLayer(module) if hasattr(module, "sa_layer_norm") else BertLayer(module)
