"""The modules of an encoder's layers, found by what its family calls them."""

from collections.abc import Callable
from operator import attrgetter
from typing import NamedTuple

from torch import Tensor, nn
from transformers import PreTrainedModel

from stages.core.encoder.families import Family, family_of


class LayerModules(NamedTuple):
    """The parts of one layer, in the order in which a hidden state passes them.

    `attention` is the module that the attention function gets; `output` projects the heads'
    outputs, side by side; `mixing_norm` is the norm of the residual stream after the heads were
    added to it, `network_norm` after the feed-forward network was.
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


def layer_holder(model: PreTrainedModel) -> nn.Module:
    """The module that holds the encoder's layers as its attribute `layer`."""
    return attrgetter(family_of(model.config).holder)(model.base_model)


def layer_modules(layer: nn.Module, family: Family) -> LayerModules:
    """The parts of a layer."""
    return LayerModules(*(attrgetter(path)(layer) for path in family.modules))
