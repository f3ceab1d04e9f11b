"""Batches of token ids: examples of like length go together, so that little is padding."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from jaxtyping import Int
from torch import Tensor
from transformers import PreTrainedTokenizerBase


@dataclass(frozen=True)
class Batch:
    """Some examples, padded to one length.

    `rows` are the positions of the examples in the encoded frame; `lengths` count [CLS] and [SEP].
    """

    rows: Int[np.ndarray, " batch"]
    lengths: Int[np.ndarray, " batch"]
    inputs: dict[str, Int[Tensor, "batch token"]]


@dataclass(frozen=True)
class Encoded:
    """Token ids of every example, unpadded, in the order of the frame.

    `inputs` are the model's, by the tokenizer's names (`input_ids`, ...); a model without segment
    embeddings has no `token_type_ids`. `padding` has the id that fills each up.
    """

    inputs: dict[str, list[list[int]]]
    padding: dict[str, int]
    segments: list[list[int]]  # 0 and 1 for the two texts, whether or not the model reads them

    @property
    def lengths(self) -> Int[np.ndarray, " example"]:
        return np.array([len(ids) for ids in self.inputs["input_ids"]], dtype=int)

    def batches(
        self, size: int, device: torch.device | str = "cpu", pad_to: int | None = None
    ) -> Iterator[Batch]:
        """Yield batches of `size` examples, longest first, padded to their longest (or `pad_to`).

        Longest first, so that too large a batch fails at once and not after an hour.
        """
        order = np.argsort(-self.lengths, kind="stable")
        for start in range(0, len(order), size):
            yield self.batch(order[start : start + size], device, pad_to)

    def batch(
        self,
        rows: Int[np.ndarray, " batch"],
        device: torch.device | str = "cpu",
        pad_to: int | None = None,
    ) -> Batch:
        """The examples `rows`, in that order, padded to their longest (or `pad_to`)."""
        lengths = np.array([len(self.inputs["input_ids"][row]) for row in rows])
        width = max(int(lengths.max()), pad_to or 0)
        inputs = {
            name: torch.tensor(
                [ids[row] + [self.padding[name]] * (width - len(ids[row])) for row in rows],
                device=device,
            )
            for name, ids in self.inputs.items()
        }
        return Batch(rows, lengths, inputs)


def fitting(
    rows: Int[np.ndarray, " drawn"],
    lengths: Int[np.ndarray, " text"],
    numbers_of: Callable[[int], int],
    numbers: int,
    most: int | None = None,
) -> Iterator[Int[np.ndarray, " part"]]:
    """Yield `rows` in parts that fit into memory, or a processor's cache; longest first.

    Args:
        lengths: of all texts, in tokens; `rows` are places in it.
        numbers_of: how many numbers a text of that length brings.
        numbers: how many a part may have, with its padding; a text alone may have more.
        most: rows that a part may have; None: any number.
    """
    rows = rows[np.argsort(-lengths[rows], kind="stable")]
    while len(rows):
        size = max(1, numbers // numbers_of(int(lengths[rows[0]])))
        size = size if most is None else min(size, most)
        yield rows[:size]
        rows = rows[size:]


def encode(tokenizer: PreTrainedTokenizerBase, examples: pd.DataFrame, max_length: int) -> Encoded:
    """Tokenise `text_a` and `text_b`, cut to `max_length` tokens, the longer text first."""
    pairs = examples["text_b"].notna().to_numpy()
    if pairs.any() and not pairs.all():
        raise ValueError("a task has pairs or single texts, not both")
    texts = [examples["text_a"].tolist()] + ([examples["text_b"].tolist()] if pairs.any() else [])
    encoding = tokenizer(*texts, truncation=True, max_length=max_length)
    names = [name for name in tokenizer.model_input_names if name in encoding]
    padding = {
        "input_ids": tokenizer.pad_token_id,
        "attention_mask": 0,
        "token_type_ids": tokenizer.pad_token_type_id,
    }
    return Encoded(
        {name: encoding[name] for name in names},
        {name: padding[name] for name in names},
        [_segments(encoding.sequence_ids(row)) for row in range(len(examples))],
    )


def _segments(sequences: list[int | None]) -> list[int]:
    """The text each token belongs to: a special token belongs to the text before it."""
    segments, current = [], 0
    for sequence in sequences:
        current = current if sequence is None else sequence
        segments.append(current)
    return segments
