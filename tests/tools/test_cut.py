"""Heads that are cut out of a checkpoint predict as the gate does, in every family."""

import json
import os
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForSequenceClassification
from typer.testing import CliRunner

from stages.core.encoder.checkpoint import load_encoder, load_tuned
from stages.core.encoder.configuration import read_config
from stages.core.encoder.families import family_of
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.heads.gate_batches import GateBatch
from stages.core.heads.seam import Gated
from stages.core.stage.command import typer
from stages.core.stage.files import InputError
from tests.core.test_checkpoint_files import change
from tools.cut import cut, head_of, main

HEADS = [(1, 3), (0, 1), (1, 0)]


@pytest.fixture
def checkpoint(padded_classifier, any_checkpoint, tmp_path) -> tuple[Path, dict]:
    """A classifier of each family with its tokenizer, and inputs of three lengths."""
    model, inputs = padded_classifier([9, 5, 7])
    model.save_pretrained(tmp_path / "whole")
    load_tokenizer(any_checkpoint).save_pretrained(tmp_path / "whole")
    return tmp_path / "whole", inputs


def logits(folder: Path, inputs: dict) -> torch.Tensor:
    with torch.inference_mode():
        model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
        return model(**inputs).logits


def test_it_predicts_as_the_gate_in_every_family(checkpoint, tmp_path):
    folder, inputs = checkpoint
    cut(folder, tmp_path / "cut", HEADS)
    gated = Gated(AutoModelForSequenceClassification.from_pretrained(folder).eval())
    off = torch.zeros(3, gated.layers, gated.heads)
    for layer, head in HEADS:
        off[:, layer, head] = 1
    with torch.inference_mode():
        expected = gated(inputs, gate=GateBatch("zero", off))
    found = logits(tmp_path / "cut", inputs)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    assert (found - logits(folder, inputs)).abs().max() > 1e-3
    before, after = (load_file(path / "model.safetensors") for path in (folder, tmp_path / "cut"))
    changed = [name for name in before if not torch.equal(before[name], after[name])]
    assert len(changed) == 2  # a projection in each of two layers
    for name in {path.name for path in folder.iterdir()} - {"model.safetensors"}:
        assert (tmp_path / "cut" / name).read_bytes() == (folder / name).read_bytes()


@pytest.fixture
def small(tiny_bert_copy) -> Path:
    """A BERT of 2 layers of 4 heads."""
    return tiny_bert_copy


@pytest.mark.parametrize(
    ("heads", "complaint"),
    [
        ([(2, 0)], "has 2 layers of 4 heads"),
        ([(0, 4)], "--heads 0.4: .* both counted from 0"),
    ],
)
def test_an_unknown_head_is_refused(small, tmp_path, heads, complaint):
    with pytest.raises(InputError, match=complaint):
        cut(small, tmp_path / "cut", heads)
    assert not (tmp_path / "cut").exists()


def test_what_is_no_checkpoint_is_refused(small, tmp_path):
    with pytest.raises(InputError, match="which is read, or lies in it"):
        cut(small, small, HEADS)
    with pytest.raises(InputError, match=r"no config\.json"):
        cut(tmp_path / "nothing", tmp_path / "cut", HEADS)
    (small / "model.safetensors").rename(small / "pytorch_model.bin")
    with pytest.raises(InputError, match="has no model.safetensors"):
        cut(small, tmp_path / "cut", HEADS)
    save_file({"other": torch.zeros(2)}, small / "model.safetensors")
    with pytest.raises(InputError, match="num_hidden_layers 2, its weights have 0"):
        cut(small, tmp_path / "cut", HEADS)
    assert not list(tmp_path.glob("*cut*"))


def test_weights_of_other_formats_stay_behind(small, tmp_path):
    (small / "pytorch_model.bin").write_bytes(b"with all heads")
    cut(small, tmp_path / "cut", [(0, 0)])
    assert not (tmp_path / "cut/pytorch_model.bin").exists()


def test_what_is_no_file_of_the_checkpoint_stays_behind(small, tmp_path):
    (tmp_path / "secret").write_text("key")
    (small / "notes").symlink_to(tmp_path / "secret")
    (small / ".env").write_text("token")
    (small / "id_rsa").write_text("key")
    (small / "more.txt").symlink_to(tmp_path)
    os.mkfifo(small / "pipe")
    (small / "README.md").write_text("what it was trained on")
    cut(small, tmp_path / "cut", [(0, 0)])
    copied = {file.name for file in (tmp_path / "cut").iterdir()}
    assert {"config.json", "model.safetensors", "README.md"} < copied
    assert not copied & {"notes", ".env", "id_rsa", "more.txt", "pipe"}


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "notes.txt", "loop.json"])
def test_links_are_not_followed(small, tmp_path, name):
    if (small / name).exists():
        (small / name).rename(tmp_path / name)
    (small / name).symlink_to(small / name if name == "loop.json" else tmp_path / name)
    with pytest.raises(InputError, match=f"{name}: it is a link"):
        cut(small, tmp_path / "cut", [(0, 0)])
    assert not list(tmp_path.glob("*cut*"))


