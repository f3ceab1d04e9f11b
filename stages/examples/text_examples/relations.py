"""How strongly each head follows syntactic relations in texts with annotation, in both directions.

A strength is that of Vig's patterns (`stages.core.maps.vig_patterns`): 0 where a word's attention
lies on all tokens alike, 1 where all of it lies on the word at the other end of the relation.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from stages.core.annotation.relations import relation_of
from stages.core.maps.vig_patterns import target_strength
from stages.core.recordings.recording import MapBatch, Recording
from stages.core.viewer.tables import RELATION
from stages.examples.choosing import Choice, choose_roles

DIRECTIONS = ("dependent to head", "head to dependent")
Relation = tuple[str, str]  # its name, and the direction


def related_tokens(
    words: list[dict], numbers: Sequence[int], relation: str
) -> list[tuple[int, int]]:
    """Pairs of tokens of dependents and of their heads, of words that stand in the relation.

    Args:
        words: with `head`, the place of each one's head (-1: none), and `deprel`.
        numbers: the word of each token; -1 for none.
    """
    heads = {
        place: word["head"]
        for place, word in enumerate(words)
        if word["head"] >= 0 and relation_of(word["deprel"]) == relation
    }
    tokens: dict[int, list[int]] = {}
    for token, word in enumerate(numbers):
        tokens.setdefault(word, []).append(token)
    return [
        (one, other)
        for dependent, head in heads.items()
        for one in tokens.get(dependent, [])
        for other in tokens.get(head, [])
    ]


def relation_targets(
    recording: Recording, corpus: pd.DataFrame, batch: MapBatch, relation: str
) -> Bool[Tensor, "text query key"]:
    """Of each token of a dependent the tokens of its head."""
    texts, *_, width = batch.maps.shape
    targets = torch.zeros(texts, width, width, dtype=torch.bool, device=batch.maps.device)
    for place, row in enumerate(batch.rows):
        numbers = recording.tokens["word"].iloc[row]
        for one, other in related_tokens(corpus["words"].iloc[row], numbers, relation):
            targets[place, one, other] = True
    return targets


def relation_strengths(
    recording: Recording,
    corpus: pd.DataFrame,
    rows: Int[np.ndarray, " candidate"],
    relations: Sequence[str],
) -> dict[Relation, Float[np.ndarray, "candidate head"]]:
    """Strengths in every head of all layers, by relation and direction; NaN: a text lacks it."""
    place = {row: number for number, row in enumerate(rows)}
    shape = (len(rows), recording.layers * recording.heads)
    found = {(name, way): np.full(shape, np.nan) for name in relations for way in DIRECTIONS}
    with torch.inference_mode():
        for batch in recording.batches(rows):
            maps = batch.maps.flatten(1, 2)
            lengths = torch.as_tensor(batch.lengths, device=maps.device).to(maps.dtype)
            numbers = [place[row] for row in batch.rows]
            for name in relations:
                targets = relation_targets(recording, corpus, batch, name)
                for way, own in zip(DIRECTIONS, (targets, targets.mT), strict=True):
                    strengths = target_strength(maps, own, lengths)
                    found[name, way][numbers] = strengths.cpu().double().numpy()
    return found


def choose_relations(
    strengths: dict[Relation, Float[np.ndarray, "text head"]], heads: int
) -> list[Choice]:
    """Of each relation the clearest and the median text of the head that follows it most.

    Of the two directions only that with the stronger head is kept, of equal ones the first.

    Args:
        heads: of a layer.
    """
    most: dict[str, tuple[float, str]] = {}
    for (name, way), of_texts in strengths.items():
        known = of_texts[~np.isnan(of_texts).all(1)]
        strongest = float(np.nanmean(known, axis=0).max()) if len(known) else -np.inf
        if name not in most or strongest > most[name][0]:
            most[name] = strongest, way
    kept = {f"{name}, {way}": strengths[name, way] for name, (_, way) in most.items()}
    return [choice._replace(kind=RELATION) for choice in choose_roles(kept, heads)]
