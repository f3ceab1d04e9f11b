"""The gates of a mode, and on how many examples they run: settings of `ablate`."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import Field, PositiveFloat, PositiveInt

from stages.core.heads.gates import Gate, Mode, random_shares, single_heads, whole_layers
from stages.core.stage.settings import Parameters

Share = Annotated[PositiveFloat, Field(le=1)]
# Of all heads, within a half of the layers (query-title study, section 2.1: up to 50%).
Half = Annotated[PositiveFloat, Field(le=0.5)]


class Sizes(Parameters):
    """Of one mode: how many examples heads and layers have, and which random shares of heads.

    `half_shares` are of all heads, too, but within the lower and within the upper half alone.
    """

    examples: PositiveInt | None
    shares: list[Share]
    half_shares: list[Half]
    draws: PositiveInt
    share_examples: PositiveInt | None


def fixed_gates(layers: int, heads: int, mode: Mode) -> list[Gate]:
    """Every head and every layer."""
    return [*single_heads(layers, heads, mode), *whole_layers(layers, heads, mode)]


def random_gates(
    layers: int,
    heads: int,
    mode: Mode,
    shares: Sequence[float],
    half_shares: Sequence[float],
    draws: int,
    seed: int,
) -> Iterator[Gate]:
    """Random sets of the heads of all layers, and of the lower or the upper half alone.

    Args:
        shares: of all heads, drawn from all layers.
        half_shares: of all heads, drawn within a half: a gate's share is that of the half's heads.
    """
    of_half = [2 * share for share in half_shares]
    gates = random_shares(layers, heads, mode, sorted({*shares, *of_half}), draws, seed)
    for gate in gates:
        if gate.share in (shares if gate.band == "all" else of_half):
            yield gate
