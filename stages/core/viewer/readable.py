"""The tokens of a text, or pair, as a reader sees them: pieces, words, and the text of each."""

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd
from transformers import PreTrainedConfig, PreTrainedTokenizerBase

from stages.core.encoder.batches import Encoded, encode
from stages.core.encoder.families import BYTE_LEVEL, WORDPIECE, family_of
from stages.core.recordings.tokens import token_table

SPACE = "␣"  # a token of bytes that is a space alone


class Tokens(NamedTuple):
    """Tokens of one text or pair, [CLS] and [SEP] among them.

    Attributes:
        pieces: as the tokenizer spells them; of bytes, which nobody can read, the text they cover.
        groups: the word of each token, counted from 0; a token that is no word's has its own.
        words: as they stand in the text, by their number in `groups`.
        segments: 0 and 1 for the two texts; a special token belongs to the text before it.
        unknown: how many the tokenizer does not know.
    """

    pieces: list[str]
    groups: list[int]
    words: list[str]
    segments: list[int]
    unknown: int


class ReadText(NamedTuple):
    """One text, or pair, as the model and as a reader gets it; `table` is its `token_table`."""

    encoded: Encoded
    table: pd.Series
    tokens: Tokens


def read_text(
    tokenizer: PreTrainedTokenizerBase,
    config: PreTrainedConfig,
    texts: Sequence[str],
    words: list[dict] | None,
    max_length: int,
) -> ReadText:
    """Tokens of one text or pair, cut to `max_length`.

    Args:
        config: of the encoder that the tokenizer belongs to.
        words: its annotation; None: words are the tokenizer's.
    """
    first, second = texts[0], texts[1] if len(texts) > 1 else None
    frame = pd.DataFrame({"id": ["0"], "text_a": [first], "text_b": [second], "words": [words]})
    encoded = encode(tokenizer, frame, max_length)
    table = token_table(tokenizer, frame, encoded, max_length).iloc[0]
    encoding = tokenizer(
        *texts, truncation=True, max_length=max_length, return_offsets_mapping=True
    )
    spans = [
        None if sequence is None else (sequence, *offsets)
        for sequence, offsets in zip(
            encoding.sequence_ids(), encoding["offset_mapping"], strict=True
        )
    ]
    spelt = list(table["tokens"])
    by_bytes = family_of(config).vocabulary == BYTE_LEVEL
    pieces = [
        (_between(texts, [span]) or SPACE) if by_bytes and span is not None else token
        for token, span in zip(spelt, spans, strict=True)
    ]
    groups = word_groups(table["word"])
    spoken = []
    for group in range(max(groups) + 1):
        members = [place for place, one in enumerate(groups) if one == group]
        spoken.append(_between(texts, [spans[place] for place in members]) or spelt[members[0]])
    unknown = list(encoding["input_ids"]).count(tokenizer.unk_token_id)
    return ReadText(
        encoded, table, Tokens(pieces, groups, spoken, list(table["segments"]), unknown)
    )


def recorded_tokens(table: pd.Series) -> Tokens:
    """Tokens of a text whose attention was recorded elsewhere: all that is known are its pieces.

    Args:
        table: a row of `stages.core.recordings.tokens.recorded_table`.
    """
    pieces = list(table["tokens"])
    groups = word_groups(table["word"])
    words = [""] * (max(groups) + 1)
    for piece, group in zip(pieces, groups, strict=True):
        words[group] += piece.removeprefix(WORDPIECE.continues) if words[group] else piece
    return Tokens(pieces, groups, words, list(table["segments"]), 0)


def word_groups(words: Sequence[int]) -> list[int]:
    """Words counted on in the order of the tokens; each token that is no word's counts as one."""
    groups: list[int] = []
    for place, word in enumerate(words):
        goes_on = place > 0 and word >= 0 and word == words[place - 1]
        groups.append(groups[-1] + (not goes_on) if groups else 0)
    return groups


def _between(texts: Sequence[str], spans: Sequence[tuple[int, int, int] | None]) -> str:
    """The text from the first span to the last; empty where there is none."""
    known = [span for span in spans if span is not None]
    if not known:
        return ""
    return texts[known[0][0]][known[0][1] : known[-1][2]].strip()
