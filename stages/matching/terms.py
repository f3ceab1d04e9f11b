"""Equal terms of both texts of a pair, and the attention of a head on them.

A term is a word of the tokenizer (each piece alone, where `unit` is `pieces`, for text that is not
segmented) with a letter or digit that is not frequent: a word in more than some share of the texts
is taken for a function word, in any language and without annotation. Two terms are equal that are
spelt alike but for case.

Each figure is a sum of a map's cells with fixed weights, a plane. A head that matches is beyond two
kinds of chance. `place` subtracts the weight between other tokens at the same distance: a head that
looks across by position has none left. `key` subtracts the weight from other tokens of the same
text to that term: a head that looks at some tokens from everywhere has none left.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from tqdm import tqdm
from transformers import PreTrainedTokenizerBase

from stages.core.encoder.batches import Encoded
from stages.core.heads.layer_maps import layer_maps
from stages.core.heads.seam import Gated
from stages.core.recordings.tokens import Special, token_table

Unit = Literal["words", "pieces"]
# What stands at the ends of a word and is no letter or digit: some tokenizers leave it there.
MARKS = re.compile(r"^\W+|\W+$")
# From terms with an equal one in the other text: the weight on it, that beyond each kind of chance,
# the weight on themselves and on [SEP]. From [CLS]: the weight on these terms, that beyond an even
# spread over all terms, and beyond an even spread over all tokens.
PLANES = (
    *("equal", "place", "key", "itself", "sep"),
    *("shared", "beyond_terms", "beyond_even"),
)


@dataclass(frozen=True)
class Terms:
    """The tokens of one pair.

    Attributes:
        word: a number for each spelling; -1 for special tokens and punctuation.
        term: whether the token is of a term, that is of a word which is not frequent.
        segment: the text that it belongs to.
        special: a `Special`.
    """

    word: Int[np.ndarray, " token"]
    term: Bool[np.ndarray, " token"]
    segment: Int[np.ndarray, " token"]
    special: Int[np.ndarray, " token"]

    @cached_property
    def same(self) -> Bool[np.ndarray, "token token"]:
        """Equal words across the pair, frequent ones among them."""
        across = self.segment[:, None] != self.segment
        return (self.word[:, None] == self.word) & (self.word >= 0)[:, None] & across

    @cached_property
    def equal(self) -> Bool[np.ndarray, "query key"]:
        """Equal terms across the pair."""
        return self.same & self.term[:, None]

    @property
    def shared(self) -> Bool[np.ndarray, " token"]:
        """Tokens of terms that have an equal one across."""
        return self.equal.any(1)

    def planes(self) -> Float[np.ndarray, "plane query key"]:
        """The weights of `PLANES`; NaN throughout for what this pair has no case of."""
        count = len(self.word)
        planes = np.full((len(PLANES), count, count), np.nan)
        asking = np.flatnonzero(self.shared)
        if not len(asking):
            return planes
        equal, place, key, itself, sep, shared, beyond_terms, beyond_even = planes
        equal[:] = self.equal / len(asking)
        itself[:] = np.diag(self.shared) / len(asking)
        sep[:] = np.outer(self.shared, self.special == Special.SEP) / len(asking)
        self._less_chance(place, self._moved)
        self._less_chance(key, self._from_others)
        row = np.flatnonzero(self.special == Special.CLS)[0]
        shared[:] = 0
        shared[row] = self.shared
        beyond_even[:] = shared
        beyond_even[row] -= len(asking) / count
        if (self.term & ~self.shared).any():
            beyond_terms[:] = shared
            beyond_terms[row] -= self.term * (len(asking) / self.term.sum())
        return planes

    def _less_chance(self, plane: Float[np.ndarray, "query key"], chance) -> None:
        """Fill a plane: each equal term's weight less the mean weight of cells that chance has."""
        links = [(*link, chance(*link)) for link in np.argwhere(self.equal)]
        links = [(query, key, cells) for query, key, cells in links if len(cells[0])]
        if not links:
            return
        plane[:] = 0
        for query, key, cells in links:
            plane[query, key] += 1
            np.subtract.at(plane, cells, 1 / len(cells[0]))
        plane /= len({query for query, *_ in links})

    def _moved(self, query: int, key: int) -> tuple[np.ndarray, np.ndarray]:
        """Cells between tokens as far apart, of the same two texts, that are no equal words."""
        shift = np.arange(-min(query, key), len(self.word) - max(query, key))
        queries, keys = query + shift, key + shift
        inside = self._text(query)[queries] & self._text(key)[keys] & ~self.same[queries, keys]
        return queries[inside], keys[inside]

    def _from_others(self, query: int, key: int) -> tuple[np.ndarray, np.ndarray]:
        """Cells from the other tokens of the query's text to the key."""
        queries = np.flatnonzero(self._text(query) & ~self.same[:, key])
        return queries, np.full_like(queries, key)

    def _text(self, token: int) -> Bool[np.ndarray, " token"]:
        """The tokens of the text that a token belongs to, but for special ones."""
        return (self.segment == self.segment[token]) & (self.special == Special.NONE)


