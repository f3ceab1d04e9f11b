"""A folder made to have something else loaded than what it seems to hold."""

import hashlib
import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from stages.core.checkpoint_source import Checkpoint, locate
from stages.core.encoder.checkpoint import load_encoder
from stages.core.stage.files import InputError
from stages.core.stage.settings import checked

WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"


def found(folder: Path, sha256: str | dict[str, str] | None = None) -> Path:
    entry = {"source": "folder", "path": str(folder), "sha256": sha256}
    return locate(checked(Checkpoint, entry, "checkpoint"))


def change(file: Path, **changes: object) -> None:
    content = json.loads(file.read_text()) if file.exists() else {}
    file.write_text(json.dumps(content | changes))


def hashes(folder: Path, *names: str) -> dict[str, str]:
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}


def split(folder: Path, names: tuple[str, str] = ("model-1.safetensors", "model-2.safetensors")):
    """Put the weights into two files, every other one into the second, beside an index."""
    weights = load_file(folder / WEIGHTS)
    (folder / WEIGHTS).unlink()
    places = {name: names[number % 2] for number, name in enumerate(weights)}
    for file in names:
        part = {name: tensor for name, tensor in weights.items() if places[name] == file}
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        save_file(part, folder / file, {"format": "pt"})
    change(folder / INDEX, metadata={}, weight_map=places)


def test_the_shards_of_an_index_are_loaded_and_hashed(tiny_bert, tiny_bert_copy):
    split(tiny_bert_copy)
    both = b"".join((tiny_bert_copy / f"model-{one}.safetensors").read_bytes() for one in (1, 2))
    digest = hashlib.sha256(both).hexdigest()
    one, other = load_encoder(tiny_bert), load_encoder(found(tiny_bert_copy, digest))
    assert all(
        torch.equal(*pair) for pair in zip(one.parameters(), other.parameters(), strict=True)
    )


@pytest.mark.parametrize(
    "name",
    [
        "../model.safetensors",
        "inner/model.safetensors",
        "/tmp/model.safetensors",
        "model.bin",
        "..",
    ],
)
def test_an_index_that_names_what_is_not_in_the_folder(tiny_bert_copy, name):
    split(tiny_bert_copy)
    index = json.loads((tiny_bert_copy / INDEX).read_text())
    index["weight_map"][min(index["weight_map"])] = name
    change(tiny_bert_copy / INDEX, **index)
    with pytest.raises(InputError, match="no safetensors file of this folder"):
        found(tiny_bert_copy)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("[]", "not a JSON object"),
        ("[" * 100_000, "not a JSON object"),
        ("{}", "no `weight_map`"),
        ('{"weight_map": {"a": "model-1.safetensors"}}', "has no `metadata`"),
        ('{"weight_map": {"a": "model-3.safetensors"}}', "model-3.safetensors, which is not there"),
    ],
)
def test_a_damaged_index(tiny_bert_copy, content, complaint):
    split(tiny_bert_copy)
    (tiny_bert_copy / INDEX).write_text(content)
    with pytest.raises(InputError, match=complaint):
        found(tiny_bert_copy)


@pytest.mark.parametrize(
    ("file", "key", "value"),
    [
        ("config.json", "transformers_weights", "other.safetensors"),
        ("config.json", "auto_map", {"AutoModel": "model.Model"}),
        ("config.json", "quantization_config", {"quant_method": "bitsandbytes"}),
        ("config.json", "_attn_implementation", "someone/kernel"),
        ("config.json", "attn_implementation", {"": "flash_attention_2"}),
        ("tokenizer_config.json", "auto_map", {"AutoTokenizer": ["tokens.Own", None]}),
        ("tokenizer_config.json", "fast_tokenizer_files", ["../tokenizer.5.0.json"]),
    ],
)
def test_a_key_that_has_something_else_loaded(tiny_bert_copy, file, key, value):
    change(tiny_bert_copy / file, **{key: value})
    with pytest.raises(InputError, match=f"{file} has the key '{key}'"):
        found(tiny_bert_copy)


def test_plain_attention_and_an_empty_key_are_no_such_thing(tiny_bert_copy):
    change(tiny_bert_copy / "config.json", _attn_implementation="sdpa", quantization_config=None)
    assert found(tiny_bert_copy) == tiny_bert_copy


def test_an_adapter_is_refused(tiny_bert_copy):
    change(tiny_bert_copy / "adapter_config.json", base_model_name_or_path="someone/else")
    with pytest.raises(InputError, match="adapter"):
        found(tiny_bert_copy)


def test_every_file_that_is_loaded_has_a_hash_or_is_named(tiny_bert_copy):
    names = [file.name for file in tiny_bert_copy.iterdir() if file.name != "README.md"]
    every = hashes(tiny_bert_copy, *names)
    assert {"config.json", "tokenizer.json", WEIGHTS} <= every.keys()
    assert found(tiny_bert_copy, every) == tiny_bert_copy
    for name in names:
        with pytest.raises(InputError, match=f"{name} is loaded as well.*{name}: {every[name]}"):
            found(tiny_bert_copy, {other: every[other] for other in names if other != name})
    with pytest.raises(InputError, match="has no spiece.model"):
        found(tiny_bert_copy, every | {"spiece.model": "0" * 64})
    change(tiny_bert_copy / "config.json", initializer_range=0.5)
    with pytest.raises(InputError, match="config.json: the SHA-256 is"):
        found(tiny_bert_copy, every)
    assert found(tiny_bert_copy, every[WEIGHTS]) == tiny_bert_copy


@pytest.mark.parametrize("value", [float("nan"), float("-inf")])
def test_weights_that_are_not_finite(tiny_bert_copy, value):
    weights = load_file(tiny_bert_copy / WEIGHTS)
    name = next(name for name in weights if name.endswith("layer.1.attention.self.query.bias"))
    weights[name][3] = value
    save_file(weights, tiny_bert_copy / WEIGHTS, {"format": "pt"})
    with pytest.raises(InputError, match="1 weights are not finite .*query.bias"):
        load_encoder(found(tiny_bert_copy))
