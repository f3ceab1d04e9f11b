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
