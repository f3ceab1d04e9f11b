"""The order of examples, shares of a batch, the loss of a pass, scratch, and a task's settings."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import AutoTokenizer

from stages.core.encoder.batches import encode
from stages.core.runtime.runtime import Runtime
from stages.core.scratch import (
    code_of,
    fingerprint,
    last_state,
    mark_complete,
    open_scratch,
)
from stages.core.stage.files import InputError
from stages.core.tasks.task import Task
from stages.finetune import __main__ as finetune
from stages.finetune import processes
from stages.finetune.processes import on_one_gpu
from stages.finetune.task_model import load_task_model
from stages.finetune.training import Collator, Finetune, LengthGrouped, examples_a_pass, mean_loss

TASK = Task.model_validate(
    {
        "data": {"source": "written", "train": 1, "validation": 1, "seed": 0},
        "kind": "classification",
        "labels": 2,
        "metrics": ["accuracy", "f1"],
        "max_length": 32,
    }
)


def test_an_epoch_is_whole_batches_without_repetition() -> None:
    sampler = LengthGrouped(np.arange(50), batch=8, pool=3, seed=1)
    order = list(sampler)
    assert len(order) == len(sampler) == 48
    assert len(set(order)) == 48


def test_batches_hold_like_lengths() -> None:
    lengths = np.random.default_rng(0).integers(5, 100, 640)

    def padding(pool: int) -> int:
        batches = lengths[list(LengthGrouped(lengths, 32, pool, seed=0))].reshape(-1, 32)
        return int((batches.max(axis=1, keepdims=True) - batches).sum())

    assert padding(20) < 0.1 * padding(1)


def test_the_order_depends_on_seed_and_epoch_alone() -> None:
    lengths = np.ones(64, dtype=int)
    sampler = LengthGrouped(lengths, 8, 2, seed=1)
    first = list(sampler)
    sampler.epoch = 1
    second = list(sampler)
    fresh = LengthGrouped(lengths, 8, 2, seed=1)
    fresh.epoch = 1
    assert first != second
    assert list(fresh) == second
    assert list(LengthGrouped(lengths, 8, 2, seed=2)) != first


@pytest.mark.parametrize(
    ("batch", "accumulation", "count", "expected"), [(32, 1, 1, 32), (32, 2, 4, 4), (6, 3, 2, 1)]
)
def test_shares_of_a_batch(batch: int, accumulation: int, count: int, expected: int) -> None:
    settings = Finetune(batch=batch, accumulation=accumulation)
    assert examples_a_pass(settings, 1000, Runtime(processes=count)) == expected


def test_a_batch_that_cannot_be_shared() -> None:
    with pytest.raises(InputError, match="multiple of 6"):
        examples_a_pass(Finetune(batch=32, accumulation=2), 1000, Runtime(processes=3))
    with pytest.raises(InputError, match="only 31 training examples"):
        examples_a_pass(Finetune(batch=32), 31, Runtime())


def test_the_losses_of_passes_add_up_to_the_mean_over_the_step() -> None:
    logits = torch.tensor([[2.0, 0.0], [0.0, 0.0], [1.0, 3.0]])
    labels = torch.tensor([0, 1, 1])
    whole = torch.nn.functional.cross_entropy(logits, labels)
    parts = [
        mean_loss(SimpleNamespace(logits=logits[rows]), labels[rows], torch.tensor(3))
        for rows in (slice(0, 1), slice(1, 3))
    ]
    torch.testing.assert_close(sum(parts), whole)


def test_the_loss_of_scores_is_their_squared_error() -> None:
    outputs = SimpleNamespace(logits=torch.tensor([[1.0], [4.0]]))
    assert mean_loss(outputs, torch.tensor([2.0, 1.0]), 2).item() == pytest.approx((1 + 9) / 2)


def test_a_batch_is_padded_to_its_longest() -> None:
    collate = Collator({"input_ids": 7, "attention_mask": 0}, regression=False)
    batch = collate(
        [
            {"input_ids": [1, 2], "attention_mask": [1, 1], "labels": 1.0},
            {"input_ids": [1], "attention_mask": [1], "labels": 0.0},
        ]
    )
    assert batch["input_ids"].tolist() == [[1, 2], [1, 7]]
    assert batch["attention_mask"].tolist() == [[1, 1], [1, 0]]
    assert batch["labels"].tolist() == [1, 0]
    assert batch["labels"].dtype == torch.long


def test_fingerprints_know_settings_and_contents(tmp_path: Path) -> None:
    file = tmp_path / "train.parquet"
    file.write_bytes(b"a")
    first = fingerprint({"rate": 1, "epochs": 2}, [file])
    assert fingerprint({"epochs": 2, "rate": 1}, [file]) == first
    assert fingerprint({"rate": 1, "epochs": 3}, [file]) != first
    file.write_bytes(b"b")
    assert fingerprint({"rate": 1, "epochs": 2}, [file]) != first


def test_half_written_and_stale_states_are_not_taken(tmp_path: Path) -> None:
    scratch = tmp_path / "key" / "new"
    stale = tmp_path / "key" / "old" / "checkpoint-9"
    for state in (stale, *(scratch / f"checkpoint-{step}" for step in (5, 10, 100))):
        state.mkdir(parents=True)
    mark_complete(stale.parent, 9)
    mark_complete(scratch, 5)
    mark_complete(scratch, 10)
    assert last_state(scratch) == scratch / "checkpoint-10"
    open_scratch(scratch)
    assert sorted(path.name for path in scratch.iterdir()) == ["checkpoint-10", "checkpoint-5"]
    assert [path.name for path in scratch.parent.iterdir()] == ["new"]


def test_no_state_yet(tmp_path: Path) -> None:
    open_scratch(tmp_path / "key" / "name")
    assert last_state(tmp_path / "key" / "name") is None


def test_a_task_replaces_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "params.yaml").write_text("finetune: {epochs: 2, batch: 16}\n")
    monkeypatch.chdir(tmp_path)
    task = TASK.model_copy(update={"finetune": {"batch": 8}})
    settings = finetune.task_settings("own", task)
    assert (settings.epochs, settings.batch) == (2, 8)
    task = TASK.model_copy(update={"finetune": {"rate": 8}})
    with pytest.raises(InputError, match=r"tasks\.own\.finetune.*`rate`: unknown key"):
        finetune.task_settings("own", task)


def test_predictions_stand_in_the_order_of_the_examples(tiny_bert: Path) -> None:
    examples = pd.DataFrame(
        {
            "id": ["a", "b", "c"],
            "text_a": ["the dog", "an old small red house in the garden", "a cat"],
            "text_b": [None, None, None],
            "label": [0.0, 1.0, 1.0],
        }
    )
    model = load_task_model(tiny_bert, TASK, "tuned", 0)
    tokenizer = AutoTokenizer.from_pretrained(tiny_bert)
    encoded = encode(tokenizer, examples, 32)
    table = finetune.predict(model, encoded, examples, TASK, 2, torch.device("cpu"))
    assert table["id"].tolist() == ["a", "b", "c"]
    for row, text in enumerate(examples["text_a"]):
        alone = model(**tokenizer(text, return_tensors="pt")).logits[0].tolist()
        assert table.loc[row, ["logit_0", "logit_1"]].tolist() == pytest.approx(alone, abs=1e-5)
        assert table.loc[row, "prediction"] == float(np.argmax(alone))


def test_scores_are_the_tasks_metrics() -> None:
    table = pd.DataFrame({"label": [1.0, 1.0, 0.0], "prediction": [1.0, 0.0, 0.0]})
    assert finetune.scores(table, TASK) == {"accuracy": 0.666667, "f1": 0.666667}


def test_one_gpu_of_several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,7")
    assert on_one_gpu(Runtime(device="cuda:1")).device == "cuda"
    assert processes.os.environ["CUDA_VISIBLE_DEVICES"] == "7"
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    on_one_gpu(Runtime(device="cuda:2"))
    assert processes.os.environ["CUDA_VISIBLE_DEVICES"] == "2"
    with pytest.raises(InputError, match="one GPU for 2 processes"):
        on_one_gpu(Runtime(device="cuda:0", processes=2))


@pytest.mark.parametrize("device", ["auto", "cpu", "cuda", "mps"])
def test_other_devices_stay(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert on_one_gpu(Runtime(device=device)).device == device
    assert "CUDA_VISIBLE_DEVICES" not in processes.os.environ


def test_code_that_is_not_there_is_no_code_that_never_changes():
    assert [file.name for file in code_of("scratch.py")] == ["scratch.py"]
    with pytest.raises(FileNotFoundError, match=r"no file is named tuning\.py"):
        code_of("scratch.py", "tuning.py")
