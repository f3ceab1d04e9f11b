"""Loading tiny checkpoints of every family, and what is refused."""

import json
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import BertConfig, BertForMaskedLM, BertForSequenceClassification

from stages.core.encoder.batches import Encoded
from stages.core.encoder.checkpoint import load_encoder, load_tuned
from stages.core.encoder.families import longest_input
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.grid.grid import Grid
from stages.core.heads.gates import single_heads
from stages.core.heads.seam import Gated
from stages.core.stage.files import InputError


def test_every_family_is_loaded_with_its_tokenizer(any_checkpoint: Path) -> None:
    tokenizer = load_tokenizer(any_checkpoint)
    inputs = tokenizer(["the dog", "a cat likes"], ["x", "an old house"], padding=True)
    tensors = {name: torch.tensor(inputs[name]) for name in tokenizer.model_input_names}
    encoder = load_encoder(any_checkpoint)
    assert not encoder.training
    hidden = encoder(**tensors).last_hidden_state
    assert hidden.shape == (*tensors["input_ids"].shape, encoder.config.hidden_size)


def test_inputs_and_positions_of_each_family(tiny_checkpoints: dict[str, Path]) -> None:
    tokenizers = {family: load_tokenizer(path) for family, path in tiny_checkpoints.items()}
    segments = {
        family
        for family, found in tokenizers.items()
        if "token_type_ids" in found.model_input_names
    }
    assert segments == {"bert", "electra", "minilm"}
    assert {found.model_max_length for found in tokenizers.values()} == {64}  # RoBERTa: 66 - 2


def test_roberta_reads_as_many_tokens_as_it_has_positions(
    tiny_checkpoints: dict[str, Path],
) -> None:
    encoder = load_encoder(tiny_checkpoints["roberta"])
    longest = longest_input(encoder.config)
    encoder(torch.full((1, longest), 5))
    with pytest.raises((IndexError, RuntimeError)):
        encoder(torch.full((1, longest + 1), 5))


def test_a_checkpoint_with_a_language_model_head(tmp_path: Path, tiny_bert: Path) -> None:
    """Its weights carry the prefix `bert.`."""
    model = BertForMaskedLM(BertConfig.from_pretrained(tiny_bert))
    shutil.copytree(tiny_bert, tmp_path / "lm")
    model.save_pretrained(tmp_path / "lm")
    matrix = "encoder.layer.1.output.dense.weight"
    encoder = load_encoder(tmp_path / "lm")
    assert torch.equal(encoder.state_dict()[matrix], model.bert.state_dict()[matrix])


def test_half_precision_is_read_as_float32(tiny_bert_copy: Path) -> None:
    weights = {
        name: value.half()
        for name, value in load_file(tiny_bert_copy / "model.safetensors").items()
    }
    save_file(weights, tiny_bert_copy / "model.safetensors", {"format": "pt"})
    assert {value.dtype for value in load_encoder(tiny_bert_copy).parameters()} == {torch.float32}


def test_damaged_weights(tiny_bert_copy: Path) -> None:
    weights = (tiny_bert_copy / "model.safetensors").read_bytes()
    (tiny_bert_copy / "model.safetensors").write_bytes(weights[: len(weights) // 2])
    with pytest.raises(InputError, match="is damaged"):
        load_encoder(tiny_bert_copy)


def test_the_tokenizer_of_another_model(
    tiny_checkpoints: dict[str, Path], tiny_bert_copy: Path
) -> None:
    shutil.copy(tiny_checkpoints["roberta"] / "tokenizer.json", tiny_bert_copy)
    with pytest.raises(InputError, match="another model's"):
        load_tokenizer(tiny_bert_copy)


def test_a_tokenizer_without_separator(tiny_bert_copy: Path) -> None:
    settings = json.loads((tiny_bert_copy / "tokenizer_config.json").read_text())
    settings |= {"sep_token": None, "tokenizer_class": "TokenizersBackend"}
    (tiny_bert_copy / "tokenizer_config.json").write_text(json.dumps(settings))
    with pytest.raises(InputError, match="no sep token"):
        load_tokenizer(tiny_bert_copy)


@pytest.mark.parametrize("load", [load_tokenizer, load_tuned])
def test_a_model_that_was_not_made_yet_is_named(tmp_path, load):
    with pytest.raises(InputError, match=r"absent: no model there; .* makes it"):
        load(tmp_path / "absent")


def test_a_model_computes_the_same_bits_as_its_copy_in_another_process(tmp_path: Path) -> None:
    """Of a size at which products depend on where in memory their weights begin."""
    config = BertConfig(hidden_size=384, num_hidden_layers=2, intermediate_size=1536, vocab_size=99)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        BertForSequenceClassification(config).save_pretrained(tmp_path)
    model = load_tuned(tmp_path)
    assert {weight.data_ptr() % 64 for weight in model.parameters()} == {0}
    generator = np.random.default_rng(0)
    ids = [generator.integers(5, 99, 23).tolist() for _ in range(4)]
    inputs = {"input_ids": ids, "attention_mask": [[1] * 23] * 4}
    encoded = Encoded(inputs, dict.fromkeys(inputs, 0), ids)
    batch = encoded.batch(np.arange(4))
    gates = list(single_heads(2, 12, "zero"))
    one, other = (
        Grid(Gated(twin), gates).run(batch) for twin in (model, pickle.loads(pickle.dumps(model)))
    )
    assert all(map(np.array_equal, one, other))
