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

ROOT = 0  # the place of the root among a sentence's candidates; words follow it


@dataclass(frozen=True)
class Sentence:
    """One text: candidate 0 is the root, candidate i + 1 the word i.

    `maps` are halves, to keep thousands of sentences in memory; `heads` are candidates, -1 for
    words that are not scored (without head, cut away).
    """

    maps: Float[Tensor, "head candidate candidate"]
    heads: Int[Tensor, " candidate"]
    punctuation: Bool[Tensor, " candidate"]
    group: int
    vectors: Float[Tensor, "candidate size"] | None


@dataclass(frozen=True)
class SentenceBatch:
    """Sentences padded to one width."""

    maps: Float[Tensor, "text head candidate candidate"]
    heads: Int[Tensor, "text candidate"]
    there: Bool[Tensor, "text candidate"]
    vectors: Float[Tensor, "text candidate size"] | None


def gold_heads(words: Sequence[dict], count: int) -> list[int]:
    """The head of each candidate: -1 for the root itself and for words without syntax."""
    heads = [-1]
    for word in words[: count - 1]:
        heads.append(word["head"] + 1 if word["deprel"] else -1)
    return heads + [-1] * (count - len(heads))


def read_sentences(
    recording: Recording, texts: Texts, vectors: Sequence[Tensor] | None, root: bool
) -> list[Sentence]:
    """All texts with syntax, in the order of the corpus.

    Args:
        vectors: one row a word of each text; a text's root has zeros.
        root: let [CLS] stand for the root; otherwise attention from and to it is 0.
    """
    found: dict[int, Sentence] = {}
    for batch in recording.batches():
        rows = recording.tokens.iloc[batch.rows]
        special = rows["special"].tolist()
        if not root:
            special = [[Special.NONE] * len(row) for row in special]
        parts = membership(rows["word"].tolist(), batch.maps.shape[-1], batch.maps.device, special)
        there = present(parts)
        maps = word_maps(batch.maps, parts).flatten(1, 2).half().cpu()
        for place, row in enumerate(batch.rows):
            words = texts.corpus["words"][row]
            count = len(words) + 1
            if count > there.shape[1]:
                continue  # its end was cut away
            heads = torch.tensor(gold_heads(words, count))
            own = there[place, :count].cpu()
            own[ROOT] = True
            heads[~own] = -1
            if not own.all() or not (heads >= 0).any():
                continue
            found[int(row)] = Sentence(
                maps[place, :, :count, :count].clone(),
                heads,
                torch.tensor([False] + [word["deprel"] == "punct" for word in words]),
                int(texts.groups[row]),
                None if vectors is None else _with_root(vectors[row]),
            )
    return [found[row] for row in sorted(found)]


def _with_root(vectors: Float[Tensor, "word size"]) -> Float[Tensor, "candidate size"]:
    return torch.cat([vectors.new_zeros(1, vectors.shape[1]), vectors])


def batches(
    sentences: Sequence[Sentence], size: int, generator: np.random.Generator | None
) -> Iterator[tuple[list[int], SentenceBatch]]:
    """Yield sentences of about equal length together, in drawn order or (None) as they come."""
    lengths = np.array([len(sentence.heads) for sentence in sentences])
    order = np.argsort(-lengths, kind="stable")
    parts = [order[start : start + size] for start in range(0, len(order), size)]
    if generator is not None:
        parts = [parts[number] for number in generator.permutation(len(parts))]
    for part in parts:
        yield part.tolist(), joined([sentences[place] for place in part])


def joined(sentences: Sequence[Sentence]) -> SentenceBatch:
    """Pad sentences to the longest."""
    width = max(len(sentence.heads) for sentence in sentences)
    first = sentences[0]
    maps = torch.zeros(len(sentences), len(first.maps), width, width)
    heads = torch.full((len(sentences), width), -1)
    there = torch.zeros(len(sentences), width, dtype=torch.bool)
    vectors = None
    if first.vectors is not None:
        vectors = torch.zeros(len(sentences), width, first.vectors.shape[1])
    for place, sentence in enumerate(sentences):
        count = len(sentence.heads)
        maps[place, :, :count, :count] = sentence.maps.float()
        heads[place, :count] = sentence.heads
        there[place, :count] = True
        if vectors is not None:
            vectors[place, :count] = sentence.vectors
    return SentenceBatch(maps, heads, there, vectors)
