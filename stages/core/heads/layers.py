"""The layers of a BERT-like encoder in parts, so that a grid runs no part more than it must.

transformers runs a layer only as a whole. Here a layer is its matrices, and half of its biases are
where adding them costs no pass over a tensor, which changes rounding alone:

* The norm's own bias takes up any bias that is added to the residual stream behind it (the output
  projection's, the network's second). Each reader of the norm takes it off in a bias of its own:
  W (x + b) + (c - W b) = W x + c. So the stream that a layer reads is shifted by the bias of its
  output projection, and products are added to the stream in place.
* The keys' bias, as any shift of all keys, adds the same to all scores of a query; the softmax does
  not see it.

Products, and attention and activation between them, are in the precision asked for. The residual
stream and the norms are in float32: what every layer adds to must not be rounded at every layer.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.functional import layer_norm, scaled_dot_product_attention
from transformers.activations import GELUActivation

from stages.core.encoder.families import Family
from stages.core.heads.gate_batches import uniform_output
from stages.core.heads.layer_modules import LayerModules, layer_modules

Hidden = Float[Tensor, "batch token hidden"]
Heads = Float[Tensor, "batch head token size"]
Inner = Float[Tensor, "batch token inner"]
# Of the tokens that ask: all, or the first.
Asking = Float[Tensor, "batch asking hidden"]
AskingHeads = Float[Tensor, "batch head asking size"]


@dataclass(frozen=True)
class Norm:
    """A layer norm; its bias includes the shift of the stream behind it."""

    weight: Float[Tensor, " hidden"]
    bias: Float[Tensor, " hidden"]
    epsilon: float

    @classmethod
    def of(cls, module: nn.LayerNorm, shift: Float[Tensor, " hidden"] | float) -> "Norm":
        """The norm of a module, with its output shifted."""
        return cls(module.weight.detach(), module.bias.detach() + shift, module.eps)

    def __call__(self, stream: Hidden) -> Hidden:
        """Norm of a hidden state."""
        return layer_norm(stream, self.weight.shape, self.weight, self.bias, self.epsilon)


class Projection:
    """A matrix product with a bias, of rows that are shifted by a constant.

    Attributes:
        weight: [inputs, outputs].
        bias: None where it does not matter.
    """

    def __init__(
        self,
        module: nn.Linear,
        dtype: torch.dtype,
        shift: Float[Tensor, " input"] | None = None,
        biased: bool = True,
    ):
        self.weight = module.weight.detach().to(dtype).T
        bias = module.bias.detach() if biased else None
        if bias is not None and shift is not None:
            bias = bias - module.weight.detach() @ shift
        self.bias = None if bias is None else bias.to(dtype)

    def __call__(self, rows: Float[Tensor, "row input"]) -> Float[Tensor, "row output"]:
        """The product, with its bias."""
        if self.bias is None:
            return rows @ self.weight
        if rows.device.type == "cpu" and rows.dtype == torch.float32:
            # addmm fills the result with the bias first, and reads it back to add the product.
            return (rows @ self.weight).add_(self.bias)
        return torch.addmm(self.bias, rows, self.weight)

    def add_to(
        self, stream: Float[Tensor, "row output"], rows: Float[Tensor, "row input"]
    ) -> Float[Tensor, "row output"]:
        """The product without a bias, added to `stream` in place."""
        if stream.dtype == rows.dtype:
            return stream.addmm_(rows, self.weight)
        return stream.add_(rows @ self.weight)


class Layer:
    """One layer: attention, mixing the heads into the residual stream, feed-forward network.

    Every `hidden` and `stream` is in float32; those that the layer reads are shifted by `shift`.
    """

    def __init__(self, modules: LayerModules, dtype: torch.dtype, next_shift: Tensor | float):
        """Prepare a layer.

        Args:
            dtype: of matrix products.
            next_shift: the shift that the reader of this layer's output expects of it.
        """
        self.dtype = dtype
        self.size: int = modules.attention.attention_head_size
        self.scaling: float = modules.attention.scaling
        self.shift = modules.output.bias.detach()
        self.query = Projection(modules.query, dtype, self.shift)
        self.key = Projection(modules.key, dtype, biased=False)
        self.value = Projection(modules.value, dtype, self.shift)
        self.output = Projection(modules.output, dtype, biased=False)
        outer_bias = modules.outer.bias.detach()
        self.mixing_norm = Norm.of(modules.mixing_norm, outer_bias)
        self.inner = Projection(modules.inner, dtype, outer_bias)
        self.activation = modules.activation
        self.outer = Projection(modules.outer, dtype, biased=False)
        self.network_norm = Norm.of(modules.network_norm, next_shift)

    def from_output(self, output: AskingHeads, hidden: Hidden) -> Asking:
        """The layer from its heads' outputs on, for the tokens that asked.

        Args:
            hidden: what the layer read; may be overwritten.
        """
        return self.after(self.mixed(output, asking_tokens(hidden, output).contiguous()))

    @property
    def head_weights(self) -> Float[Tensor, "head size hidden"]:
        """The part of the output projection that each head's output goes through."""
        return self.output.weight.unflatten(0, (-1, self.size))

    def mixed(self, output: AskingHeads, stream: Asking) -> Asking:
        """The heads' outputs, through the output projection, added to the stream in place."""
        rows = output.transpose(1, 2).flatten(2).flatten(0, 1)
        self.output.add_to(stream.view(-1, stream.shape[-1]), rows)
        return stream

    def after(self, mixed: Hidden) -> Hidden:
        """The rest of the layer: norm and feed-forward network."""
        hidden = self.mixing_norm(mixed)
        return self.from_sums(self.inner(self._rows(hidden)), hidden)

    def from_sums(self, sums: Float[Tensor, "row inner"], hidden: Hidden) -> Hidden:
        """The feed-forward network from the sums of its first projection on.

        Args:
            sums: are overwritten.
            hidden: the network's input, shifted by its second bias; it is its residual too, and
                overwritten.
        """
        if isinstance(self.activation, GELUActivation):
            inner = torch.ops.aten.gelu_(sums)  # the largest tensor of all: not twice in the cache
        else:
            inner = self.activation(sums)
        self.outer.add_to(hidden.view(-1, hidden.shape[-1]), inner)
        return self.network_norm(hidden)

    def attend(
        self, hidden: Hidden, real: Bool[Tensor, "batch token"] | None
    ) -> tuple[Heads, Heads]:
        """Output and value of every head, every token asking."""
        rows = self._rows(hidden)
        query, key, value = (
            self._by_head(part(rows), hidden) for part in (self.query, self.key, self.value)
        )
        mask = None if real is None else real[:, None, None]
        output = scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=self.scaling)
        return output, value

    def queries_and_keys(self, hidden: Hidden) -> tuple[Heads, Heads]:
        """Queries and keys of every head; keys lack their bias, which no softmax over them sees."""
        rows = self._rows(hidden)
        query, key = (self._by_head(part(rows), hidden) for part in (self.query, self.key))
        return query, key

    def values(self, hidden: Hidden) -> Heads:
        """Values of every head."""
        return self._by_head(self.value(self._rows(hidden)), hidden)

    def attend_from_first(
        self, hidden: Hidden, real: Bool[Tensor, "batch token"] | None
    ) -> Float[Tensor, "batch head 1 size"]:
        """Output of every head where only the first token asks.

        Exact, but without keys and values: as q (W h) = (q W) h, the projections act on one vector
        a head instead of one a token.
        """
        hidden = hidden.to(self.dtype)
        asking = self.query(hidden[:, 0]).unflatten(-1, (-1, self.size))
        folded = torch.einsum(
            "bhs,dhs->bhd", asking, self.key.weight.unflatten(1, asking.shape[1:])
        )
        scores = (folded @ hidden.mT).float() * self.scaling
        if real is not None:
            scores = scores.masked_fill(~real[:, None], float("-inf"))
        seen = scores.softmax(-1).to(self.dtype) @ hidden
        weights = self.value.weight.unflatten(1, asking.shape[1:])
        output = torch.einsum("bhd,dhs->bhs", seen, weights)
        return (output + self.value.bias.unflatten(0, asking.shape[1:]))[:, :, None]

    def uniform_output(
        self, hidden: Hidden, real: Bool[Tensor, "batch token"] | None
    ) -> Float[Tensor, "batch head size"]:
        """Output of heads that attend to every real token alike, without computing all values."""
        mean = uniform_output(hidden[:, None], real)[:, 0].to(self.dtype)
        return self.value(mean).unflatten(-1, (-1, self.size))

    def _rows(self, hidden: Hidden) -> Float[Tensor, "row hidden"]:
        return hidden.flatten(0, 1).to(self.dtype)

    def _by_head(self, rows: Float[Tensor, "row hidden"], hidden: Hidden) -> Heads:
        return rows.view(*hidden.shape[:2], -1, self.size).transpose(1, 2)


