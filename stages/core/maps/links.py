"""Attention between tokens that belong together (Kovaleva et al. 2019, sections 4.2 and 4.4).

Per head and text: the largest weight between any two tokens of a link, in either direction, and the
largest over the links of the text. Beside it stands what the head gives to tokens that are as far
apart elsewhere in the same text: a head that looks at the next token but one finds many links.
"""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int
from torch import Tensor

from stages.core.intervals.groups import group_means, group_ratio
from stages.core.intervals.held_out import CHOICE_COLUMNS, best_of_halves, halves, held_out
from stages.core.recordings.recording import Recording, Texts
from stages.core.stage.tables import interval_columns, interval_names

# Tokens of one side and of the other.
Link = tuple[Sequence[int], Sequence[int]]
# The links of a text, given its place in the corpus and the tokens of each of its words.
FindLinks = Callable[[int, list[list[int]]], list[Link]]
# Of each text that has links: its weights, those of the links moved, and its group.
Weights = tuple[
    Float[np.ndarray, "text head"], Float[np.ndarray, "text head"], Int[np.ndarray, " text"]
]

# The columns of `weights_by_head`, `moved_share` and `best_table`.
WEIGHT_COLUMNS = (
    "encoder",
    "layer",
    "head",
    "texts",
    *interval_names(value="weight"),
    *interval_names("moved", "weight"),
    *interval_names("gain", "weight"),
    "percentile",
)
CHOSEN_COLUMNS = ("encoder", "layer", "head", "weight", "moved_weight")
MOVED_SHARE_COLUMNS = (*CHOSEN_COLUMNS, *interval_names(value="value"), "same", "texts")
BEST_COLUMNS = (*CHOSEN_COLUMNS, *CHOICE_COLUMNS)


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


def shifts_of(links: Sequence[Link], plain: Sequence[bool]) -> list[int]:
    """How far links can be moved together so that they hit no special token; never 0."""
    tokens = {token for link in links for side in link for token in side}
    return [
        shift
        for shift in range(-min(tokens), len(plain) - max(tokens))
        if shift and all(plain[token + shift] for token in tokens)
    ]


def text_weights(
    maps: Float[Tensor, "head token token"], links: Sequence[Link], plain: Sequence[bool]
) -> tuple[Float[np.ndarray, " head"], Float[np.ndarray, " head"]]:
    """Weight of the links of a text, and of the same links moved, mean over moves (NaN: none).

    The maximum over links is taken in both: of a text's links, and of the same links moved alike.
    """
    shifts = [0, *shifts_of(links, plain)]
    weights = torch.stack([link_weights(maps, link, shifts) for link in links]).amax(0)
    weights = weights.cpu().double().numpy()
    moved = weights[1:].mean(0) if len(shifts) > 1 else np.full(len(maps), np.nan)
    return weights[0], moved


def linked_weights(
    recording: Recording, texts: Texts, finders: Sequence[FindLinks]
) -> list[Weights]:
    """Weights of all texts that have links, for each way to find them, in one pass."""
    found: list[list[tuple]] = [[] for _ in finders]
    for batch in recording.batches():
        for place, row in enumerate(batch.rows):
            words = texts.corpus["words"][row]
            if not words:
                continue
            tokens = recording.tokens.iloc[row]
            of_words = tokens_of_words(tokens["word"], len(words))
            plain = [special == 0 for special in tokens["special"]]
            maps = batch.maps[place].flatten(0, 1)
            for cases, find in zip(found, finders, strict=True):
                links = [link for link in find(int(row), of_words) if all(link)]
                if links:
                    cases.append((int(row), *text_weights(maps, links, plain)))
    heads = recording.layers * recording.heads
    return [_weights(cases, texts, heads) for cases in found]


def _weights(cases: list[tuple], texts: Texts, heads: int) -> Weights:
    if not cases:
        return np.zeros((0, heads)), np.zeros((0, heads)), np.zeros(0, dtype=int)
    cases.sort(key=lambda case: case[0])
    linked, moved = (np.stack([case[part] for case in cases]).astype(float) for part in (1, 2))
    return linked, moved, texts.groups[[case[0] for case in cases]]


def weights_by_head(
    recording: Recording,
    linked: Float[np.ndarray, "text head"],
    moved: Float[np.ndarray, "text head"],
    groups: Int[np.ndarray, " text"],
    resamples: int,
    seed: int,
) -> pd.DataFrame:
    """One row a head: mean weight over texts, of links moved, and the gain, with intervals."""
    columns = recording.places | {"texts": len(linked)}
    for name, values in (("", linked), ("moved", moved), ("gain", linked - moved)):
        means = group_means(values.T, groups, resamples, seed)
        columns |= interval_columns(name, *means, value="weight")
    table = pd.DataFrame(columns)
    return table.assign(percentile=table["weight"].rank(pct=True))


def moved_share(
    recording: Recording,
    linked: Float[np.ndarray, "text head"],
    moved: Float[np.ndarray, "text head"],
    groups: Int[np.ndarray, " text"],
    resamples: int,
    seed: int,
) -> pd.DataFrame:
    """How much of the weight of the head that gives most to links goes to moved links as well.

    The head is chosen by its weight on one half of the texts and scored on the other, both ways:
    `value` is its weight on moved links over its weight on links. Empty where fewer than two texts
    have links that can be moved.
    """
    kept = ~np.isnan(moved).any(1)
    if len(np.unique(groups[kept])) < 2:
        return pd.DataFrame(columns=["encoder", "layer", "head"])
    linked, moved, groups = linked[kept], moved[kept], groups[kept]
    half = halves(groups, seed)
    picks = np.take(best_of_halves(linked, half), 1 - half)
    rows = np.arange(len(linked))
    share = group_ratio(moved[rows, picks], linked[rows, picks], groups, resamples, seed)
    row = {
        **_chosen(recording, int(linked.mean(0).argmax()), linked, moved),
        **interval_columns("", share.value, share.low, share.high, "value"),
        "same": bool(len(np.unique(picks)) == 1),
        "texts": len(linked),
    }
    return pd.DataFrame([row])


def best_table(
    recording: Recording,
    linked: Float[np.ndarray, "text head"],
    moved: Float[np.ndarray, "text head"],
    groups: Int[np.ndarray, " text"],
    resamples: int,
    seed: int,
) -> pd.DataFrame:
    """The head whose weight on links is furthest above that of moved links, held out.

    Texts whose links cannot be moved are left out. Empty where fewer than two are left.
    """
    kept = ~np.isnan(moved).any(1)
    if kept.sum() < 2:
        return pd.DataFrame(columns=["encoder", "layer", "head"])
    gain = (linked - moved)[kept]
    none = np.zeros((len(gain), 1))
    choice = held_out(gain, none, groups[kept], resamples, seed)
    row = _chosen(recording, choice.best, linked[kept], moved[kept]) | choice.columns()
    return pd.DataFrame([row])


def _chosen(
    recording: Recording,
    best: int,
    linked: Float[np.ndarray, "text head"],
    moved: Float[np.ndarray, "text head"],
) -> dict[str, str | float]:
    """The name of a head, and its weights."""
    return {
        "encoder": recording.name,
        "layer": recording.places["layer"][best],
        "head": recording.places["head"][best],
        "weight": linked[:, best].mean(),
        "moved_weight": moved[:, best].mean(),
    }