def spelt_words(
    tokenizer: PreTrainedTokenizerBase,
    examples: pd.DataFrame,
    encoded: Encoded,
    max_length: int,
    unit: Unit,
) -> pd.DataFrame:
    """The tokens of `token_table`, with the word that each is of, spelt in lower case.

    Returns:
        One row an example; `spelling` is empty for special tokens and for words without a letter or
        digit.
    """
    # The tokenizer's own words: not every task is annotated.
    plain = examples.assign(words=[[] for _ in range(len(examples))])
    table = token_table(tokenizer, plain, encoded, max_length)
    texts = [examples[name].tolist() for name in ("text_a", "text_b")]
    encoding = tokenizer(
        *texts, truncation=True, max_length=max_length, return_offsets_mapping=True
    )
    spellings = []
    for row, numbers in enumerate(table["word"]):
        # From the text: tokens that the vocabulary lacks look all the same.
        sequences, offsets = encoding.sequence_ids(row), encoding["offset_mapping"][row]
        names = list(numbers) if unit == "words" else list(range(len(numbers)))
        spans: dict[int, tuple[int, int]] = {}
        for name, text, span in zip(names, sequences, offsets, strict=True):
            if text is not None:
                start, end = spans.get(name, span)
                spans[name] = min(start, span[0]), max(end, span[1])
        words = [
            "" if text is None else texts[text][row][slice(*spans[name])]
            for name, text in zip(names, sequences, strict=True)
        ]
        spellings.append([MARKS.sub("", word.lower()) for word in words])
    return table.assign(spelling=spellings)


def frequent_words(table: pd.DataFrame, share: float | None) -> set[str]:
    """The words of more than a share of the texts, each of a pair by itself; none where null."""
    if share is None:
        return set()
    counts: Counter[str] = Counter()
    for spellings, segments in zip(table["spelling"], table["segments"], strict=True):
        of_texts = set(zip(segments, spellings, strict=True))
        counts.update(word for _, word in of_texts)
    return {word for word, count in counts.items() if count > share * 2 * len(table)} - {""}


def terms_of(table: pd.DataFrame, frequent: set[str]) -> list[Terms]:
    """The terms of every example of a table of `spelt_words`."""
    terms = []
    for row in table.itertuples():
        numbers: dict[str, int] = {"": -1}
        word = [numbers.setdefault(word, len(numbers)) for word in row.spelling]
        term = [bool(word) and word not in frequent for word in row.spelling]
        terms.append(
            Terms(np.array(word), np.array(term), np.array(row.segments), np.array(row.special))
        )
    return terms


class Planes:
    """The planes of some examples: the few cells that have a weight."""

    def __init__(self, terms: Sequence[Terms]):
        self.known = np.zeros((len(PLANES), len(terms)), dtype=bool)
        self.cells, self.weights = [], []
        for example, of_example in enumerate(terms):
            planes = of_example.planes()
            self.known[:, example] = ~np.isnan(planes).any((1, 2))
            cells = np.nonzero(np.nan_to_num(planes))
            self.cells.append(cells)
            self.weights.append(planes[cells].astype(np.float32))

    def batch(
        self, rows: Int[np.ndarray, " batch"], tokens: int, device: torch.device
    ) -> Float[Tensor, "batch plane query key"]:
        """The planes of some examples, padded to so many tokens."""
        padded = np.zeros((len(rows), len(PLANES), tokens, tokens), dtype=np.float32)
        for index, row in enumerate(rows):
            padded[index][self.cells[row]] = self.weights[row]
        return torch.from_numpy(padded).to(device)


def plane_sums(
    gated: Gated, encoded: Encoded, planes: Planes, batch: int, device: torch.device, label: str
) -> Float[np.ndarray, "plane example layer head"]:
    """The figures `PLANES` of every head on every example; NaN where an example has no case."""
    count = len(encoded.lengths)
    figures = np.full((len(PLANES), count, gated.layers, gated.heads), np.nan, dtype=np.float32)
    total = -(-count // batch)
    for texts in tqdm(encoded.batches(batch, device), label, total, unit="batch"):
        tokens = texts.inputs["input_ids"].shape[1]
        weights = planes.batch(texts.rows, tokens, device)
        for layer, maps in enumerate(layer_maps(gated, texts.inputs)):
            sums = torch.einsum("bhqk,bpqk->pbh", maps, weights)
            figures[:, texts.rows, layer] = sums.cpu().numpy()
    figures[~planes.known] = np.nan
    return figures
