"""The interface that stays: what a researcher wants from Python, under one import path.

Modules behind it move as the project grows; what stands in `__all__` keeps its name and meaning.
Nothing here needs `params.yaml`, DVC or the folder `work`, but for `open_texts`, which opens what
the stage `corpus` prepared. No stage imports this module.
docs/viewing.md, section "From Python", has an example.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float
from torch import Tensor
from transformers import PreTrainedTokenizerBase

from stages.core.encoder.batches import Batch, Encoded, encode
from stages.core.encoder.checkpoint import load_encoder, load_tuned
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.grid.grid import Grid, mean_outputs
from stages.core.heads.gate_batches import GateBatch, off_matrix
from stages.core.heads.gates import Gate, random_shares, single_heads, whole_layers
from stages.core.heads.layer_maps import layer_maps
from stages.core.heads.seam import Gated
from stages.core.maps.statistics import STATISTICS, KindIds, surface_statistics
from stages.core.recording_writer import write_maps
from stages.core.recordings.recording import LiveRecording, Texts, open_texts
from stages.core.recordings.store import MapStore
from stages.core.recordings.tokens import token_table
from stages.core.stage.files import InputError
from stages.core.tasks.texts import HALF_FAULT, has_half, shown

__all__ = [
    "STATISTICS",
    "Batch",
    "Encoded",
    "Gate",
    "GateBatch",
    "Gated",
    "Grid",
    "KindIds",
    "LiveRecording",
    "MapStore",
    "Texts",
    "encode",
    "encode_texts",
    "layer_maps",
    "load_encoder",
    "load_tokenizer",
    "load_tuned",
    "logits_under_gates",
    "mean_outputs",
    "off_matrix",
    "open_texts",
    "random_shares",
    "record_maps",
    "single_heads",
    "surface_statistics",
    "token_table",
    "whole_layers",
    "write_maps",
]

SHARD_MEGABYTES = 250


def encode_texts(
    tokenizer: PreTrainedTokenizerBase,
    texts: Sequence[str],
    others: Sequence[str] | None = None,
    max_length: int | None = None,
) -> Encoded:
    """Token ids of texts, or of pairs where `others` has the second text of each.

    Args:
        max_length: in tokens, to which longer ones are cut; by default as many as the encoder of
            the tokenizer has positions for.

    Raises:
        InputError: there is no text, a value is none, or texts and `others` differ in number.
    """
    second = [None] * len(texts) if others is None else list(others)
    if not len(texts):
        raise InputError("there are no texts; give one or more")
    if len(second) != len(texts):
        raise InputError(f"{len(texts)} texts have {len(second)} others; give each of them one")
    pairs = pd.notna(second).any()
    for key, values in (("texts", texts), ("others", second if pairs else [])):
        for row, text in enumerate(values):
            if not isinstance(text, str) or has_half(text):
                why = HALF_FAULT if isinstance(text, str) else "no text"
                raise InputError(f"{key}[{row}] is {shown(text)}: {why}; give a text")
    examples = pd.DataFrame({"text_a": list(texts), "text_b": second})
    return encode(tokenizer, examples, max_length or tokenizer.model_max_length)


def logits_under_gates(
    gated: Gated,
    encoded: Encoded,
    gates: Sequence[Gate],
    means: Float[Tensor, "layer head size"] | None = None,
    batch: int = 4,
) -> tuple[Float[np.ndarray, "example class"], Float[np.ndarray, "gate example class"]]:
    """Logits of all examples with every head on, and under each gate; everything in memory.

    Of a model without a classifier, the first token's last hidden state stands for the logits, and
    its numbers for the classes.

    Args:
        gates: each turns one head off at least.
        means: what gates of the mode `mean` put in place of a head's output: `mean_outputs` of some
            batches of the same model.
        batch: examples that go through together; gates are stacked beside them.

    Returns:
        In the order of the examples and of the gates.
    """
    grid = Grid(_FirstToken(gated.model), gates, means)
    parts = list(encoded.batches(batch, gated.model.device))
    outputs = [grid.run(part) for part in parts]
    order = np.argsort(np.concatenate([part.rows for part in parts]))
    before = np.concatenate([output for output, _ in outputs])
    after = np.concatenate([output for _, output in outputs], axis=1)
    return before[order], after[:, order]


@torch.inference_mode()
def record_maps(
    folder: str | Path,
    gated: Gated,
    tokenizer: PreTrainedTokenizerBase,
    encoded: Encoded,
    ids: Sequence[str] | None = None,
    batch: int = 4,
) -> None:
    """Write the attention maps of all texts to a folder, which `MapStore` reads.

    Args:
        ids: names of the texts; by default "0", "1", and so on.
        batch: texts that go through together.
    """
    names = [str(row) for row in range(len(encoded.lengths))] if ids is None else list(ids)
    pieces = [tokenizer.convert_ids_to_tokens(row) for row in encoded.inputs["input_ids"]]
    tokens = pd.DataFrame({"id": names, "tokens": pieces, "segments": encoded.segments})
    with write_maps(folder, tokens, gated.layers, gated.heads, SHARD_MEGABYTES) as writer:
        for part in encoded.batches(batch, gated.model.device):
            for layer, maps in enumerate(layer_maps(gated, part.inputs)):
                writer.write(layer, part.rows, maps)


class _FirstToken(Gated):
    """Takes the first token's output for the logits where a model gives out one for each token."""

    def __call__(self, *inputs: Any, **records: Any) -> Float[Tensor, "batch class"]:
        output = super().__call__(*inputs, **records)
        return output[:, 0] if output.dim() == 3 else output
