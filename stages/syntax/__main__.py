"""Which heads find syntactic heads (Clark et al. 2019, section 4.2, Table 1).

For every relation, head and direction: how often the word with the largest weight is the syntactic
head, [CLS], [SEP] and the word itself left out; against the best fixed offset.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Float, Int
from pydantic import PositiveInt
from torch import Tensor

from stages.core.intervals.held_out import held_out
from stages.core.maps.words import membership, present, word_maps
from stages.core.recordings.recording import MapBatch, Recording, Texts, open_texts
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.command import CorpusOption, stage_command
from stages.core.stage.files import InputError
from stages.core.stage.settings import Resampled, section
from stages.syntax.tables import ALL_LAYERS, ALL_RELATIONS, BEST, HEADS

DIRECTIONS = ("dependent to head", "head to dependent")


class Syntax(Resampled):
    """The section `syntax` of `params.yaml`."""

    corpora: list[str]
    least_cases: PositiveInt
    offsets: PositiveInt
    punctuation: bool
    from_pieces: Literal["mean", "first"]


@dataclass(frozen=True)
class Cases:
    """One row a word that has a head within its text: what each predictor says of it.

    `hits` has a column a layer, head and direction, in this order; `offset_hits` one an offset.
    """

    relation: np.ndarray
    group: Int[np.ndarray, " case"]
    hits: Bool[np.ndarray, "case candidate"]
    offset_hits: Bool[np.ndarray, "case offset"]


def dependencies(words: list[dict], count: int) -> tuple[list[int], list[str]]:
    """Head (-1: none) and relation of the first `count` words, padded to `count`."""
    heads = [
        word["head"] if word["deprel"] and word["head"] < count else -1 for word in words[:count]
    ]
    relations = [word["deprel"] for word in words[:count]]
    missing = count - len(heads)
    return heads + [-1] * missing, relations + [""] * missing


def most_attended(
    maps: Float[Tensor, "text layer head word word"], there: Bool[Tensor, "text word"]
) -> Int[Tensor, "text layer head direction word"]:
    """For each word the other word with the largest weight, from it and to it.

    A word that has no other word with tokens beside it gets itself.
    """
    width = maps.shape[-1]
    other = ~torch.eye(width, dtype=torch.bool, device=maps.device) & there[:, None, :]
    allowed = other[:, None, None]
    from_word = maps.masked_fill(~allowed, -1.0).argmax(-1)
    to_word = maps.mT.masked_fill(~allowed, -1.0).argmax(-1)
    return torch.stack([from_word, to_word], dim=3)


def cases_of(batch: MapBatch, recording: Recording, texts: Texts, parameters: Syntax) -> Cases:
    """The cases of a batch; words without tokens are neither cases nor candidates."""
    rows = recording.tokens.iloc[batch.rows]
    parts = membership(rows["word"].tolist(), batch.maps.shape[-1], batch.maps.device)
    there = present(parts)
    width = there.shape[1]
    known = [dependencies(texts.corpus["words"][row], width) for row in batch.rows]
    heads = torch.tensor([head for head, _ in known], device=batch.maps.device)
    relations = np.array([relation for _, relation in known], dtype=object)
    head_there = there.gather(1, heads.clamp_min(0))
    counted = there & (heads >= 0) & head_there
    predicted = most_attended(word_maps(batch.maps, parts, parameters.from_pieces), there)
    hits = (predicted == heads[:, None, None, None]).flatten(1, 3).mT[counted]
    offsets = torch.tensor(offset_list(parameters.offsets), device=heads.device)
    distance = heads - torch.arange(width, device=heads.device)
    offset_hits = (distance[..., None] == offsets)[counted]
    chosen = counted.cpu().numpy()
    groups = np.broadcast_to(texts.groups[batch.rows][:, None], chosen.shape)
    return Cases(relations[chosen], groups[chosen], hits.cpu().numpy(), offset_hits.cpu().numpy())


def offset_list(furthest: int) -> list[int]:
    """The offsets of the baseline: -1, 1, -2, 2, ..."""
    return [sign * distance for distance in range(1, furthest + 1) for sign in (-1, 1)]


def all_cases(recording: Recording, texts: Texts, parameters: Syntax) -> Cases:
    """The cases of every text, in the order of the corpus."""
    parts = [cases_of(batch, recording, texts, parameters) for batch in recording.batches()]
    joined = [
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("relation", "group", "hits", "offset_hits")
    ]
    if not len(joined[0]):
        raise InputError(
            f"{texts.folder}: no word has a head and a relation; `syntax.corpora` takes corpora "
            "with syntax"
        )
    return Cases(*joined)


def relations_of(cases: Cases, parameters: Syntax) -> dict[str, Bool[np.ndarray, " case"]]:
    """The relations with enough cases, and all together, most frequent first.

    A relation's subtypes (nsubj:pass) stand for themselves.
    """
    counted = np.ones(len(cases.relation), dtype=bool)
    if not parameters.punctuation:
        counted = cases.relation != "punct"
    names, counts = np.unique(cases.relation.astype(str), return_counts=True)
    order = np.lexsort((names, -counts))
    found = {ALL_RELATIONS: counted}
    for place in order:
        if counts[place] >= parameters.least_cases:
            found[names[place]] = cases.relation == names[place]
    return found


def best_heads(cases: Cases, recording: Recording, parameters: Syntax) -> pd.DataFrame:
    """One row a relation: its best head and direction, held out, beside the best offset.

    The head is chosen among those of all layers, and among those of each layer by itself.
    """
    offsets = offset_list(parameters.offsets)
    per_layer = recording.heads * len(DIRECTIONS)
    rows = []
    for relation, counted in relations_of(cases, parameters).items():
        hits, rivals = cases.hits[counted], cases.offset_hits[counted]
        for layer in (None, *range(recording.layers)):
            first = 0 if layer is None else layer * per_layer
            some = hits if layer is None else hits[:, first : first + per_layer]
            choice = held_out(
                some, rivals, cases.group[counted], parameters.resamples, parameters.seed
            )
            place = first + choice.best
            rows.append(
                {
                    "encoder": recording.name,
                    "relation": relation,
                    "within": ALL_LAYERS if layer is None else f"layer {layer}",
                    "layer": place // per_layer,
                    "head": place % per_layer // len(DIRECTIONS),
                    "direction": DIRECTIONS[place % len(DIRECTIONS)],
                    "offset": offsets[choice.best_rival],
                    **choice.columns(),
                }
            )
    return pd.DataFrame(rows)


def every_head(cases: Cases, recording: Recording, parameters: Syntax) -> pd.DataFrame:
    """One row a relation and head: its accuracy in the better direction, on all cases."""
    tables = []
    for relation, counted in relations_of(cases, parameters).items():
        accuracy = cases.hits[counted].mean(0).reshape(-1, len(DIRECTIONS))
        columns = {
            "relation": relation,
            "direction": np.array(DIRECTIONS)[accuracy.argmax(1)],
            "accuracy": accuracy.max(1),
            "offset_accuracy": cases.offset_hits[counted].mean(0).max(),
            "cases": int(counted.sum()),
        }
        tables.append(pd.DataFrame(recording.places | columns))
    return pd.concat(tables, ignore_index=True)


def main(corpus: CorpusOption) -> None:
    """Find the best head for every relation in the texts of CORPUS."""
    parameters = section(Syntax, "syntax")
    device = start(read_runtime(), parameters.seed)
    texts = open_texts(corpus)
    best, every = [], []
    with torch.inference_mode():
        for recording in texts.recordings(device):
            cases = all_cases(recording, texts, parameters)
            best.append(best_heads(cases, recording, parameters))
            every.append(every_head(cases, recording, parameters))
    BEST.write(best, corpus=corpus)
    HEADS.write(every, corpus=corpus)


if __name__ == "__main__":
    stage_command(main)
