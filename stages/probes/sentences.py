"""What a probe is trained on: word-level attention, gold heads and word vectors of sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from stages.core.maps.words import membership, present, word_maps
from stages.core.recordings.recording import Recording, Texts
from stages.core.recordings.tokens import Special

# Candidates for the head of a word: the root, for which [CLS] stands, the words, and [SEP] between
# them, which is nobody's head but may stand for the root as well.
ROOT, SEP, FIRST_WORD = 0, 1, 2
TOGETHER = 32  # sentences; more of them make no pass faster


@dataclass(frozen=True)
class Sentence:
    """One text with its attention.

    Attributes:
        maps: as float16, to keep thousands of sentences in memory.
        heads: as candidates; -1 for what is not scored (words without head, [CLS], [SEP]).
        words: rows of a table of vectors, 0 for [CLS] and [SEP]; None without vectors.
        forms: the words in lower case.
    """

    maps: Float[Tensor, "head candidate candidate"]
    heads: Int[Tensor, " candidate"]
    punctuation: Bool[Tensor, " candidate"]
    group: int
    words: Int[Tensor, " candidate"] | None
    forms: tuple[str, ...]

    @property
    def scored(self) -> Bool[Tensor, " candidate"]:
        """The words whose head is known."""
        return self.heads >= 0


@dataclass(frozen=True)
class SentenceBatch:
    """Sentences padded to one width.

    `there` is the attention that a word gives to candidates, `back` what it gets from them; heads
    come before candidates, as products with few weights are fastest in this order.
    """

    there: Float[Tensor, "text word head candidate"]
    back: Float[Tensor, "text word head candidate"]
    heads: Int[Tensor, "text word"]
    candidates: Bool[Tensor, "text word candidate"]
    words: Int[Tensor, "text word"]

    @property
    def scored(self) -> Bool[Tensor, "text word"]:
        """The words whose head is known."""
        return self.heads >= 0


def gold_heads(words: Sequence[dict]) -> list[int]:
    """The head of each candidate: -1 for [CLS], [SEP] and words without syntax."""
    # A root's head is -1: it has the place before the words, which is not [SEP]'s.
    places = [ROOT if word["head"] < 0 else word["head"] + FIRST_WORD for word in words]
    heads = [place if word["deprel"] else -1 for place, word in zip(places, words, strict=True)]
    return [-1] * FIRST_WORD + heads


def read_sentences(
    recording: Recording, texts: Texts, words: Sequence[Int[Tensor, " _"]] | None
) -> list[Sentence]:
    """All texts with syntax that were not cut, in the order of the corpus.

    Args:
        words: of each text the rows of its words in a table of vectors, where 0 stands for none.
    """
    found: dict[int, Sentence] = {}
    for batch in recording.batches():
        rows = recording.tokens.iloc[batch.rows]
        parts = membership(rows["word"].tolist(), batch.maps.shape[-1], batch.maps.device)
        parts = torch.cat([_special_parts(rows["special"].tolist(), parts), parts], dim=1)
        there = present(parts)
        maps = word_maps(batch.maps, parts).flatten(1, 2).half().cpu()
        for place, row in enumerate(batch.rows):
            annotated = texts.corpus["words"][row]
            count = len(annotated) + FIRST_WORD
            heads = torch.tensor(gold_heads(annotated))
            if count > there.shape[1] or not there[place, FIRST_WORD:count].all():
                continue  # its end was cut away
            if not (heads >= 0).any():
                continue
            found[int(row)] = Sentence(
                maps[place, :, :count, :count].clone(),
                heads,
                torch.tensor(
                    [False] * FIRST_WORD + [word["deprel"] == "punct" for word in annotated]
                ),
                int(texts.groups[row]),
                None if words is None else torch.cat([torch.zeros(2, dtype=int), words[row]]),
                tuple(word["text"].lower() for word in annotated),
            )
    return [found[row] for row in sorted(found)]


def _special_parts(
    special: Sequence[Sequence[int]], parts: Float[Tensor, "text word token"]
) -> Float[Tensor, "text special token"]:
    """1 where a token is the first [CLS] (in row 0) or the last [SEP] (in row 1) of its text."""
    found = parts.new_zeros(len(special), FIRST_WORD, parts.shape[-1])
    for text, kinds in enumerate(special):
        for candidate, kind, pick in ((ROOT, Special.CLS, 0), (SEP, Special.SEP, -1)):
            if len(places := np.flatnonzero(np.equal(kinds, kind))):
                found[text, candidate, places[pick]] = 1
    return found


def batches(sentences: Sequence[Sentence]) -> Iterator[tuple[list[int], SentenceBatch]]:
    """Yield sentences of about equal length together, longest first, with their places."""
    lengths = np.array([len(sentence.heads) for sentence in sentences])
    order = np.argsort(-lengths, kind="stable")
    for start in range(0, len(order), TOGETHER):
        part = order[start : start + TOGETHER].tolist()
        yield part, joined([sentences[place] for place in part])


def joined(sentences: Sequence[Sentence]) -> SentenceBatch:
    """Pad sentences to the longest."""
    width = max(len(sentence.heads) for sentence in sentences)
    maps = torch.zeros(len(sentences), width, len(sentences[0].maps), width)
    heads = torch.full((len(sentences), width), -1)
    real = torch.zeros(len(sentences), width, dtype=torch.bool)
    words = torch.zeros(len(sentences), width, dtype=int)
    for place, sentence in enumerate(sentences):
        count = len(sentence.heads)
        maps[place, :count, :, :count] = sentence.maps.float().transpose(0, 1)
        heads[place, :count] = sentence.heads
        real[place, :count] = True
        if sentence.words is not None:
            words[place, :count] = sentence.words
    real[:, SEP] = False
    # Every other word of the sentence, and the root.
    candidates = real[:, None] & ~torch.eye(width, dtype=torch.bool)
    return SentenceBatch(maps, maps.permute(0, 3, 2, 1).contiguous(), heads, candidates, words)