def test_parts_of_a_large_checkpoint_are_all_cut(small, tmp_path):
    weights = load_file(small / "model.safetensors")
    (small / "model.safetensors").unlink()
    files = [f"model-{number:05}-of-00002.safetensors" for number in (1, 2)]
    places = {name: files["layer.1." in name] for name in weights}
    for file in files:
        save_file(
            {name: one for name, one in weights.items() if places[name] == file}, small / file
        )
    index = json.dumps({"metadata": {}, "weight_map": places})
    (small / "model.safetensors.index.json").write_text(index)
    cut(small, tmp_path / "cut", [(0, 0), (1, 0)])
    for file in files:
        part = load_file(tmp_path / "cut" / file)
        (name,) = [one for one in part if one.endswith("attention.output.dense.weight")]
        assert (part[name][:, :4] == 0).all()
        assert (part[name][:, 4:] != 0).any()


def test_heads_are_named_one_after_the_other(small, tmp_path):
    app = typer.Typer()
    app.command()(main)
    named = ["--heads", "0.1", "1.3", "1.0"]
    done = CliRunner().invoke(app, [str(small), str(tmp_path / "cut"), *named])
    assert done.exit_code == 0, done.output
    assert "3 heads off" in done.output
    expected = tmp_path / "expected"
    cut(small, expected, HEADS)
    name = "model.safetensors"
    assert (tmp_path / "cut" / name).read_bytes() == (expected / name).read_bytes()


@pytest.mark.parametrize("named", ["3", "3,7", "-1.2", "3.x"])
def test_a_head_is_written_as_layer_and_head(named):
    with pytest.raises(InputError, match=r"write LAYER\.HEAD"):
        head_of(named)


PRUNED = [(0, 0), (1, 1), (1, 2)]


@pytest.fixture
def pruned(checkpoint) -> Path:
    """The classifier without the rows and columns of some heads, as transformers 4 saved it."""
    folder, _ = checkpoint
    config = read_config(folder)
    family, heads = family_of(config), config.num_attention_heads
    weights = load_file(folder / "model.safetensors")
    for layer in {layer for layer, _ in PRUNED}:
        left = [head for head in range(heads) if (layer, head) not in PRUNED]
        query, key, value, output = (f".layer.{layer}.{name}." for name in family.modules[1:5])
        for name, weight in weights.items():
            of_inputs = any(module in name for module in (query, key, value))
            if of_inputs or f"{output}weight" in name:
                axis = 0 if of_inputs else 1
                by_head = weight.unflatten(axis, (heads, -1))[(slice(None),) * axis + (left,)]
                weights[name] = by_head.flatten(axis, axis + 1).contiguous()
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    change(folder / "config.json", pruned_heads={"0": [0], "1": [1, 2]})
    return folder


def test_pruned_heads_get_zeros_and_predict_as_the_gate(checkpoint, request, tmp_path):
    folder, inputs = checkpoint
    gated = Gated(AutoModelForSequenceClassification.from_pretrained(folder).eval())
    off = torch.zeros(3, gated.layers, gated.heads)
    for layer, head in [*PRUNED, (1, 3)]:
        off[:, layer, head] = 1
    with torch.inference_mode():
        expected = gated(inputs, gate=GateBatch("zero", off))
    pruned = request.getfixturevalue("pruned")
    for load in (load_encoder, load_tuned):
        with pytest.raises(InputError, match=r"tools.cut .* --heads 0\.0 1\.1 1\.2"):
            load(pruned)
    cut(pruned, tmp_path / "cut", [*PRUNED, (1, 3)])
    found = logits(tmp_path / "cut", inputs)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    assert "pruned_heads" not in (tmp_path / "cut/config.json").read_text()
    load_tuned(tmp_path / "cut")


@pytest.mark.parametrize(
    ("heads", "complaint"),
    [
        ({"0": [9]}, "`pruned_heads` 0.9: .* has 2 layers of 4 heads"),
        ({"0": [1]}, "another shape than config.json says"),
        ("0.1", "no mapping from layers to lists of heads"),
    ],
)
def test_pruned_heads_that_the_weights_do_not_have(small, tmp_path, heads, complaint):
    change(small / "config.json", pruned_heads=heads)
    with pytest.raises(InputError, match=complaint) as refusal:
        cut(small, tmp_path / "cut", [(0, 0)])
    assert ".partial" not in str(refusal.value)
    assert not (tmp_path / "cut").exists()


def test_a_damaged_checkpoint_is_not_cut(small, tmp_path):
    weights = load_file(small / "model.safetensors")
    weights["encoder.layer.0.output.dense.bias"][0] = float("nan")
    save_file(weights, small / "model.safetensors", {"format": "pt"})
    with pytest.raises(InputError, match=f"{small}: 1 weights are not finite"):
        cut(small, tmp_path / "cut", [(0, 0)])
    assert not (tmp_path / "cut").exists()
