"""Vig's patterns of attention as strengths (Vig 2019, part one; part two for `sentence`).

A strength is 0 where a head attends to all tokens alike and 1 where it follows the pattern alone.
"""

import pandas as pd
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from stages.core.encoder.families import WORD_MARKS
from stages.core.maps.statistics import TokenKinds
from stages.core.recordings.recording import MapBatch, Recording
from stages.core.recordings.tokens import Special

VIG_PATTERNS = ("next", "previous", "related", "related_other", "pieces", "delimiter", "sentence")


def related_words(words: list[dict], numbers: list[int], pieces: list[str]) -> list[str]:
    """What makes tokens identical or related: the lemma of their word; their spelling without one.

    Tokens of no word have the empty string.
    """
    if words:
        return [words[number]["lemma"].lower() if number >= 0 else "" for number in numbers]
    return [
        piece.lower() if number >= 0 else "" for piece, number in zip(pieces, numbers, strict=True)
    ]


class TextTokens:
    """The tokens of some texts as padded tensors."""

    def __init__(self, recording: Recording, corpus: pd.DataFrame, batch: MapBatch):
        width = batch.maps.shape[-1]
        rows = recording.tokens.iloc[batch.rows]
        words = corpus["words"].iloc[batch.rows]

        def padded(values: list[list[int]], empty: int) -> Tensor:
            filled = [list(row) + [empty] * (width - len(row)) for row in values]
            return torch.tensor(filled, device=batch.maps.device)

        names: dict[str, int] = {"": -1}
        related = [
            [names.setdefault(name, len(names)) for name in related_words(*row)]
            for row in zip(words, rows["word"], rows["tokens"], strict=True)
        ]
        self.real = batch.real
        self.word = padded(rows["word"].tolist(), -1)
        self.segment = padded(rows["segments"].tolist(), -1)
        self.special = padded(rows["special"].tolist(), Special.NONE)
        self.related = padded(related, -1)
        self.pieces = rows["tokens"].tolist()

    def kinds(self, punctuation: set[str]) -> TokenKinds:
        """Masks of [CLS], [SEP] and punctuation."""
        width = self.real.shape[1]
        marks = [
            [piece.lstrip(WORD_MARKS) in punctuation for piece in row]
            + [False] * (width - len(row))
            for row in self.pieces
        ]
        return TokenKinds(
            self.real,
            self.special == Special.CLS,
            self.special == Special.SEP,
            torch.tensor(marks, device=self.real.device),
        )


def pattern_targets(tokens: TextTokens) -> dict[str, Bool[Tensor, "text query key"]]:
    """For each of Vig's patterns but `sentence`, which keys a query looks at that follows it."""
    plain = tokens.real & (tokens.special == Special.NONE)
    asking = plain[:, :, None]
    keys = plain[:, None, :]
    width = tokens.real.shape[1]
    place = torch.arange(width, device=tokens.real.device)
    offset = place[None, :] - place[:, None]
    other = offset != 0
    known = tokens.related >= 0
    same = (tokens.related[:, :, None] == tokens.related[:, None]) & known[:, :, None] & other
    piece = (tokens.word[:, :, None] == tokens.word[:, None]) & (tokens.word >= 0)[:, :, None]
    across = tokens.segment[:, :, None] != tokens.segment[:, None]
    special = (tokens.special != Special.NONE)[:, None]
    real = tokens.real[:, None]
    return {
        "next": asking & real & (offset == 1),
        "previous": asking & real & (offset == -1),
        # Pieces of one word are a pattern of their own.
        "related": asking & keys & same & ~piece,
        "related_other": asking & keys & same & ~piece & across,
        "pieces": asking & keys & piece & other,
        "delimiter": asking & special,
    }


def target_strength(
    maps: Float[Tensor, "text head query key"],
    targets: Bool[Tensor, "text query key"],
    lengths: Float[Tensor, " text"],
) -> Float[Tensor, "text head"]:
    """Share of attention on the targets, over queries that have some, as a strength.

    Chance is attention to all tokens alike: 0; all of it on the targets: 1. NaN without targets.
    """
    asking = targets.any(-1)
    count = asking.sum(-1)
    share = (maps * targets[:, None]).sum((-2, -1)) / count[:, None]
    chance = targets.sum((-2, -1)) / lengths / count
    return (share - chance[:, None]) / (1 - chance[:, None])


def sentence_strength(
    maps: Float[Tensor, "text head query key"], tokens: TextTokens, lengths: Float[Tensor, " text"]
) -> Float[Tensor, "text head"]:
    """How evenly a word's attention lies on all words of its sentence, itself among them.

    The overlap of the query's weights with equal weights on the words of its segment: 1 for just
    these, 0 (as a strength) for equal weights on all tokens; a neighbour has 1 / words of it. NaN
    where the text has one segment.
    """
    plain = tokens.real & (tokens.special == Special.NONE)
    inside = plain[:, :, None] & plain[:, None]
    inside &= tokens.segment[:, :, None] == tokens.segment[:, None]
    even = inside / inside.sum(-1, keepdim=True).clamp_min(1)
    share = torch.minimum(maps, even[:, None]).sum((-2, -1)) / plain.sum(-1)[:, None]
    chance = (inside.sum((-2, -1)) / lengths / plain.sum(-1))[:, None]
    strength = (share - chance) / (1 - chance)
    segments = tokens.segment.amax(-1, keepdim=True) > 0
    return strength.masked_fill(~segments, torch.nan)


def pattern_strengths(batch: MapBatch, tokens: TextTokens) -> dict[str, Float[Tensor, "text head"]]:
    """The strength of each of `VIG_PATTERNS` in every head of all layers; NaN where it has none."""
    maps = batch.maps.flatten(1, 2)
    lengths = torch.as_tensor(batch.lengths, device=maps.device).to(maps.dtype)
    found = {
        name: target_strength(maps, targets, lengths)
        for name, targets in pattern_targets(tokens).items()
    }
    return found | {"sentence": sentence_strength(maps, tokens, lengths)}
