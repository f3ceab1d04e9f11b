"""Gates: which heads are off, and what stands in for their output.

Modes:
    zero: the head outputs the zero vector (query-title study; Michel et al. 2019).
    uniform: every attention weight becomes 1/L over the L real tokens, [CLS] and [SEP] among them
        (Kovaleva et al. 2019, section 4.6).
    mean: the head outputs its mean output over a reference set.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

Mode = Literal["zero", "uniform", "mean"]
Head = tuple[int, int]  # (layer, head), both from 0


@dataclass(frozen=True)
class Gate:
    """Heads that are off together, and the place of that set in an experiment.

    `family` is `head`, `layer` or `random`. A random gate is one draw of a share of the heads in a
    band of layers: `all`, the `lower` half or the `upper` half.
    """

    mode: Mode
    heads: tuple[Head, ...]
    family: str
    band: str = ""
    share: float = float("nan")
    draw: int = -1

    @property
    def first_layer(self) -> int:
        """The first layer that the gate changes; gates that change nothing have no first layer."""
        return min(layer for layer, _ in self.heads)

    @property
    def name(self) -> str:
        """As `zero-head-3.7`, `mean-layer-2` or `uniform-random-lower-0.4-9`."""
        if self.family == "head":
            return f"{self.mode}-head-{self.heads[0][0]}.{self.heads[0][1]}"
        if self.family == "layer":
            return f"{self.mode}-layer-{self.first_layer}"
        return f"{self.mode}-{self.family}-{self.band}-{self.share:g}-{self.draw}"


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


def single_heads(layers: int, heads: int, mode: Mode) -> Iterator[Gate]:
    """Every head alone (Kovaleva et al. 2019, figure 8; query-title study, section 2.4.2)."""
    for layer in range(layers):
        for head in range(heads):
            yield Gate(mode, ((layer, head),), "head")


def whole_layers(layers: int, heads: int, mode: Mode) -> Iterator[Gate]:
    """Every layer with all its heads (Kovaleva et al. 2019, figure 9; query-title, section 2.1)."""
    for layer in range(layers):
        yield Gate(mode, tuple((layer, head) for head in range(heads)), "layer")


def bands(layers: int) -> dict[str, range]:
    """All layers, their lower half and their upper half (an odd middle layer counts as upper)."""
    return {
        "all": range(layers),
        "lower": range(layers // 2),
        "upper": range(layers // 2, layers),
    }


def random_shares(
    layers: int, heads: int, mode: Mode, shares: Iterable[float], draws: int, seed: int
) -> Iterator[Gate]:
    """`draws` random sets for each share (0 to 1) of each band's heads (query-title, section 2.1).

    The same draw turns the same heads off in every mode. A share that leaves no choice (everything
    off) is one gate, not `draws` equal ones; a share that rounds to no head at all is left out.
    """
    for band_number, (band, band_layers) in enumerate(bands(layers).items()):
        members = [(layer, head) for layer in band_layers for head in range(heads)]
        for share in shares:
            count = round(share * len(members))
            if count == 0:
                continue
            for draw in range(draws if count < len(members) else 1):
                generator = np.random.default_rng([seed, band_number, count, draw])
                drawn = sorted(generator.permutation(len(members))[:count].tolist())
                yield Gate(
                    mode, tuple(members[place] for place in drawn), "random", band, share, draw
                )
