"""The texts of the page as tokens, and as words."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from transformers import PreTrainedConfig, PreTrainedTokenizerBase

from stages.core.encoder.batches import Encoded, encode
from stages.core.encoder.families import BYTE_LEVEL, family_of
from stages.core.recordings.tokens import Special, token_table
from stages.core.stage.files import InputError

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


def require_text(first: str, second: str | None) -> None:
    """Check that there is something to read.

    Raises:
        InputError: a text is empty, or was given in another encoding than UTF-8.
    """
    for place, text in (("first", first), ("second", second)):
        if text is not None and not text.strip():
            raise InputError(f"the {place} text is empty; give some words, in quotes")
        # Python keeps bytes of the command line that it cannot read as half of a surrogate pair.
        if text is not None and any("\ud800" <= letter <= "\udfff" for letter in text):
            raise InputError(f"the {place} text is not UTF-8; set the terminal to it")


def encode_texts(
    tokenizer: PreTrainedTokenizerBase,
    config: PreTrainedConfig,
    first: str,
    second: str | None,
    name: str,
) -> tuple[Encoded, Tokens]:
    """The model's inputs, and what they are to a reader.

    Args:
        config: of the encoder that the tokenizer belongs to.
        name: of the model, for messages.

    Raises:
        InputError: the tokenizer finds no token, or more than the model has positions for.
    """
    texts = [first] if second is None else [first, second]
    # verbose: what is too long is said below.
    encoding = tokenizer(*texts, return_offsets_mapping=True, verbose=False)
    count, most = len(encoding["input_ids"]), tokenizer.model_max_length
    if count > most:
        raise InputError(
            f"the text has {count} tokens, [CLS] and [SEP] among them, but {name} has positions "
            f"for {most}; shorten it"
        )
    frame = pd.DataFrame({"id": ["0"], "text_a": [first], "text_b": [second], "words": [None]})
    encoded = encode(tokenizer, frame, most)
    table = token_table(tokenizer, frame, encoded, most).iloc[0]
    if not np.equal(table["special"], Special.NONE).any():
        raise InputError(f"the tokenizer of {name} finds no token in the text; give some words")
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
    groups = _groups(table["word"])
    words = []
    for group in range(max(groups) + 1):
        members = [place for place, one in enumerate(groups) if one == group]
        words.append(_between(texts, [spans[place] for place in members]) or spelt[members[0]])
    unknown = list(encoding["input_ids"]).count(tokenizer.unk_token_id)
    return encoded, Tokens(pieces, groups, words, list(table["segments"]), unknown)


def _groups(words: Sequence[int]) -> list[int]:
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