def encoder_layers(stack: Iterable[nn.Module], family: Family, dtype: torch.dtype) -> list[Layer]:
    """The layers of an encoder in parts; the last one's output is not shifted.

    Args:
        stack: its layers as transformers has them, in float32.
        dtype: of matrix products.
    """
    modules = [layer_modules(layer, family) for layer in stack]
    shifts = [following.output.bias.detach() for following in modules[1:]]
    return [
        Layer(layer, dtype, shift) for layer, shift in zip(modules, [*shifts, 0.0], strict=True)
    ]


def asking_tokens(hidden: Hidden, output: AskingHeads) -> Asking:
    """The hidden states of the tokens that asked."""
    return hidden[:, : output.shape[2]]


def attention_probabilities(
    query: Heads,
    key: Heads,
    attention_mask: Bool[Tensor, "batch 1 #query key"] | None,
    scaling: float | None,
) -> Float[Tensor, "batch head query key"]:
    """softmax(q k / sqrt(size)) in float32; exactly 0 on masked keys."""
    scaling = query.shape[-1] ** -0.5 if scaling is None else scaling
    queries, keys = query.flatten(0, 1), key.flatten(0, 1)
    # With beta = 0 nothing is added to the product; some devices read the addend even then.
    scores = torch.baddbmm(query.new_zeros(1), queries, keys.mT, beta=0, alpha=scaling)
    scores = scores.unflatten(0, query.shape[:2]).float()
    if attention_mask is not None:
        # Adding few numbers is several times as fast as filling all scores.
        scores += torch.zeros_like(attention_mask, dtype=scores.dtype).masked_fill_(
            ~attention_mask, float("-inf")
        )
    return scores.softmax(dim=-1)


def real_tokens(inputs: dict[str, Tensor]) -> Bool[Tensor, "batch token"] | None:
    """Which tokens of a batch are no padding; None without padding, where attention is faster."""
    real = inputs["attention_mask"].bool()
    return None if real.all() else real
