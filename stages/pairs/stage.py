"""Attention between verbs and subjects, nouns and pronouns (Kovaleva et al. 2019, section 4.5).

The paper finds that the heads which seem to link them are diagonal ones: `candidates.py` counts how
many are. Beside each head's weight stands its weight on tokens that are as far apart elsewhere in
the text.
"""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Annotated

import pandas as pd
import torch
from pydantic import Field

from stages.core.annotation.word_kinds import is_noun, is_pronoun, is_subject, is_verb
from stages.core.maps.links import FindLinks, Link, linked_weights, weights_by_head
from stages.core.recordings.recording import Recording, Texts, open_texts
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.files import InputError
from stages.core.stage.settings import Resampled, section
from stages.pairs.candidates import diagonal_candidates, moved_share
from stages.pairs.tables import BEST, CANDIDATES, HEADS

Share = Annotated[float, Field(gt=0, lt=1)]


class Pairs(Resampled, section="pairs"):
    """The section `pairs` of `params.yaml`."""

    corpora: list[str]
    candidates: Share
    diagonal: Share


PAIR_KINDS: dict[str, tuple[Callable[[dict], bool], Callable[[dict], bool]]] = {
    "verb and subject": (is_verb, is_subject),
    "noun and pronoun": (is_noun, is_pronoun),
}
# Every one with every other; the first with the first and so on, as the original did.
PAIRINGS = ("crossed", "zipped")
KINDS_AND_PAIRINGS = list(product(PAIR_KINDS, PAIRINGS))


def word_pairs(words: list[dict], kind: str, pairing: str) -> list[tuple[int, int]]:
    """Pairs of a kind, each of two different words, by their places in the text."""
    first, second = (
        [number for number, word in enumerate(words) if test(word)] for test in PAIR_KINDS[kind]
    )
    pairs = product(first, second) if pairing == "crossed" else zip(first, second, strict=False)
    return [(a, b) for a, b in pairs if a != b]


def finder(texts: Texts, kind: str, pairing: str) -> FindLinks:
    """A function that finds the pairs of a kind in a text, as tokens."""

    def find(row: int, tokens: list[list[int]]) -> list[Link]:
        words = texts.corpus["words"][row]
        return [(tokens[a], tokens[b]) for a, b in word_pairs(words, kind, pairing)]

    return find


def pair_tables(
    recording: Recording, texts: Texts, parameters: Pairs
) -> Iterator[tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]]:
    """Yield for each kind of pair, pairing and aggregate that texts have: rows of every table."""
    settings = (parameters.resamples, parameters.seed)
    finders = [finder(texts, *which) for which in KINDS_AND_PAIRINGS]
    weights_of = linked_weights(recording, texts, finders)
    for (kind, pairing), of_aggregates in zip(KINDS_AND_PAIRINGS, weights_of, strict=True):
        for aggregate, weights in of_aggregates.items():
            if not len(weights):
                continue
            heads = weights_by_head(recording, weights, *settings)
            best = moved_share(recording, weights, *settings)
            candidates = diagonal_candidates(
                recording, weights, parameters.candidates, parameters.diagonal, *settings
            )
            which = {"kind": kind, "pairing": pairing, "aggregate": aggregate}
            yield heads.assign(**which), best.assign(**which), candidates.assign(**which)


def run_stage(corpus: str) -> None:
    """Measure the attention between verbs and subjects, nouns and pronouns in CORPUS."""
    parameters = section(Pairs, "pairs")
    device = start(read_runtime(), parameters.seed)
    texts = open_texts(corpus)
    with torch.inference_mode():
        tables = [
            of_kind
            for recording in texts.recordings(device)
            for of_kind in pair_tables(recording, texts, parameters)
        ]
    if not tables:
        raise InputError(
            f"{texts.folder}: no text has a verb and a subject, or a noun and a pronoun; "
            "`pairs.corpora` takes corpora with parts of speech"
        )
    for table, rows in zip((HEADS, BEST, CANDIDATES), zip(*tables, strict=True), strict=True):
        table.write(rows, data=corpus)
