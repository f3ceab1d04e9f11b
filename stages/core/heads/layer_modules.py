"""Where the families of BERT-like encoders keep the parts of a layer."""

from collections.abc import Callable
from typing import NamedTuple

from torch import Tensor, nn


class LayerModules(NamedTuple):
    """The parts of one layer, in the order in which a hidden state passes them.

    `attention` is the module that the attention function is called with; `output` is what the
    heads' outputs, side by side, go through; `mixing_norm` is the norm of the residual stream after
    the heads were added to it, `network_norm` after the feed-forward network was.
    """

    attention: nn.Module
    query: nn.Linear
    key: nn.Linear
    value: nn.Linear
    output: nn.Linear
    mixing_norm: nn.LayerNorm
    inner: nn.Linear
    activation: Callable[[Tensor], Tensor]
    outer: nn.Linear
    network_norm: nn.LayerNorm


def layer_modules(layer: nn.Module) -> LayerModules:
    """The parts of a layer of DistilBERT's, or of BERT's (also RoBERTa's, ELECTRA's, MiniLM's)."""
    if hasattr(layer, "sa_layer_norm"):
        attention, network = layer.attention, layer.ffn
        return LayerModules(
            attention,
            attention.q_lin,
            attention.k_lin,
            attention.v_lin,
            attention.out_lin,
            layer.sa_layer_norm,
            network.lin1,
            network.activation,
            network.lin2,
            layer.output_layer_norm,
        )
    attention = layer.attention.self
    return LayerModules(
        attention,
        attention.query,
        attention.key,
        attention.value,
        layer.attention.output.dense,
        layer.attention.output.LayerNorm,
        layer.intermediate.dense,
        layer.intermediate.intermediate_act_fn,
        layer.output.dense,
        layer.output.LayerNorm,
    )
