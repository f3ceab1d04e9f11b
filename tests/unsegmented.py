"""A corpus of toy words without spaces, and maps of heads that mark ends of words as they should.

Every character is a token. Heads that are named below do one thing, all others attend by chance.
"""

import numpy as np
import pandas as pd

from stages.boundaries.settings import Boundaries
from stages.boundaries.stage import Tables, boundaries_of
from stages.core.corpora.store import corpus_frame, word
from stages.core.recordings.recording import Texts
from stages.core.recordings.tokens import Special
from tests.toy_maps import ToyRecording

LAYERS, HEADS = 4, 3
# Layer and head: one that marks the end of every word, of every second word, and of every token;
# and one that marks what is no end.
SEGMENTER, COARSE, ALWAYS, CONTRARY = (2, 1), (1, 2), (3, 0), (0, 2)


def unsegmented_corpus(count: int, seed: int = 0) -> pd.DataFrame:
    """`count` texts of five words of one to three characters, two texts a group."""
    generator = np.random.default_rng(seed)
    return corpus_frame(_row(number, generator.integers(1, 4, size=5)) for number in range(count))


def _row(number: int, lengths: np.ndarray) -> dict:
    starts = np.cumsum(lengths) - lengths
    text = "abcdefghijklmno"[: lengths.sum()]
    words = [
        word(text[start : start + length], int(start))
        for start, length in zip(starts, lengths, strict=True)
    ]
    return {"id": f"t{number}", "group": f"g{number // 2}", "text_a": text, "words": words}


class UnsegmentedRecording(ToyRecording):
    """Maps of the heads above; of random weights all attend by chance."""

    def __init__(self, corpus: pd.DataFrame, name: str = "untuned", seed: int = 0):
        self.name, self.corpus, self.seed = name, corpus, seed
        self.layers, self.heads = LAYERS, HEADS
        self.tokens = pd.DataFrame([self._tokens(row) for _, row in corpus.iterrows()])

    def _tokens(self, row: pd.Series) -> dict:
        numbers = [n for n, entry in enumerate(row["words"]) for _ in entry["text"]]
        length = len(numbers)
        return {
            "id": row["id"],
            "tokens": ["[CLS]", *row["text_a"], "[SEP]"],
            "segments": [0] * (length + 2),
            "word": [-1, *numbers, -1],
            "special": [Special.CLS, *[Special.NONE] * length, Special.SEP],
        }

    def _maps(self, row: int) -> np.ndarray:
        numbers = np.array(self.tokens["word"][row])
        length = len(numbers)
        generator = np.random.default_rng([self.seed, row])
        maps = generator.dirichlet(np.ones(length), (self.layers, self.heads, length))
        if self.name == "random_weights":
            return maps.astype(np.float32)
        ends = np.append(numbers[:-1] != numbers[1:], True)
        maps[SEGMENTER] = _looks(ends)
        maps[COARSE] = _looks(ends & (numbers % 2 == 1))
        maps[ALWAYS] = _looks(np.ones(length, dtype=bool))
        maps[CONTRARY] = _looks(~ends)
        return maps.astype(np.float32)


def _looks(ends: np.ndarray) -> np.ndarray:
    """At [SEP] where a word ends, at the next token where it goes on."""
    length = len(ends)
    goals = np.where(ends, length - 1, np.minimum(np.arange(length) + 1, length - 1))
    return np.eye(length)[goals]


def unsegmented_texts(corpus: pd.DataFrame, folder) -> Texts:
    """The corpus as stages get it."""
    return Texts(corpus, folder, 64, ["untuned", "random_weights"])


def boundary_tables(folder, count: int, parameters: Boundaries) -> list[Tables]:
    """What the stage measures of the toy corpus, for the encoder and for random weights."""
    corpus = unsegmented_corpus(count)
    texts = unsegmented_texts(corpus, folder)
    return [
        boundaries_of(UnsegmentedRecording(corpus, name), texts, parameters)
        for name in texts.encoders
    ]
