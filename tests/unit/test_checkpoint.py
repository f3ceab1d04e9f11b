"""Finding, checking and loading tiny checkpoints of every family."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import BertConfig, BertForMaskedLM

from stages.core.encoder import checkpoint_source
from stages.core.encoder.checkpoint import (
    load_classifier,
    load_encoder,
    load_tokenizer,
    load_tuned,
    longest_input,
)
from stages.core.encoder.source import Checkpoint, locate, weights_sha256
from stages.core.stage.files import InputError
from stages.core.stage.settings import checked
from stages.core.tasks.task import Task

TASK = Task.model_validate(
    {
        "data": {"source": "written", "train": 1, "validation": 1, "seed": 0},
        "kind": "classification",
        "labels": ["no", "perhaps", "yes"],
        "metrics": ["accuracy"],
        "max_length": 16,
    }
)


def folder_checkpoint(path: Path, **more: str) -> Checkpoint:
    return checked(Checkpoint, {"source": "folder", "path": str(path), **more}, "checkpoint")


def package_checkpoint(package: str, sha256: str, path: str = "model") -> Checkpoint:
    entry = {"source": "package", "package": package, "path": path, "sha256": sha256}
    return checked(Checkpoint, entry, "checkpoint")


@pytest.fixture
def copy(tiny_bert: Path, tmp_path: Path) -> Path:
    """The tiny BERT's folder, free to be spoilt."""
    return shutil.copytree(tiny_bert, tmp_path / "copy")


def test_every_family_is_found_and_loaded(any_checkpoint: Path) -> None:
    assert locate(folder_checkpoint(any_checkpoint)) == any_checkpoint
    tokenizer = load_tokenizer(any_checkpoint)
    inputs = tokenizer(["the dog", "a cat likes"], ["x", "an old house"], padding=True)
    tensors = {name: torch.tensor(inputs[name]) for name in tokenizer.model_input_names}
    model = load_classifier(any_checkpoint, TASK, "pretrained", 0)
    assert model(**tensors).logits.shape == (2, 3)
    assert model.config.id2label == {0: "no", 1: "perhaps", 2: "yes"}
    assert model.config._attn_implementation == "sdpa"
    hidden = load_encoder(any_checkpoint)(**tensors).last_hidden_state
    torch.testing.assert_close(model.base_model(**tensors)[0], hidden)


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


def test_arms(tiny_bert: Path) -> None:
    pretrained = load_classifier(tiny_bert, TASK, "pretrained", 0)
    untuned = load_classifier(tiny_bert, TASK, "none", 0)
    drawn = load_classifier(tiny_bert, TASK, "random", 0)
    again = load_classifier(tiny_bert, TASK, "untrained", 0)
    other = load_classifier(tiny_bert, TASK, "random", 1)
    matrix = "encoder.layer.0.attention.self.query.weight"
    file = load_file(tiny_bert / "model.safetensors")[matrix]
    weights = {
        name: model.base_model.state_dict()[matrix]
        for name, model in {
            "pretrained": pretrained,
            "untuned": untuned,
            "drawn": drawn,
            "again": again,
            "other": other,
        }.items()
    }
    assert torch.equal(weights["pretrained"], file)
    assert torch.equal(weights["untuned"], file)
    assert torch.equal(weights["drawn"], weights["again"])
    assert not torch.equal(weights["drawn"], file)
    assert not torch.equal(weights["drawn"], weights["other"])
    assert torch.equal(pretrained.classifier.weight, drawn.classifier.weight)  # the same seed


def test_random_weights_are_normal(tiny_checkpoints: dict[str, Path]) -> None:
    model = load_classifier(tiny_checkpoints["minilm"], TASK, "random", 3)
    matrices = torch.cat(
        [value.flatten() for name, value in model.named_parameters() if value.ndim == 2]
    )
    spread = model.config.initializer_range
    assert abs(matrices.mean().item()) < 0.01 * spread
    assert matrices.std().item() == pytest.approx(spread, rel=0.01)
    assert (matrices.abs() > 2 * spread).float().mean().item() == pytest.approx(0.0455, abs=0.003)


def test_drawing_weights_leaves_the_global_generator_alone(tiny_bert: Path) -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    load_classifier(tiny_bert, TASK, "pretrained", 0)
    assert torch.equal(torch.rand(3), expected)


def test_regression_head(tiny_bert: Path) -> None:
    task = TASK.model_copy(update={"kind": "regression", "labels": None})
    config = load_classifier(tiny_bert, task, "none", 0).config
    assert (config.num_labels, config.problem_type) == (1, "regression")


def test_a_checkpoint_with_a_language_model_head(tmp_path: Path, tiny_bert: Path) -> None:
    """Its weights carry the prefix `bert.`, and it has no pooler."""
    model = BertForMaskedLM(BertConfig.from_pretrained(tiny_bert))
    shutil.copytree(tiny_bert, tmp_path / "lm")
    model.save_pretrained(tmp_path / "lm")
    matrix = "encoder.layer.1.output.dense.weight"
    encoder = load_encoder(tmp_path / "lm")
    assert torch.equal(encoder.state_dict()[matrix], model.bert.state_dict()[matrix])
    first = load_classifier(tmp_path / "lm", TASK, "pretrained", 0).bert.pooler.dense.weight
    again = load_classifier(tmp_path / "lm", TASK, "pretrained", 0).bert.pooler.dense.weight
    other = load_classifier(tmp_path / "lm", TASK, "pretrained", 1).bert.pooler.dense.weight
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_a_tuned_checkpoint_gets_a_fresh_head_and_loads_back(
    tmp_path: Path, tiny_bert: Path
) -> None:
    tuned = load_classifier(tiny_bert, TASK, "random", 7)
    shutil.copytree(tiny_bert, tmp_path / "tuned")
    tuned.save_pretrained(tmp_path / "tuned")
    fresh = load_classifier(tmp_path / "tuned", TASK, "pretrained", 8)
    matrix = "encoder.layer.1.output.dense.weight"
    assert torch.equal(fresh.bert.state_dict()[matrix], tuned.bert.state_dict()[matrix])
    assert not torch.equal(fresh.classifier.weight, tuned.classifier.weight)
    back = load_tuned(tmp_path / "tuned")
    assert torch.equal(back.classifier.weight, tuned.classifier.weight)
    assert not back.training


