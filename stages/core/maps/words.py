"""From tokens to words (Clark et al. 2019, section 4.1).

Attention to a word is the sum over its pieces, attention from it the mean over them: rows still add
up to what the tokens of words get. [CLS] and [SEP] are no words; where a root is asked for, [CLS],
or [CLS] and [SEP] together, stand for it, as word 0.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from stages.core.recordings.tokens import Special

FromPieces = Literal["mean", "first"]  # the paper; its code


def membership(
    words: Sequence[Sequence[int]],
    tokens: int,
    device: torch.device | str = "cpu",
    special: Sequence[Sequence[int]] | None = None,
    root_tokens: Sequence[Special] = (Special.CLS,),
) -> Float[Tensor, "text word token"]:
    """1 where a token is a piece of a word.

    Args:
        words: the word of every token of each text, -1 for none.
        tokens: the width of the batch.
        special: the `Special` of every token; where given, the `root_tokens` become word 0 and all
            others move up by one.
    """
    root = special is not None
    count = 1 + max((number for text in words for number in text), default=-1) + root
    parts = torch.zeros(len(words), max(count, 1), tokens, device=device)
    for row, text in enumerate(words):
        places = torch.tensor([(w + root, t) for t, w in enumerate(text) if w >= 0], device=device)
        if len(places):
            parts[row, places[:, 0], places[:, 1]] = 1
        if root:
            parts[row, 0, : len(special[row])] = torch.from_numpy(
                np.isin(special[row], root_tokens)
            ).to(parts)
    return parts


def word_maps(
    maps: Float[Tensor, "text layer head query key"],
    parts: Float[Tensor, "text word token"],
    from_pieces: FromPieces = "mean",
) -> Float[Tensor, "text layer head word word"]:
    """Attention between words; 0 from and to a word without tokens."""
    return from_words(maps @ parts.mT[:, None, None], parts, from_pieces)


def from_words(
    given: Float[Tensor, "text layer head query goal"],
    parts: Float[Tensor, "text word token"],
    from_pieces: FromPieces = "mean",
) -> Float[Tensor, "text layer head word goal"]:
    """What words give, of what their pieces give; 0 from a word without tokens."""
    asking = parts
    if from_pieces == "first":
        asking = parts * (parts.cumsum(-1) == 1)
    asking = asking / asking.sum(-1, keepdim=True).clamp_min(1)
    return asking[:, None, None] @ given


def present(parts: Float[Tensor, "text word token"]) -> Bool[Tensor, "text word"]:
    """Which words have tokens: others are padding, or were cut away."""
    return parts.any(-1)
