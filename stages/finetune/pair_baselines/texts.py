"""The two texts of a pair apart, as both models read them.

An example is one row: [CLS] a [SEP] [CLS] b [SEP], cut as `finetune` cuts the pair for the encoder.
So each row is longer than the encoder's by as much, examples of like lengths are those of the
encoder, and `finetune`'s own sampler gives both models the encoder's batches in its order.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Int
from torch import Tensor
from transformers import PreTrainedTokenizerBase

from stages.core.encoder.batches import Encoded
from stages.core.stage.files import InputError
from stages.core.stage.settings import PARAMETER_FILE

NEITHER = 2  # in the input `text`: the number of the text that a token is of, or this of padding


class Texts(NamedTuple):
    """Texts of a batch below each other: all first texts, then all second ones.

    Attributes:
        ids: padded behind.
        real: whether a token is none of padding.
    """

    ids: Int[Tensor, "text token"]
    real: Bool[Tensor, "text token"]


def encode_apart(
    tokenizer: PreTrainedTokenizerBase, examples: pd.DataFrame, max_length: int, task: str
) -> Encoded:
    """Tokenise both texts apart, each between the special tokens of a single text.

    Both lose what `encode` cuts off the pair.

    Raises:
        InputError: the task has single texts.
    """
    if examples["text_b"].isna().any():
        raise InputError(
            f"{PARAMETER_FILE}: `pair_baselines.tasks` has {task}, whose examples are single "
            "texts; name tasks of pairs alone"
        )
    texts = [examples[name].tolist() for name in ("text_a", "text_b")]
    joint = tokenizer(*texts, truncation=True, max_length=max_length)
    before, behind = _around_a_text(tokenizer)
    ids, text = [], []
    for row, tokens in enumerate(joint["input_ids"]):
        places = joint.sequence_ids(row)
        parts = [
            [
                *before,
                *(token for token, of in zip(tokens, places, strict=True) if of == n),
                *behind,
            ]
            for n in (0, 1)
        ]
        ids.append(parts[0] + parts[1])
        text.append([0] * len(parts[0]) + [1] * len(parts[1]))
    padding = {"input_ids": tokenizer.pad_token_id, "text": NEITHER}
    return Encoded({"input_ids": ids, "text": text}, padding, text)


def _around_a_text(tokenizer: PreTrainedTokenizerBase) -> tuple[list[int], list[int]]:
    """The special tokens before and behind a single text."""
    encoding = tokenizer(["a"])
    ids = encoding["input_ids"][0]
    inside = [index for index, of in enumerate(encoding.sequence_ids(0)) if of is not None]
    return ids[: inside[0]], ids[inside[-1] + 1 :]


def apart(
    input_ids: Int[Tensor, "example token"], text: Int[Tensor, "example token"], padding: int
) -> Texts:
    """The texts of a batch of rows, padded to the longest of them all."""
    lengths = torch.cat([(text == number).sum(dim=1) for number in (0, 1)])
    starts = torch.cat([torch.zeros_like(lengths[: len(text)]), lengths[: len(text)]])
    places = torch.arange(int(lengths.max()), device=text.device)
    real = places < lengths[:, None]
    # What lies behind a text's end is another's, or beyond the row.
    columns = (starts[:, None] + places).clamp(max=text.shape[1] - 1)
    ids = input_ids.repeat(2, 1).gather(1, columns)
    return Texts(ids.masked_fill(~real, padding), real)


def known_words(
    splits: list[Encoded], padding: int, entries: int
) -> tuple[Int[np.ndarray, " word"], Int[np.ndarray, " entry"]]:
    """The entries of a vocabulary that any text has, and where each entry is among them.

    The embeddings of all others get no gradient and reach no prediction: without them tuning gives
    the same model at a part of the cost. Entries up to that of padding stay, so that padding keeps
    its number, by which some encoders tell it.

    Returns:
        The numbers of the entries that stay, ascending; and of every entry its place among them,
        or that of padding.
    """
    present = np.zeros(entries, dtype=bool)
    present[: padding + 1] = True
    for encoded in splits:
        for ids in encoded.inputs["input_ids"]:
            present[ids] = True
    return np.flatnonzero(present), np.where(present, np.cumsum(present) - 1, padding)


def renumbered(encoded: Encoded, numbers: Int[np.ndarray, " entry"]) -> Encoded:
    """The same texts with the numbers that `known_words` gives to their words."""
    ids = [numbers[row].tolist() for row in encoded.inputs["input_ids"]]
    return Encoded(encoded.inputs | {"input_ids": ids}, encoded.padding, encoded.segments)
