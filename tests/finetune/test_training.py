"""The order of examples, shares of a batch, and the loss of a pass."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from transformers import AutoModelForSequenceClassification

from stages.core.encoder.batches import Encoded
from stages.core.runtime.runtime import Runtime
from stages.core.stage.files import InputError
from stages.core.trainer import EpochOrder
from stages.finetune.training import (
    Examples,
    Finetune,
    examples_a_pass,
    set_dropout,
)


def examples_of(lengths: np.ndarray, kind: str = "classification", **settings: object) -> Examples:
    """Texts of these lengths, each token the number of its text; its label is 1 if that is odd."""
    ids = [[number] * length for number, length in enumerate(lengths)]
    inputs = {"input_ids": ids, "attention_mask": [[1] * len(row) for row in ids]}
    encoded = Encoded(inputs, {"input_ids": 7, "attention_mask": 0}, ids)
    labels = np.arange(len(lengths)) % 2.0
    return Examples(encoded, labels, kind, Finetune(**settings), seed=1)


def test_an_epoch_is_whole_batches_without_repetition() -> None:
    data = examples_of(np.arange(1, 51), batch=8, length_pool=3)
    order = EpochOrder(data)
    assert len(list(order)) == len(order) == 48
    assert len(set(order)) == 48
    assert set(order) <= set(range(50))


def test_batches_hold_like_lengths() -> None:
    lengths = np.random.default_rng(0).integers(5, 100, 640)

    def padding(pool: int) -> int:
        batches = lengths[examples_of(lengths, batch=32, length_pool=pool).order(0)].reshape(-1, 32)
        return int((batches.max(axis=1, keepdims=True) - batches).sum())

    assert padding(20) < 0.1 * padding(1)


def test_the_order_depends_on_seed_and_epoch_alone() -> None:
    data = examples_of(np.ones(64, dtype=int), batch=8, length_pool=2)
    order = EpochOrder(data)
    first = list(order)
    order.epoch = 1
    second = list(order)
    assert first != second
    assert data.order(0).tolist() == first
    assert data.order(1).tolist() == second
    data.seed = 2
    assert data.order(0).tolist() != first


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


class Known(torch.nn.Module):
    """A model that gives each text the logits of its number."""

    def __init__(self, logits: list[list[float]]):
        super().__init__()
        self.logits = torch.tensor(logits)

    def forward(self, input_ids: torch.Tensor, **unused: torch.Tensor) -> SimpleNamespace:
        return SimpleNamespace(logits=self.logits[input_ids[:, 0]])


def test_the_losses_of_chunks_add_up_to_the_mean_over_the_step() -> None:
    model = Known([[2.0, 0.0], [0.0, 0.0], [1.0, 3.0]])
    data = examples_of(np.array([4, 4, 4]), batch=3, pass_tokens=8)
    chunks = data.chunks([2, 0, 1])
    assert [chunk["input_ids"][:, 0].tolist() for chunk in chunks] == [[2, 0], [1]]
    whole = torch.nn.functional.cross_entropy(model.logits, torch.tensor([0, 1, 0]))
    losses = [data.loss(model, chunk) for chunk in chunks]
    torch.testing.assert_close(sum(losses), whole)


def test_the_loss_of_scores_is_their_squared_error() -> None:
    data = examples_of(np.array([1, 1]), "regression", batch=2)
    (chunk,) = data.chunks([0, 1])
    assert chunk["labels"].dtype == torch.float32
    loss = data.loss(Known([[1.0], [4.0]]), chunk)
    assert loss.item() == pytest.approx((1 + 9) / 2)


def test_a_pass_is_padded_to_its_longest() -> None:
    (chunk,) = examples_of(np.array([1, 2, 1])).chunks([1, 0])
    assert chunk["input_ids"].tolist() == [[1, 1], [0, 7]]
    assert chunk["attention_mask"].tolist() == [[1, 1], [1, 0]]
    assert chunk["labels"].tolist() == [1, 0]
    assert chunk["labels"].dtype == torch.long


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