def test_half_precision_is_read_as_float32(copy: Path) -> None:
    weights = {name: value.half() for name, value in load_file(copy / "model.safetensors").items()}
    save_file(weights, copy / "model.safetensors", {"format": "pt"})
    assert {value.dtype for value in load_encoder(copy).parameters()} == {torch.float32}


def test_a_package_is_found_without_importing_it(
    tmp_path: Path, tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "packaged_encoder"
    shutil.copytree(tiny_bert, package / "model")
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    sha256 = weights_sha256(tiny_bert)
    assert locate(package_checkpoint("packaged_encoder", sha256)) == package / "model"
    with pytest.raises(InputError, match="no folder 'weights'"):
        locate(package_checkpoint("packaged_encoder", sha256, "weights"))


@pytest.mark.parametrize("package", ["no_such_package_at_all", "no_such_package.inner"])
def test_a_package_that_is_not_installed(package: str) -> None:
    with pytest.raises(InputError, match="is not installed; install it"):
        locate(package_checkpoint(package, "0" * 64))


def test_a_wrong_hash(tiny_bert: Path) -> None:
    with pytest.raises(InputError, match="SHA-256") as refusal:
        locate(folder_checkpoint(tiny_bert, sha256="0" * 64))
    assert weights_sha256(tiny_bert) in str(refusal.value)
    assert locate(folder_checkpoint(tiny_bert, sha256=weights_sha256(tiny_bert))) == tiny_bert


@pytest.mark.parametrize("family", ["gpt2", "t5", None])
def test_a_model_that_is_no_encoder(copy: Path, family: str | None) -> None:
    settings = json.loads((copy / "config.json").read_text())
    settings["model_type"] = family
    (copy / "config.json").write_text(json.dumps(settings))
    with pytest.raises(InputError, match="not a BERT-like encoder") as refusal:
        locate(folder_checkpoint(copy))
    assert repr(family) in str(refusal.value)
    assert "roberta" in str(refusal.value)


@pytest.mark.parametrize(
    ("missing", "complaint"),
    [
        ("config.json", "no config.json; name the folder"),
        ("model.safetensors", "no model.safetensors .*convert once"),
        ("tokenizer.json", "no tokenizer .*copy the tokenizer files"),
    ],
)
def test_a_folder_that_lacks_a_file(copy: Path, missing: str, complaint: str) -> None:
    (copy / missing).unlink()
    (copy / "pytorch_model.bin").touch()
    with pytest.raises(InputError, match=complaint):
        locate(folder_checkpoint(copy))


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no folder"):
        locate(folder_checkpoint(tmp_path / "nowhere"))


def test_a_damaged_config(copy: Path) -> None:
    (copy / "config.json").write_text("{")
    with pytest.raises(InputError, match="not a JSON object"):
        locate(folder_checkpoint(copy))


def test_damaged_weights(copy: Path) -> None:
    weights = (copy / "model.safetensors").read_bytes()
    (copy / "model.safetensors").write_bytes(weights[: len(weights) // 2])
    with pytest.raises(InputError, match="is damaged"):
        load_encoder(copy)


@pytest.mark.parametrize("key", ["num_hidden_layers", "intermediate_size"])
def test_weights_that_do_not_fit_the_config(copy: Path, key: str) -> None:
    settings = json.loads((copy / "config.json").read_text())
    settings[key] += 1
    (copy / "config.json").write_text(json.dumps(settings))
    with pytest.raises(InputError, match="missing or have another shape"):
        load_classifier(copy, TASK, "pretrained", 0)


def test_the_tokenizer_of_another_model(tiny_checkpoints: dict[str, Path], copy: Path) -> None:
    shutil.copy(tiny_checkpoints["roberta"] / "tokenizer.json", copy / "tokenizer.json")
    with pytest.raises(InputError, match="another model's"):
        load_tokenizer(copy)


def test_a_tokenizer_without_separator(copy: Path) -> None:
    settings = json.loads((copy / "tokenizer_config.json").read_text())
    settings |= {"sep_token": None, "tokenizer_class": "TokenizersBackend"}
    (copy / "tokenizer_config.json").write_text(json.dumps(settings))
    with pytest.raises(InputError, match="no sep token"):
        load_tokenizer(copy)


def test_a_limit_beyond_the_positions(tiny_bert: Path) -> None:
    task = TASK.model_copy(update={"max_length": 65})
    with pytest.raises(InputError, match="set `max_length: 64` or less"):
        load_classifier(tiny_bert, task, "none", 0)


def test_an_unreachable_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **settings: object) -> None:
        raise ConnectionError("no route")

    monkeypatch.setattr(checkpoint_source, "snapshot_download", fail)
    entry = {"source": "hub", "id": "a/b", "revision": "main"}
    with pytest.raises(InputError, match="the Hub cannot be reached .*no route.*HF_ENDPOINT"):
        locate(checked(Checkpoint, entry, "checkpoint"))


@pytest.mark.parametrize("load", [load_tokenizer, load_tuned])
def test_a_model_that_was_not_made_yet_is_named(tmp_path, load):
    with pytest.raises(InputError, match=r"absent: no model there; .* makes it"):
        load(tmp_path / "absent")
