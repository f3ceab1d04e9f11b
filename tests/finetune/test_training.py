"""The order of examples, shares of a batch, and the loss of a pass."""

import numpy as np
import pytest
import torch
from transformers import AutoModelForSequenceClassification
from transformers.modeling_outputs import SequenceClassifierOutput

from stages.core.runtime.runtime import Runtime
from stages.core.stage.files import InputError
from stages.core.tasks.task import Task
from stages.finetune.training import (
    Collator,
    Finetune,
    LengthGrouped,
    examples_a_pass,
    mean_loss,
    set_dropout,
)

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


@pytest.mark.parametrize("fast", [True, False])
def test_auto_is_the_precision_that_the_device_multiplies_fast_in(
    monkeypatch: pytest.MonkeyPatch, fast: bool
) -> None:
    monkeypatch.setattr("stages.finetune.training.fast_in_bf16", lambda device: fast)
    asked = Finetune(precision="auto", batch=7)
    device = torch.device("cpu")
    assert asked.on(device) == Finetune(precision="bf16" if fast else "fp32", batch=7)
    for precision in ("fp32", "bf16", "tf32"):
        assert Finetune(precision=precision).on(device).precision == precision


def test_the_losses_of_passes_add_up_to_the_mean_over_the_step() -> None:
    logits = torch.tensor([[2.0, 0.0], [0.0, 0.0], [1.0, 3.0]])
    labels = torch.tensor([0, 1, 1])
    whole = torch.nn.functional.cross_entropy(logits, labels)
    parts = [
        mean_loss(SequenceClassifierOutput(logits=logits[rows]), labels[rows], torch.tensor(3))
        for rows in (slice(0, 1), slice(1, 3))
    ]
    torch.testing.assert_close(sum(parts), whole)


def test_the_loss_of_scores_is_their_squared_error() -> None:
    outputs = SequenceClassifierOutput(logits=torch.tensor([[1.0], [4.0]]))
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


@pytest.mark.parametrize(("share", "expected"), [(None, 0.1), (0.0, 0.0), (0.3, 0.3)])
def test_dropout_is_set_in_attention_hidden_states_and_head(tiny_bert, share, expected) -> None:
    model = AutoModelForSequenceClassification.from_pretrained(tiny_bert)
    set_dropout(model, share)
    model.train()
    found = {module.p for module in model.modules() if isinstance(module, torch.nn.Dropout)}
    assert found == {expected}
    inputs = {"input_ids": torch.tensor([[2, 5, 6, 7, 3]])}
    with torch.inference_mode():
        twice = [model(**inputs).logits for _ in range(2)]
    assert torch.equal(*twice) == (expected == 0)
