"""The encoders and the texts that are timed."""

from pathlib import Path

import numpy as np
import torch
from transformers import AutoConfig, AutoModelForSequenceClassification, BertConfig, PreTrainedModel

from stages.core.checkpoint_source import PackageCheckpoint, locate
from stages.core.encoder.batches import Encoded
from stages.core.stage.files import InputError
from stages.core.stage.settings import section

SEED = 0
CLS, SEP = 101, 102  # of BERT's vocabulary
CLASSES = 2
LENGTHS = Path(__file__).with_name("mrpc_lengths.txt")
ENCODERS = ("default", "bert-base")


def classifier(name: str) -> PreTrainedModel:
    """A classifier of two classes, on the `default` encoder or a random `bert-base`."""
    torch.manual_seed(SEED)
    if name not in ENCODERS:
        raise InputError(f"there is no encoder {name!r}; take one of {', '.join(ENCODERS)}")
    if name == "bert-base":  # its speed does not depend on the weights
        config = BertConfig(num_labels=CLASSES)
        return AutoModelForSequenceClassification.from_config(config).eval()
    folder = locate(section(PackageCheckpoint, "checkpoint"))
    config = AutoConfig.from_pretrained(folder, num_labels=CLASSES)
    return AutoModelForSequenceClassification.from_pretrained(
        folder, config=config, dtype=torch.float32
    ).eval()


def mrpc_lengths(count: int | None = None) -> np.ndarray:
    """Tokens of the 408 validation pairs of MRPC in their order, or of `count` drawn from them."""
    lengths = np.loadtxt(LENGTHS, dtype=int)
    if count is None or count >= len(lengths):
        return lengths
    drawn = np.random.default_rng(SEED).choice(len(lengths), count, replace=False)
    return lengths[np.sort(drawn)]


def texts(lengths: np.ndarray, vocabulary: int) -> Encoded:
    """Pairs of random tokens: [CLS], a first and a second half, each with its [SEP]."""
    generator = np.random.default_rng(SEED)
    ids, segments = [], []
    for length in lengths.tolist():
        words = generator.integers(1000, vocabulary, length - 3).tolist()
        middle = len(words) // 2
        ids.append([CLS, *words[:middle], SEP, *words[middle:], SEP])
        segments.append([0] * (middle + 2) + [1] * (length - middle - 2))
    inputs = {
        "input_ids": ids,
        "token_type_ids": segments,
        "attention_mask": [[1] * len(row) for row in ids],
    }
    return Encoded(inputs, dict.fromkeys(inputs, 0), segments)
