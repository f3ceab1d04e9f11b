"""A BERT-like layer in its three parts, so that a grid can run each part no more than it must.

transformers runs a layer only as a whole. What differs between the families is where the same
matrices are kept; dropout is off, as the wrapped models are in evaluation mode.
"""

from abc import ABC, abstractmethod

from jaxtyping import Float
from torch import Tensor, nn

Hidden = Float[Tensor, "batch token hidden"]
Heads = Float[Tensor, "batch head token size"]


class Layer(ABC):
    """One layer: projections, mixing the heads into the residual stream, feed-forward network."""

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

    @abstractmethod
    def mix(self, context: Hidden, residual: Hidden) -> Hidden:
        """The heads' outputs, side by side, through the output projection, residual and norm."""

    @abstractmethod
    def feed_forward(self, hidden: Hidden) -> Hidden:
        """The feed-forward network with its residual and norm."""

    def project(self, hidden: Hidden, asking: Hidden) -> tuple[Heads, Heads, Heads]:
        """Queries of the tokens `asking`, keys and values of all tokens of `hidden`."""
        size = self.attention.attention_head_size
        query, key, value = self.projections
        return tuple(
            linear(tokens).unflatten(-1, (-1, size)).transpose(1, 2)
            for linear, tokens in ((query, asking), (key, hidden), (value, hidden))
        )


class BertLayer(Layer):
    """Also RoBERTa's, ELECTRA's and MiniLM's."""

    @property
    def attention(self) -> nn.Module:
        return self.module.attention.self

    @property
    def projections(self) -> tuple[nn.Linear, nn.Linear, nn.Linear]:
        return self.attention.query, self.attention.key, self.attention.value

    def mix(self, context: Hidden, residual: Hidden) -> Hidden:
        return self.module.attention.output(context, residual)

    def feed_forward(self, hidden: Hidden) -> Hidden:
        return self.module.output(self.module.intermediate(hidden), hidden)


class DistilBertLayer(Layer):
    """DistilBERT's."""

    @property
    def attention(self) -> nn.Module:
        return self.module.attention

    @property
    def projections(self) -> tuple[nn.Linear, nn.Linear, nn.Linear]:
        return self.attention.q_lin, self.attention.k_lin, self.attention.v_lin

    def mix(self, context: Hidden, residual: Hidden) -> Hidden:
        return self.module.sa_layer_norm(self.attention.out_lin(context) + residual)

    def feed_forward(self, hidden: Hidden) -> Hidden:
        return self.module.output_layer_norm(self.module.ffn(hidden) + hidden)


def layer_parts(module: nn.Module) -> Layer:
    """The parts of a layer of any of the families."""
    return DistilBertLayer(module) if hasattr(module, "sa_layer_norm") else BertLayer(module)
