"""Second texts of pairs with their words, or their pieces, in another order.

Tokens are exchanged: both texts have the same tokens and differ in their order alone. A word stands
between spaces, with its punctuation. In a script without spaces a word falls into its pieces,
mostly single characters.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from jaxtyping import Int
from transformers import PreTrainedTokenizerBase

from stages.core.encoder.batches import Encoded, encode
from stages.word_order.tables import Unit

# First words of the Unicode names of characters in scripts without spaces.
WITHOUT_SPACES = ("CJK", "HIRAGANA", "KATAKANA", "BOPOMOFO", "THAI", "LAO", "KHMER", "MYANMAR")


@dataclass(frozen=True)
class ShuffledPairs:
    """Pairs as the encoder reads them, intact and with the units of the second text exchanged.

    Attributes:
        rows: of the examples whose second text has at least two different units; the others have
            no other order and are left out.
        intact, exchanged: the same pairs in the same order.
        units: the unit of every token, counted in the intact text from 0; -1 outside of the second
            text. `exchanged_units` are those of `exchanged`, by the same numbers.
        orders: the units in the order of the exchanged text.
        contents: a number for each unit that equal units share.
    """

    rows: Int[np.ndarray, " pair"]
    intact: Encoded
    exchanged: Encoded
    units: list[list[int]]
    exchanged_units: list[list[int]]
    orders: list[list[int]]
    contents: list[list[int]]

    @property
    def exchanged_share(self) -> float:
        """The share of places that have another content than before, mean over texts."""
        texts = zip(self.orders, self.contents, strict=True)
        return float(
            np.mean(
                [
                    np.mean(np.take(contents, order) != np.array(contents))
                    for order, contents in texts
                ]
            )
        )

    def only(self, rows: Int[np.ndarray, " some"]) -> "ShuffledPairs":
        """Some of the pairs."""
        lists = (self.units, self.exchanged_units, self.orders, self.contents)
        encoded = (_only(texts, rows) for texts in (self.intact, self.exchanged))
        return ShuffledPairs(
            self.rows[rows], *encoded, *([items[row] for row in rows] for items in lists)
        )


def shuffle_pairs(
    tokenizer: PreTrainedTokenizerBase,
    examples: pd.DataFrame,
    max_length: int,
    unit: Unit,
    seed: int,
) -> ShuffledPairs:
    """Exchange the units of every second text; the draw is of the example's id and the seed."""
    encoded = encode(tokenizer, examples, max_length)
    units = units_of(tokenizer, examples, max_length, unit)
    rows, orders, numbers = [], [], []
    for row, (identity, of_tokens) in enumerate(zip(examples["id"], units, strict=True)):
        contents = _contents(encoded.inputs["input_ids"][row], of_tokens)
        if len(set(contents)) > 1:
            rows.append(row)
            orders.append(another_order(contents, str(identity), seed))
            numbers.append(contents)
    intact = _only(encoded, rows)
    units = [units[row] for row in rows]
    moves = [_moved(of_tokens, order) for of_tokens, order in zip(units, orders, strict=True)]
    ids = [
        [line[token] for token in move]
        for line, move in zip(intact.inputs["input_ids"], moves, strict=True)
    ]
    moved = [[line[token] for token in move] for line, move in zip(units, moves, strict=True)]
    exchanged = replace(intact, inputs=intact.inputs | {"input_ids": ids})
    return ShuffledPairs(
        np.array(rows, dtype=int), intact, exchanged, units, moved, orders, numbers
    )


def units_of(
    tokenizer: PreTrainedTokenizerBase, examples: pd.DataFrame, max_length: int, unit: Unit
) -> list[list[int]]:
    """The unit of every token of each second text, from 0; -1 for all other tokens."""
    encoding = tokenizer(
        examples["text_a"].tolist(),
        examples["text_b"].tolist(),
        truncation=True,
        max_length=max_length,
        return_offsets_mapping=True,
    )
    units = []
    for row, text in enumerate(examples["text_b"]):
        words = _words_of_characters(text)
        keys: list[tuple[int, int] | None] = []
        spans = zip(encoding.sequence_ids(row), encoding["offset_mapping"][row], strict=True)
        for token, (sequence, (start, end)) in enumerate(spans):
            if sequence != 1:
                keys.append(None)
                continue
            # Some tokenizers count the space before a word to its first piece.
            word = next((words[at] for at in range(start, end) if words[at] >= 0), None)
            whole = unit == "words" and word is not None
            keys.append((word, -1) if whole else (-1, token))
        units.append(_numbered(keys))
    return units


def another_order(contents: Sequence[int], identity: str, seed: int) -> list[int]:
    """An order in which at least one place has another content; always the same for one id."""
    generator = np.random.default_rng([seed, *identity.encode()])
    while True:  # at least every second draw is one where two contents differ
        order = generator.permutation(len(contents)).tolist()
        if [contents[unit] for unit in order] != list(contents):
            return order


def _words_of_characters(text: str) -> list[int]:
    """The word of each character: -1 for spaces, and in words of scripts without spaces."""
    words, number, inside = [], -1, False
    for character in text:
        if character.isspace():
            words.append(-1)
        else:
            number += not inside
            words.append(number)
        inside = not character.isspace()
    unspaced = {
        word for word, character in zip(words, text, strict=True) if _writes_no_spaces(character)
    }
    return [-1 if word in unspaced else word for word in words]


def _writes_no_spaces(character: str) -> bool:
    return not character.isascii() and unicodedata.name(character, "").startswith(WITHOUT_SPACES)


def _numbered(keys: Sequence[tuple[int, int] | None]) -> list[int]:
    """Numbers from 0 in the order of the text; -1 where there is no key."""
    numbers: dict[tuple[int, int], int] = {}
    return [-1 if key is None else numbers.setdefault(key, len(numbers)) for key in keys]


def _contents(ids: Sequence[int], units: Sequence[int]) -> list[int]:
    """A number for each unit: that of the first unit of the same tokens."""
    tokens: list[tuple[int, ...]] = [() for _ in range(max(units, default=-1) + 1)]
    for token, unit in zip(ids, units, strict=True):
        if unit >= 0:
            tokens[unit] += (token,)
    return [tokens.index(content) for content in tokens]


def _moved(units: Sequence[int], order: Sequence[int]) -> list[int]:
    """Which intact token stands at every place of the exchanged text."""
    positions = [position for position, unit in enumerate(units) if unit >= 0]
    tokens: list[list[int]] = [[] for _ in order]
    for position in positions:
        tokens[units[position]].append(position)
    moves = list(range(len(units)))
    sources = (token for unit in order for token in tokens[unit])
    for position, source in zip(positions, sources, strict=True):
        moves[position] = source
    return moves


def _only(encoded: Encoded, rows: Sequence[int] | Int[np.ndarray, " some"]) -> Encoded:
    inputs = {name: [lines[row] for row in rows] for name, lines in encoded.inputs.items()}
    return Encoded(inputs, encoded.padding, [encoded.segments[row] for row in rows])
