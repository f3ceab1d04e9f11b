"""Classifiers before tuning: the arms, the head, and what is refused."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from transformers import BertConfig, BertForMaskedLM

from stages.core.encoder.checkpoint import load_encoder, load_tuned
from stages.core.stage.files import InputError
from stages.core.tasks.task import Task
from stages.finetune.task_model import load_task_model

TASK = Task.model_validate(
    {
        "data": {"source": "written", "train": 1, "validation": 1, "seed": 0},
        "kind": "classification",
        "labels": ["no", "perhaps", "yes"],
        "metrics": ["accuracy"],
        "max_length": 16,
    }
)


def test_every_family_gets_a_head(any_checkpoint: Path) -> None:
    ids = torch.full((2, 5), 7)
    model = load_task_model(any_checkpoint, TASK, "tuned", 0)
    assert model(ids).logits.shape == (2, 3)
    assert model.config.id2label == {0: "no", 1: "perhaps", 2: "yes"}
    assert model.config._attn_implementation == "sdpa"
    hidden = load_encoder(any_checkpoint)(ids).last_hidden_state
    torch.testing.assert_close(model.base_model(ids)[0], hidden)


def test_arms(tiny_bert: Path) -> None:
    tuned = load_task_model(tiny_bert, TASK, "tuned", 0)
    untuned = load_task_model(tiny_bert, TASK, "untuned", 0)
    drawn = load_task_model(tiny_bert, TASK, "tuned_from_random", 0)
    again = load_task_model(tiny_bert, TASK, "random_weights", 0)
    other = load_task_model(tiny_bert, TASK, "tuned_from_random", 1)
    matrix = "encoder.layer.0.attention.self.query.weight"
    file = load_file(tiny_bert / "model.safetensors")[matrix]
    weights = {
        name: model.base_model.state_dict()[matrix]
        for name, model in {
            "tuned": tuned,
            "untuned": untuned,
            "drawn": drawn,
            "again": again,
            "other": other,
        }.items()
    }
    assert torch.equal(weights["tuned"], file)
    assert torch.equal(weights["untuned"], file)
    assert torch.equal(weights["drawn"], weights["again"])
    assert not torch.equal(weights["drawn"], file)
    assert not torch.equal(weights["drawn"], weights["other"])
    assert torch.equal(tuned.classifier.weight, drawn.classifier.weight)  # the same seed


def test_random_weights_are_normal(tiny_checkpoints: dict[str, Path]) -> None:
    model = load_task_model(tiny_checkpoints["minilm"], TASK, "tuned_from_random", 3)
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
    load_task_model(tiny_bert, TASK, "tuned", 0)
    assert torch.equal(torch.rand(3), expected)


def test_regression_head(tiny_bert: Path) -> None:
    task = TASK.model_copy(update={"kind": "regression", "labels": None})
    config = load_task_model(tiny_bert, task, "untuned", 0).config
    assert (config.num_labels, config.problem_type) == (1, "regression")


def test_a_pooler_that_the_checkpoint_lacks_is_drawn(tmp_path: Path, tiny_bert: Path) -> None:
    shutil.copytree(tiny_bert, tmp_path / "lm")
    BertForMaskedLM(BertConfig.from_pretrained(tiny_bert)).save_pretrained(tmp_path / "lm")
    first = load_task_model(tmp_path / "lm", TASK, "tuned", 0).bert.pooler.dense.weight
    again = load_task_model(tmp_path / "lm", TASK, "tuned", 0).bert.pooler.dense.weight
    other = load_task_model(tmp_path / "lm", TASK, "tuned", 1).bert.pooler.dense.weight
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_a_tuned_checkpoint_gets_a_fresh_head_and_loads_back(
    tmp_path: Path, tiny_bert: Path
) -> None:
    tuned = load_task_model(tiny_bert, TASK, "tuned_from_random", 7)
    shutil.copytree(tiny_bert, tmp_path / "tuned")
    tuned.save_pretrained(tmp_path / "tuned")
    fresh = load_task_model(tmp_path / "tuned", TASK, "tuned", 8)
    matrix = "encoder.layer.1.output.dense.weight"
    assert torch.equal(fresh.bert.state_dict()[matrix], tuned.bert.state_dict()[matrix])
    assert not torch.equal(fresh.classifier.weight, tuned.classifier.weight)
    back = load_tuned(tmp_path / "tuned")
    assert torch.equal(back.classifier.weight, tuned.classifier.weight)
    assert not back.training


def test_what_else_a_model_should_give_out_changes_nothing(tiny_bert_copy: Path) -> None:
    ids, file = torch.full((2, 5), 7), tiny_bert_copy / "config.json"
    before = load_task_model(tiny_bert_copy, TASK, "tuned", 0)(ids).logits
    keys = {"output_attentions": True, "output_hidden_states": True, "return_dict": False}
    file.write_text(json.dumps(json.loads(file.read_text()) | keys))
    after = load_task_model(tiny_bert_copy, TASK, "tuned", 0)(ids)
    assert torch.equal(after.logits, before)
    assert list(after) == ["logits"]


@pytest.mark.parametrize("key", ["num_hidden_layers", "intermediate_size"])
def test_weights_that_do_not_fit_the_config(tiny_bert_copy: Path, key: str) -> None:
    settings = json.loads((tiny_bert_copy / "config.json").read_text())
    settings[key] += 1
    (tiny_bert_copy / "config.json").write_text(json.dumps(settings))
    with pytest.raises(InputError, match=f"config.json says {key} .* its weights have"):
        load_task_model(tiny_bert_copy, TASK, "tuned", 0)


def test_a_limit_beyond_the_positions(tiny_bert: Path) -> None:
    task = TASK.model_copy(update={"max_length": 65})
    with pytest.raises(InputError, match="set `max_length: 64` or less"):
        load_task_model(tiny_bert, task, "untuned", 0)
