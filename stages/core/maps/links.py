"""Attention between tokens that belong together (Kovaleva et al. 2019, sections 4.2 and 4.5).

Per head and text: the largest weight between any two tokens of a link, in either direction, and of
the links of the text the largest, or their sum. Beside it stands what the head gives to tokens that
are as far apart elsewhere in the same text: a head that looks at the next token but one finds many
links.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from stages.core.intervals.groups import group_means
from stages.core.recordings.recording import Recording, Texts
from stages.core.tables import estimate_columns

# Tokens of one side and of the other.
Link = tuple[Sequence[int], Sequence[int]]
# The links of a text, given its place in the corpus and the tokens of each of its words.
FindLinks = Callable[[int, list[list[int]]], list[Link]]
# How the links of a text become one weight; the first is the source's.
Aggregate = Literal["maximum", "sum"]
AGGREGATES: tuple[Aggregate, ...] = ("maximum", "sum")


@dataclass(frozen=True)
class Weights:
    """What every head gives in each text that has links.

    Attributes:
        linked: to the links.
        moved: to the same links moved elsewhere in the text, mean over moves; NaN where they
            cannot be moved.
        near: from tokens of text to the tokens beside them, added up.
        between: from tokens of text to tokens of text, added up.
        groups: what texts were written together.
    """

    linked: Float[np.ndarray, "text head"]
    moved: Float[np.ndarray, "text head"]
    near: Float[np.ndarray, "text head"]
    between: Float[np.ndarray, "text head"]
    groups: Int[np.ndarray, " text"]

    def __len__(self) -> int:
        return len(self.groups)

    @property
    def movable(self) -> "Weights":
        """Those of the texts whose links can be moved."""
        kept = ~np.isnan(self.moved).any(1)
        parts = (self.linked, self.moved, self.near, self.between, self.groups)
        return Weights(*(part[kept] for part in parts))


def tokens_of_words(words: Sequence[int], count: int) -> list[list[int]]:
    """The tokens of each of `count` words; none of a word that was cut away."""
    tokens: list[list[int]] = [[] for _ in range(count)]
    for token, word in enumerate(words):
        if word >= 0:
            tokens[word].append(token)
    return tokens


def link_weights(
    maps: Float[Tensor, "head token token"], link: Link, shifts: Sequence[int]
) -> Float[Tensor, "shift head"]:
    """The largest weight between the two sides, in either direction, moved by each of `shifts`."""
    moved = torch.tensor(shifts, device=maps.device)[:, None, None]
    one, other = (torch.tensor(side, device=maps.device) for side in link)
    here, there = one[:, None] + moved, other[None, :] + moved
    both = torch.maximum(maps[:, here, there], maps[:, there, here])
    return both.amax((-2, -1)).T


def shifts_of(links: Sequence[Link], plain: Sequence[bool] | Bool[np.ndarray, " token"]) -> list:
    """How far links can be moved together so that they hit no special token; never 0."""
    tokens = {token for link in links for side in link for token in side}
    return [
        shift
        for shift in range(-min(tokens), len(plain) - max(tokens))
        if shift and all(plain[token + shift] for token in tokens)
    ]


def text_weights(
    maps: Float[Tensor, "head token token"],
    links: Sequence[Link],
    plain: Sequence[bool] | Bool[np.ndarray, " token"],
) -> dict[Aggregate, tuple[Float[np.ndarray, " head"], Float[np.ndarray, " head"]]]:
    """Weight of the links of a text, and of the same links moved, mean over moves (NaN: none).

    The links are aggregated in both: a text's links, and the same links moved alike.
    """
    shifts = [0, *shifts_of(links, plain)]
    each = torch.stack([link_weights(maps, link, shifts) for link in links]).double()
    found: dict[Aggregate, tuple] = {}
    for aggregate, weights in (("maximum", each.amax(0)), ("sum", each.sum(0))):
        linked, *moved = weights.cpu().numpy()
        none = np.full(len(maps), np.nan)
        found[aggregate] = linked, np.mean(moved, axis=0) if moved else none
    return found


def near_weights(
    maps: Float[Tensor, "head token token"], plain: Bool[np.ndarray, " token"]
) -> tuple[Float[np.ndarray, " head"], Float[np.ndarray, " head"]]:
    """What tokens of text give to the tokens of text beside them, and to all tokens of text."""
    text = torch.from_numpy(plain).to(maps)
    between = maps * text[:, None] * text
    near = sum(between.diagonal(offset, -2, -1).sum(-1) for offset in (-1, 1))
    return near.cpu().double().numpy(), between.sum((-2, -1)).cpu().double().numpy()


def linked_weights(
    recording: Recording, texts: Texts, finders: Sequence[FindLinks]
) -> list[dict[Aggregate, Weights]]:
    """Weights of all texts that have links, for each way to find them, in one pass."""
    found: list[dict[int, tuple]] = [{} for _ in finders]
    for batch in recording.batches():
        for place, row in enumerate(batch.rows):
            words = texts.corpus["words"][row]
            if not words:
                continue
            tokens = recording.tokens.iloc[row]
            of_words = tokens_of_words(tokens["word"], len(words))
            plain = np.equal(tokens["special"], 0)
            length = batch.lengths[place]
            maps = batch.maps[place].flatten(0, 1)[:, :length, :length]
            near = near_weights(maps, plain)
            for cases, find in zip(found, finders, strict=True):
                links = [link for link in find(int(row), of_words) if all(link)]
                if links:
                    cases[int(row)] = text_weights(maps, links, plain), near
    heads = recording.layers * recording.heads
    return [
        {aggregate: _weights(cases, aggregate, texts, heads) for aggregate in AGGREGATES}
        for cases in found
    ]


def _weights(cases: dict[int, tuple], aggregate: Aggregate, texts: Texts, heads: int) -> Weights:
    """The weights of all texts, in the order of the corpus."""
    if not cases:
        return Weights(*(np.zeros((0, heads)) for _ in range(4)), np.zeros(0, dtype=int))
    rows = sorted(cases)
    lines = [(*cases[row][0][aggregate], *cases[row][1]) for row in rows]
    return Weights(*(np.stack(part) for part in zip(*lines, strict=True)), texts.groups[rows])


def weights_by_head(
    recording: Recording, weights: Weights, resamples: int, seed: int
) -> pd.DataFrame:
    """One row a head: mean weight over texts, of links moved, and the gain, with intervals."""
    columns = recording.head_keys | {"texts": len(weights)}
    gain = weights.linked - weights.moved
    for name, values in (("weight", weights.linked), ("moved", weights.moved), ("gain", gain)):
        columns |= estimate_columns(name, *group_means(values.T, weights.groups, resamples, seed))
    table = pd.DataFrame(columns)
    return table.assign(percentile=table["weight"].rank(pct=True))


def named_head(recording: Recording, head: int, weights: Weights) -> dict[str, str | float]:
    """The keys of a head, and its weights: the columns `CHOSEN_VALUES`."""
    return {
        "arm": recording.name,
        "layer": head // recording.heads,
        "head": head % recording.heads,
        "weight": weights.linked[:, head].mean(),
        "moved": weights.moved[:, head].mean(),
    }
