"""Examples as batches of token ids: sorted by length, padding cut."""

from collections.abc import Iterator
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

    `names` are the model's inputs in the tokenizer's words (`input_ids`, ...); a model without
    segment embeddings has no `token_type_ids`.
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
        lengths = self.lengths
        order = np.argsort(-lengths, kind="stable")
        for start in range(0, len(order), size):
            rows = order[start : start + size]
            width = max(int(lengths[rows].max()), pad_to or 0)
            inputs = {
                name: torch.tensor(
                    [ids[row] + [self.padding[name]] * (width - len(ids[row])) for row in rows],
                    device=device,
                )
                for name, ids in self.inputs.items()
            }
            yield Batch(rows, lengths[rows], inputs)


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
