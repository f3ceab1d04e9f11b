"""The one seam with the model: attention with gates, recorded maps and recorded head outputs.

transformers 5 swallows `head_mask` without doing anything. What it offers instead is a registered
attention function, which every layer calls with whatever keyword arguments the model's forward got.
"""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface, AttentionMaskInterface, PreTrainedModel
from transformers.masking_utils import sdpa_mask

from stages.core.encoder.families import family_of
from stages.core.heads.gate_batches import GateBatch
from stages.core.heads.layer_modules import layer_holder, layer_modules
from stages.core.heads.layers import Layer, attention_probabilities, encoder_layers

NAME = "gated"

# Called once a layer with the layer and its probabilities in float32: 0 on padding keys; the rows
# of padded queries are finite but mean nothing.
RecordMaps = Callable[[int, Float[Tensor, "batch head query key"]], None]
# Called once a layer with the layer, the output of each head and the mask of real tokens.
RecordOutputs = Callable[
    [int, Float[Tensor, "batch head query size"], Bool[Tensor, "batch key"]], None
]


def attention(
    module: nn.Module,
    query: Float[Tensor, "batch head query size"],
    key: Float[Tensor, "batch head key size"],
    value: Float[Tensor, "batch head key size"],
    attention_mask: Bool[Tensor, "batch 1 query key"] | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    gate: GateBatch | None = None,
    record_maps: RecordMaps | None = None,
    record_outputs: RecordOutputs | None = None,
    **unused: Any,
) -> tuple[Float[Tensor, "batch query head size"], None]:
    """Attention as transformers calls it; without gate and records it is plain SDPA."""
    layer = module.layer_idx
    real = None if attention_mask is None else attention_mask[:, 0, 0, :]
    if record_maps is None:
        output = scaled_dot_product_attention(
            query, key, value, attn_mask=attention_mask, dropout_p=dropout, scale=scaling
        )
    else:
        probabilities = attention_probabilities(query, key, attention_mask, scaling)
        record_maps(layer, probabilities)
        output = probabilities.to(value.dtype) @ value
    if gate is not None:
        output = gate.apply(layer, output, value, real)
    if record_outputs is not None:
        record_outputs(layer, output, _every_token(real, key))
    return output.transpose(1, 2).contiguous(), None


def _every_token(real: Tensor | None, key: Tensor) -> Bool[Tensor, "batch key"]:
    if real is not None:
        return real
    return torch.ones(key.shape[0], key.shape[2], dtype=torch.bool, device=key.device)


AttentionInterface.register(NAME, attention)
# Without a mask function of the same name transformers drops the padding mask silently.
AttentionMaskInterface.register(NAME, sdpa_mask)


class Gated:
    """A BERT-like model, with or without a classifier, whose heads can be gated and recorded.

    Attributes:
        model: the wrapped model, in evaluation mode, on its device.
        family: its record.
        stack: its layers, in order.
        layers, heads: how many of each; `head_size` the width of one head's output.
    """

    def __init__(self, model: PreTrainedModel):
        self.model = model.eval()
        self.model.set_attn_implementation(NAME)
        self.family = family_of(model.config)
        self.holder = layer_holder(model)
        self.stack: nn.ModuleList = self.holder.layer
        self.layers = len(self.stack)
        self.heads = model.config.num_attention_heads
        for index, layer in enumerate(self.stack):
            module = layer_modules(layer, self.family).attention
            module.layer_idx = index  # not every family's attention knows its layer
            self.head_size = module.attention_head_size
        self._parts: dict[torch.dtype, list[Layer]] = {}

    def __call__(
        self,
        inputs: dict[str, Tensor],
        gate: GateBatch | None = None,
        record_maps: RecordMaps | None = None,
        record_outputs: RecordOutputs | None = None,
    ) -> Tensor:
        """Logits [batch, class] of a classifier, or last hidden states [batch, token, hidden].

        `inputs` are the tensors of a `Batch`. Any other keyword raises a TypeError here;
        transformers would swallow it.
        """
        output = self.model(
            **inputs, gate=gate, record_maps=record_maps, record_outputs=record_outputs
        )
        return output.logits if hasattr(output, "logits") else output.last_hidden_state

    def parts(self, dtype: torch.dtype = torch.float32) -> list[Layer]:
        """Its layers in parts; once this was called, no weight of a layer must change or move.

        Args:
            dtype: of matrix products.
        """
        if dtype not in self._parts:
            self._parts[dtype] = encoder_layers(self.stack, self.family, dtype)
        return self._parts[dtype]

    @contextmanager
    def with_stack(self, stack: nn.ModuleList) -> Iterator[None]:
        """Let the model run `stack` in place of its layers meanwhile."""
        self.holder.layer = stack
        try:
            yield
        finally:
            self.holder.layer = self.stack

    def moved(self, device: torch.device) -> "Gated":
        """A copy with weights of its own on another device."""
        return Gated(copy.deepcopy(self.model).to(device))

    def twin(self) -> "Gated":
        """A copy for another thread: the weights are shared, the modules around them are not."""
        weights = [*self.model.parameters(), *self.model.buffers()]
        twin = Gated(copy.deepcopy(self.model, {id(tensor): tensor for tensor in weights}))
        twin._parts = self._parts  # nothing ever changes them
        return twin
