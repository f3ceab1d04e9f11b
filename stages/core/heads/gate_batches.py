"""Gates as tensors, applied to the outputs of heads.

They stand apart from `gates.py`, as whoever only reads which heads were off needs no torch.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from stages.core.heads.gates import Gate, Mode


@dataclass(frozen=True)
class GateBatch:
    """One gate for each row of a batch, as the attention seam applies it.

    `off` is 1 where the head is off, 0 where it is on; values between mix both, so the gate has a
    gradient. `means` are the outputs that the mode `mean` puts in place of a head's own.
    """

    mode: Mode
    off: Float[Tensor, "batch layer head"]
    means: Float[Tensor, "layer head size"] | None = None

    def apply(
        self,
        layer: int,
        output: Float[Tensor, "batch head query size"],
        value: Float[Tensor, "batch head key size"],
        real: Bool[Tensor, "batch key"] | None,
    ) -> Float[Tensor, "batch head query size"]:
        """Replace the output of the heads that are off in `layer`."""
        uniform = uniform_output(value, real) if self.mode == "uniform" else None
        return self.replace(layer, output, uniform)

    def replace(
        self,
        layer: int,
        output: Float[Tensor, "batch head query size"],
        uniform: Float[Tensor, "batch head size"] | None,
    ) -> Float[Tensor, "batch head query size"]:
        """As `apply`, where the output of uniform attention is known (None in other modes)."""
        off = self.off[:, layer, :, None, None].to(output.dtype)
        if self.mode == "zero":
            return output * (1 - off)
        return torch.lerp(output, self.substitute(layer, output, uniform), off)

    def substitute(
        self,
        layer: int,
        output: Float[Tensor, "batch head query size"],
        uniform: Float[Tensor, "batch head size"] | None,
    ) -> Float[Tensor, "batch head query size"]:
        """The output that stands in for each head's own where the head is off."""
        if self.mode == "zero":
            return torch.zeros_like(output)
        if self.mode == "uniform":
            return uniform[:, :, None, :].expand_as(output)
        if self.means is None:
            raise ValueError("mode `mean` needs the mean output of every head")
        return self.means[layer, :, None, :].to(output.dtype).expand_as(output)


def uniform_output(
    value: Float[Tensor, "batch head key size"], real: Bool[Tensor, "batch key"] | None
) -> Float[Tensor, "batch head size"]:
    """The output of a head that attends to every real token alike."""
    if real is None:
        return value.mean(dim=2)
    weights = real.to(value.dtype)
    weights = weights / weights.sum(dim=1, keepdim=True)
    return torch.einsum("bk,bhkd->bhd", weights, value)


def off_matrix(gates: Iterable[Gate], layers: int, heads: int) -> Float[Tensor, "gate layer head"]:
    """1 where a gate turns a head off, else 0."""
    gates = list(gates)
    off = torch.zeros(len(gates), layers, heads)
    for row, gate in enumerate(gates):
        for layer, head in gate.heads:
            off[row, layer, head] = 1.0
    return off
