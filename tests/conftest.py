"""Tiny checkpoints of every family, with random weights and working tokenizers, built offline."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from tokenizers import ByteLevelBPETokenizer
from transformers import (
    AutoModel,
    AutoModelForSequenceClassification,
    BertConfig,
    BertTokenizer,
    DistilBertConfig,
    DistilBertTokenizer,
    ElectraConfig,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    RobertaConfig,
    RobertaTokenizer,
)

from stages.core.encoder.checkpoint import load_classifier
from stages.core.tasks.task import Task

TEXT = (
    "the a dog cat house garden river book song teacher child sees likes finds reads not never "
    "good bad red small old and but in on with . , ' ? !"
)
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
POSITIONS = 64
SPREAD = 0.2  # of the weights: at the usual 0.02 so small a model gives every text the same logits

MINILM_LAYERS, MINILM_HEADS = 6, 12
# Files that take longest, in the order in which they begin: what begins last keeps one worker busy
# while the other has nothing left.
LONGEST = ("test_pipeline.py", "test_finetune_runs.py", "test_readme.py", "test_lock.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest."""
    place = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path.name, len(place)))


def wordpiece_vocabulary() -> dict[str, int]:
    """Special tokens, whole words, and every letter with and without ##, so that no word fails."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces = [*special, *TEXT.split(), *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    return {piece: index for index, piece in enumerate(dict.fromkeys(pieces))}


def byte_level_tokenizer() -> RobertaTokenizer:
    """RoBERTa's kind of tokenizer, trained on `TEXT`."""
    trained = ByteLevelBPETokenizer()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trained.train_from_iterator([TEXT] * 4, 400, special_tokens=special)
    model = json.loads(trained.to_str())["model"]
    return RobertaTokenizer(vocab=model["vocab"], merges=[tuple(pair) for pair in model["merges"]])


def family_parts(family: str) -> tuple[PreTrainedConfig, PreTrainedTokenizerBase]:
    """Configuration and tokenizer of a tiny encoder of `family`."""
    vocabulary = wordpiece_vocabulary()
    sizes = {
        "vocab_size": len(vocabulary),
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 32,
        "max_position_embeddings": POSITIONS,
        "initializer_range": SPREAD,
    }
    if family == "roberta":
        tokenizer = byte_level_tokenizer()
        sizes |= {"vocab_size": len(tokenizer), "max_position_embeddings": POSITIONS + 2}
        return RobertaConfig(**sizes, type_vocab_size=1, pad_token_id=1), tokenizer
    if family == "distilbert":
        config = DistilBertConfig(
            vocab_size=len(vocabulary),
            dim=16,
            n_layers=2,
            n_heads=4,
            hidden_dim=32,
            max_position_embeddings=POSITIONS,
            initializer_range=SPREAD,
        )
        return config, DistilBertTokenizer(vocab=vocabulary)
    if family == "electra":
        return ElectraConfig(**sizes, embedding_size=8), BertTokenizer(vocab=vocabulary)
    if family == "minilm":  # BERT with more heads than a head is wide
        sizes |= {
            "hidden_size": 4 * MINILM_HEADS,
            "num_hidden_layers": MINILM_LAYERS,
            "num_attention_heads": MINILM_HEADS,
        }
    return BertConfig(**sizes), BertTokenizer(vocab=vocabulary)


def vary_biases(model: PreTrainedModel, spread: float) -> None:
    """Draw biases and norms anew: before training they say nothing."""
    for parameter in model.parameters():
        if parameter.dim() == 1:
            parameter.data += spread * torch.randn_like(parameter)


FAMILIES = ("bert", "roberta", "distilbert", "electra", "minilm")


@pytest.fixture(scope="session")
def tiny_checkpoints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder with a tiny encoder and its tokenizer for each of `FAMILIES`."""
    root = tmp_path_factory.mktemp("checkpoints")
    for family in FAMILIES:
        config, tokenizer = family_parts(family)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(2019)
            model = AutoModel.from_config(config)
            vary_biases(model, 0.1)  # more, and so small a model is hard to tune
        model.save_pretrained(root / family)
        tokenizer.save_pretrained(root / family)
    return {family: root / family for family in FAMILIES}


@pytest.fixture(params=FAMILIES)
def any_checkpoint(request: pytest.FixtureRequest, tiny_checkpoints: dict[str, Path]) -> Path:
    """Each of the tiny checkpoints in turn."""
    return tiny_checkpoints[request.param]


@pytest.fixture
def padded_classifier(
    any_checkpoint: Path,
) -> Callable[[list[int]], tuple[PreTrainedModel, dict[str, torch.Tensor]]]:
    """Makes a classifier of each family, and token ids of some lengths, padded to the longest."""

    def make(lengths: list[int]) -> tuple[PreTrainedModel, dict[str, torch.Tensor]]:
        width = max(lengths)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            model = AutoModelForSequenceClassification.from_pretrained(any_checkpoint, num_labels=3)
            vary_biases(model, 0.3)
            ids = torch.randint(5, 40, (len(lengths), width))
        mask = torch.tensor([[1] * length + [0] * (width - length) for length in lengths])
        ids[mask == 0] = model.config.pad_token_id
        return model.eval(), {"input_ids": ids, "attention_mask": mask}

    return make


@pytest.fixture
def tiny_bert(tiny_checkpoints: dict[str, Path]) -> Path:
    """The folder of the tiny BERT: 2 layers of 4 heads."""
    return tiny_checkpoints["bert"]


@pytest.fixture(scope="session")
def tiny_bert_without_dropout(
    tiny_checkpoints: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The tiny BERT without dropout, so that two ways of training it can be held together."""
    folder = tmp_path_factory.mktemp("checkpoints") / "bert-without-dropout"
    shutil.copytree(tiny_checkpoints["bert"], folder)
    settings = json.loads((folder / "config.json").read_text())
    settings |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    (folder / "config.json").write_text(json.dumps(settings))
    return folder


@pytest.fixture(scope="session")
def synthetic_reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A configuration of synthetic measures with its findings and report."""
    from tests.synthetic_measures import build_reports  # only these tests need its imports

    folder = tmp_path_factory.mktemp("synthetic")
    build_reports(folder)
    return folder


@pytest.fixture
def tiny_classifier(tiny_checkpoints: dict[str, Path]) -> PreTrainedModel:
    """A classifier of three classes on the smallest MiniLM, before tuning."""
    task = Task.model_validate(
        {
            "data": {"source": "written", "train": 1, "validation": 1, "seed": 0},
            "kind": "classification",
            "labels": 3,
            "metrics": ["accuracy"],
            "max_length": 32,
        }
    )
    return load_classifier(tiny_checkpoints["minilm"], task, "none", 0)
