"""Attention between verbs and subjects, nouns and pronouns (Kovaleva et al. 2019, section 4.4).

The paper finds that heads which seem to link them are diagonal ones: so each head's weight stands
beside its weight on tokens that are as far apart elsewhere in the text.
"""

from collections.abc import Callable
from itertools import product

import torch

from stages.core.annotation.word_kinds import is_noun, is_pronoun, is_subject, is_verb
from stages.core.maps.links import FindLinks, Link, linked_weights, moved_share, weights_by_head
from stages.core.recordings.recording import Texts, open_texts
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.command import CorpusOption, stage_command
from stages.core.stage.files import InputError
from stages.core.stage.settings import Resampled, section
from stages.pairs.tables import BEST, HEADS


class Pairs(Resampled):
    """The section `pairs` of `params.yaml`."""

    corpora: list[str]


PAIR_KINDS: dict[str, tuple[Callable[[dict], bool], Callable[[dict], bool]]] = {
    "verb and subject": (is_verb, is_subject),
    "noun and pronoun": (is_noun, is_pronoun),
}
# Every one with every other; the first with the first and so on, as the original did.
PAIRINGS = ("crossed", "zipped")
KINDS_AND_PAIRINGS = list(product(PAIR_KINDS, PAIRINGS))


def word_pairs(words: list[dict], kind: str, pairing: str) -> list[tuple[int, int]]:
    """Pairs of a kind, each of two different words, by their places in the text."""
    one, other = (
        [place for place, word in enumerate(words) if test(word)] for test in PAIR_KINDS[kind]
    )
    pairs = product(one, other) if pairing == "crossed" else zip(one, other, strict=False)
    return [(a, b) for a, b in pairs if a != b]


def finder(texts: Texts, kind: str, pairing: str) -> FindLinks:
    """A function that finds the pairs of a kind in a text, as tokens."""

    def find(row: int, tokens: list[list[int]]) -> list[Link]:
        words = texts.corpus["words"][row]
        return [(tokens[a], tokens[b]) for a, b in word_pairs(words, kind, pairing)]

    return find


def main(corpus: CorpusOption) -> None:
    """Measure the attention between verbs and subjects, nouns and pronouns in CORPUS."""
    parameters = section(Pairs, "pairs")
    device = start(read_runtime(), parameters.seed)
    texts = open_texts(corpus)
    tables, best = [], []
    with torch.inference_mode():
        for recording in texts.recordings(device):
            finders = [finder(texts, *which) for which in KINDS_AND_PAIRINGS]
            found = linked_weights(recording, texts, finders)
            for (kind, pairing), weights in zip(KINDS_AND_PAIRINGS, found, strict=True):
                if not len(weights[0]):
                    continue
                settings = (parameters.resamples, parameters.seed)
                which = {"kind": kind, "pairing": pairing}
                tables.append(weights_by_head(recording, *weights, *settings).assign(**which))
                best.append(moved_share(recording, *weights, *settings).assign(**which))
    if not tables:
        raise InputError(
            f"{texts.folder}: no text has a verb and a subject, or a noun and a pronoun; "
            "`pairs.corpora` takes corpora with parts of speech"
        )
    HEADS.write(tables, corpus=corpus)
    BEST.write(best, corpus=corpus)


if __name__ == "__main__":
    stage_command(main)
