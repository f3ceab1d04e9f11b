"""The encoders that read corpora: untuned with its MLM head, and of random weights."""

from pathlib import Path

import torch
from ruamel.yaml import YAML
from transformers import AutoConfig, AutoModelForMaskedLM

from stages.core.encoder.checkpoint import load_encoder, load_masked_lm
from stages.core.encoder.tokenizer import load_tokenizer
from stages.encoder.stage import random_weights, run_stage
from stages.surface.masked_words import has_mlm_head


def write_parameters(checkpoint: Path, arms: list[str]) -> None:
    sections = {
        "runtime": {"device": "cpu", "threads": 1},
        "checkpoint": {"source": "folder", "path": str(checkpoint)},
        "encoder": {"arms": arms, "seed": 3},
    }
    with Path("params.yaml").open("w") as stream:
        YAML().dump(sections, stream)


def test_untuned_and_random_weights_of_one_shape(tiny_bert, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_parameters(tiny_bert, ["untuned", "random_weights"])
    run_stage()
    source = load_encoder(tiny_bert).state_dict()
    own = load_encoder(Path("work/encoders/untuned")).state_dict()
    drawn = load_encoder(Path("work/encoders/random_weights")).state_dict()
    name = "encoder.layer.0.attention.self.query.weight"
    assert torch.equal(source[name], own[name])
    assert drawn[name].shape == own[name].shape
    assert not torch.equal(drawn[name], own[name])
    assert load_tokenizer(Path("work/encoders/random_weights")).cls_token == "[CLS]"
    assert not has_mlm_head(Path("work/encoders/untuned"))


def test_the_seed_decides_random_weights(tiny_bert):
    one, again, other = (random_weights(tiny_bert, seed).state_dict() for seed in (0, 0, 1))
    name = "encoder.layer.1.output.dense.weight"
    assert torch.equal(one[name], again[name])
    assert not torch.equal(one[name], other[name])


def test_an_mlm_head_is_kept(tiny_bert, tmp_path, monkeypatch):
    assert "cls.predictions.bias" in load_masked_lm(tiny_bert)[1]
    folder = tmp_path / "with-head"
    AutoModelForMaskedLM.from_config(AutoConfig.from_pretrained(tiny_bert)).save_pretrained(folder)
    load_tokenizer(tiny_bert).save_pretrained(folder)
    monkeypatch.chdir(tmp_path)
    write_parameters(folder, ["untuned"])
    run_stage()
    assert has_mlm_head(Path("work/encoders/untuned"))
    kept = load_encoder(Path("work/encoders/untuned")).state_dict()
    name = "encoder.layer.0.attention.self.query.weight"
    assert torch.equal(load_encoder(folder).state_dict()[name], kept[name])


def test_without_arms_there_is_nothing_to_load(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_parameters(tmp_path / "no-such-checkpoint", [])
    run_stage()
    assert [path.name for path in Path("work/encoders").iterdir()] == ["arms.txt"]
