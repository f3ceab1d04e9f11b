"""The tokens of a corpus: what each is, and which word it is a piece of."""

from collections.abc import Iterable, Sequence
from enum import IntEnum

import numpy as np
import pandas as pd
from jaxtyping import Bool, Int
from transformers import PreTrainedTokenizerBase

from stages.core.encoder.batches import Encoded
from stages.core.encoder.families import VOCABULARIES, WORDPIECE

COLUMNS = ("id", "tokens", "segments", "word", "special")
CLS_TOKENS, SEP_TOKENS = (
    tuple(getattr(vocabulary, name) for vocabulary in VOCABULARIES) for name in ("cls", "sep")
)
PAD_TOKENS = ("[PAD]", "<pad>")


class Special(IntEnum):
    """Kinds of tokens that stand for no text, wherever they are."""

    NONE = 0
    CLS = 1
    SEP = 2


def token_table(
    tokenizer: PreTrainedTokenizerBase, corpus: pd.DataFrame, encoded: Encoded, max_length: int
) -> pd.DataFrame:
    """Tokens of every text as an encoder sees them, one row a text.

    Args:
        corpus: with id, text_a, text_b and words; the examples of a task are one too.
        encoded: the same texts as the encoder's inputs.

    Returns:
        id; `tokens`; `segments` (0 or 1); `word`, an index into the words of the text, -1 for a
        token of none; `special`, a `Special`. Texts that are not annotated have the tokenizer's own
        words, counted on from the first text of a pair to the second.
    """
    pairs = corpus["text_b"].notna().to_numpy()
    if pairs.any() and not pairs.all():
        raise ValueError("a corpus has pairs or single texts, not both")
    texts = [corpus["text_a"].tolist()] + ([corpus["text_b"].tolist()] if pairs.any() else [])
    encoding = tokenizer(
        *texts, truncation=True, max_length=max_length, return_offsets_mapping=True
    )
    rows = []
    for row, (identity, words) in enumerate(zip(corpus["id"], corpus["words"], strict=True)):
        sequences = encoding.sequence_ids(row)
        numbers = (
            _aligned(words, encoding["offset_mapping"][row], sequences)
            if words
            else _own_words(encoding.word_ids(row), sequences)
        )
        ids = encoding["input_ids"][row]
        special = np.select(
            [np.equal(ids, tokenizer.cls_token_id), np.equal(ids, tokenizer.sep_token_id)],
            [Special.CLS, Special.SEP],
            Special.NONE,
        )
        tokens = tokenizer.convert_ids_to_tokens(ids)
        spoken = _spoken(numbers, special, np.equal(ids, tokenizer.pad_token_id))
        rows.append((identity, tokens, encoded.segments[row], spoken, special.tolist()))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def recorded_table(tokens: pd.DataFrame) -> pd.DataFrame:
    """As `token_table`, of recorded maps: special tokens are spelt as those of a family."""
    rows = []
    for number, (identity, pieces, segments) in enumerate(
        zip(tokens["id"], tokens["tokens"], tokens["segments"], strict=True)
    ):
        cls, sep = np.isin(pieces, CLS_TOKENS), np.isin(pieces, SEP_TOKENS)
        special = np.select([cls, sep], [Special.CLS, Special.SEP], Special.NONE)
        words = (
            tokens["word"][number]
            if "word" in tokens
            else words_of_pieces(pieces, special == Special.NONE)
        )
        spoken = _spoken(words, special, np.isin(pieces, PAD_TOKENS))
        rows.append((identity, list(pieces), list(segments), spoken, special.tolist()))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _aligned(
    words: Sequence[dict], offsets: Sequence[tuple[int, int]], sequences: Sequence[int | None]
) -> list[int]:
    """The word in which each token begins; the spaces before a token are no part of it."""
    places = {
        (word["segment"], character): number
        for number, word in reversed(list(enumerate(words)))
        for character in range(word["start"], word["end"])
    }
    return [
        -1 if sequence is None else _first_word(places, sequence, *span)
        for sequence, span in zip(sequences, offsets, strict=True)
    ]


def _first_word(places: dict[tuple[int, int], int], sequence: int, start: int, end: int) -> int:
    found = (places[sequence, at] for at in range(start, end) if (sequence, at) in places)
    return next(found, -1)


def _own_words(numbers: Sequence[int | None], sequences: Sequence[int | None]) -> list[int]:
    pairs = list(zip(numbers, sequences, strict=True))
    first = 1 + max((n for n, sequence in pairs if sequence == 0 and n is not None), default=-1)
    return [-1 if n is None or sequence is None else n + first * sequence for n, sequence in pairs]


def _spoken(
    numbers: Sequence[int] | Int[np.ndarray, " token"],
    special: Int[np.ndarray, " token"],
    padding: Bool[np.ndarray, " token"],
) -> list[int]:
    """The word of each token; a text may spell a special token, which is no word even so."""
    return np.where((special == Special.NONE) & ~padding, numbers, -1).tolist()


def words_of_pieces(pieces: Iterable[str], plain: Bool[np.ndarray, " token"]) -> list[int]:
    """The number of each WordPiece token's word; -1 for tokens that are not `plain`."""
    begins = [not piece.startswith(WORDPIECE.continues) for piece in pieces]
    numbers = np.cumsum(np.logical_and(begins, plain)) - 1
    return np.where(plain, numbers, -1).tolist()
