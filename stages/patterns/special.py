"""The rule `special`: Vertical is attention to [CLS] and [SEP] (Kovaleva et al. 2019, section 4.1).

The classifier tells what a map looks like, whichever token a stripe stands on (the rule `any`). The
source calls Vertical what "mainly corresponds to attention to special BERT tokens", and
Heterogeneous what is "highly variable depending on the specific input": a stripe on a word is the
latter, as another text has other words. Which of them a map is follows from its tokens.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from pydantic import Field, NonNegativeInt
from torch import Tensor

from stages.core.encoder.families import WORD_MARKS
from stages.core.recordings.tokens import CLS_TOKENS, SEP_TOKENS
from stages.core.stage.settings import Parameters
from stages.patterns.labelled_maps import CLASSES

VERTICAL, DIAGONAL, BOTH, _, HETEROGENEOUS = range(len(CLASSES))
Share = Annotated[float, Field(ge=0, le=1)]


class SpecialRule(Parameters):
    """What counts under the rule `special`: `patterns.special` of `params.yaml`."""

    punctuation: list[str]
    neighbours: NonNegativeInt
    beyond: Share
    to_special: Share


def special_tokens(tokens: Sequence[str], punctuation: Sequence[str]) -> Bool[np.ndarray, " token"]:
    """Which tokens are [CLS], [SEP] (as any family spells them) or one of the marks."""
    bare = [token.lstrip(WORD_MARKS) for token in tokens]
    return np.isin(list(tokens), (*CLS_TOKENS, *SEP_TOKENS)) | np.isin(bare, list(punctuation))


def attention_parts(
    maps: Float[Tensor, "map query key"], special: Bool[Tensor, " key"], neighbours: int
) -> tuple[Float[Tensor, " map"], Float[Tensor, " map"]]:
    """Shares of the attention of maps of one text, over all its tokens.

    Args:
        neighbours: tokens to either side that count as a token's neighbours, with itself.

    Returns:
        The share on special tokens farther away than the neighbours, and the share beyond both: on
        no special token and on no neighbour.
    """
    place = torch.arange(maps.shape[-1], device=maps.device)
    far = (place[None, :] - place[:, None]).abs() > neighbours
    to_special, beyond = (
        (maps * (far & keys)).sum((1, 2)) / maps.shape[1] for keys in (special, ~special)
    )
    return to_special, beyond


def under_special(
    codes: Int[np.ndarray, "*map"],
    to_special: Float[np.ndarray, "*map"],
    beyond: Float[np.ndarray, "*map"],
    rule: SpecialRule,
) -> Int[np.ndarray, "*map"]:
    """The classes under the rule `special` of maps that have the classes `codes` under `any`.

    A map with a stripe or a diagonal is Heterogeneous where more than `rule.beyond` of its
    attention goes to neither special tokens nor neighbours. Of the others a Vertical + Diagonal one
    is Diagonal, and a Vertical one Heterogeneous, where less than `rule.to_special` goes to special
    tokens: its stripes stand on others. Block and Heterogeneous stay.
    """
    striped = np.isin(codes, (VERTICAL, BOTH))
    elsewhere = np.isin(codes, (VERTICAL, BOTH, DIAGONAL)) & (beyond > rule.beyond)
    unmarked = striped & (to_special < rule.to_special)
    result = np.where(unmarked, np.where(codes == BOTH, DIAGONAL, HETEROGENEOUS), codes)
    return np.where(elsewhere, HETEROGENEOUS, result)
