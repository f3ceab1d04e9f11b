"""One step of a reader: its parts, its loss by hand, its gradients, and the order of steps."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import PreTrainedModel, TrainingArguments

from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.questions.inputs import Inputs, encode_questions
from stages.core.questions.unanswerable import NAMES, unanswerable
from stages.finetune.readers.run import load_reader
from stages.finetune.readers.training import (
    QuestionOrder,
    ReaderTrainer,
    StepParts,
    order_of,
    padding_of,
)
from stages.finetune.training import Finetune, set_dropout
from tests.finetune.toy_questions import drawn_questions

QUESTIONS = drawn_questions("train", 24)  # of two options and of three
STEP = [3, 0, 11, 5, 17, 8]


def reader(folder: Path) -> PreTrainedModel:
    model = load_reader(folder, 40, "tuned", 0).double()
    set_dropout(model, 0.0)
    return model


def inputs_of(folder: Path, name: str | None = None) -> Inputs:
    seen = [unanswerable(name, one, 0).question for one in QUESTIONS] if name else QUESTIONS
    return encode_questions(load_tokenizer(folder), seen, 40)


def step(
    folder: Path, scratch: Path, pass_tokens: int, halves: int = 1
) -> tuple[float, int, list[torch.Tensor]]:
    """The loss of a step, how many parts it was made in, and its gradients.

    Args:
        halves: batches that the questions of the step come in.
    """
    model, inputs = reader(folder), inputs_of(folder)
    parts = StepParts(inputs, pass_tokens)
    trainer = ReaderTrainer(
        QuestionOrder(inputs.lengths, len(STEP), 1, 0),
        print,
        pass_tokens,
        model=model,
        args=TrainingArguments(str(scratch), use_cpu=True, report_to="none", disable_tqdm=True),
        train_dataset=list(range(len(QUESTIONS))),
        data_collator=parts,
    )
    batches = [parts(half.tolist()) for half in np.split(np.array(STEP), halves)]
    losses = [trainer.training_step(model, batch).item() for batch in batches]
    gradients = [one.grad for one in model.parameters() if one.grad is not None]
    return sum(losses), sum(len(batch["parts"]) for batch in batches), gradients


def test_the_loss_of_a_step_by_hand(tiny_bert: Path, tmp_path: Path) -> None:
    """Of every option by itself, without a batch, and of the mean over the questions."""
    model, tokenizer = reader(tiny_bert), load_tokenizer(tiny_bert)
    losses = []
    for number in STEP:
        question = QUESTIONS[number]
        scores = []
        for place in range(len(question.options)):
            ids = tokenizer(*question.pair(place), return_tensors="pt")
            with torch.inference_mode():
                scores.append(model(**ids).logits.item())
        among = sum(math.exp(score) for score in scores)
        losses.append(-math.log(math.exp(scores[question.answer]) / among))
    assert len({len(QUESTIONS[number].options) for number in STEP}) == 2
    loss, *_ = step(tiny_bert, tmp_path, 4096)
    assert loss == pytest.approx(np.mean(losses), rel=1e-9)


@pytest.mark.parametrize("pass_tokens, halves, parts", [(100, 1, 3), (1, 1, 6), (100, 2, 4)])
def test_gradients_of_parts_add_up_to_those_of_one_pass(
    any_checkpoint: Path, tmp_path: Path, pass_tokens: int, halves: int, parts: int
) -> None:
    whole, one, gradients = step(any_checkpoint, tmp_path, 4096)
    loss, made, added = step(any_checkpoint, tmp_path, pass_tokens, halves)
    assert one == 1
    assert made >= parts
    assert loss == pytest.approx(whole, rel=1e-9)
    assert len(added) == len(gradients) > 20
    for own, other in zip(added, gradients, strict=True):
        torch.testing.assert_close(own, other, rtol=1e-7, atol=1e-10)
    assert max(one.abs().max() for one in gradients) > 1e-2


def test_a_part_has_whole_questions_and_its_own_width(tiny_bert: Path) -> None:
    inputs = inputs_of(tiny_bert)
    parts = StepParts(inputs, 100)(STEP)["parts"]
    answers = [int(answer) for part in parts for answer in part["answers"]]
    by_length = sorted(STEP, key=lambda number: -inputs.lengths[number])
    assert answers == [QUESTIONS[number].answer for number in by_length]
    for part in parts:
        rows, width = part["input_ids"].shape
        assert rows == part["counts"].sum()
        assert width == part["attention_mask"].sum(dim=1).max()
        assert len(part["counts"]) == 1 or rows * width <= 100


def test_all_readers_of_a_seed_have_the_same_questions_in_the_same_steps(tiny_bert: Path) -> None:
    settings = Finetune(batch=8, length_pool=2, epochs=2)
    intact = inputs_of(tiny_bert)
    order = order_of(intact, settings, 3)
    for name in NAMES:
        seen = inputs_of(tiny_bert, name)
        np.testing.assert_array_equal(seen.answers, intact.answers)
        np.testing.assert_array_equal(seen.counts, intact.counts)
        if name in ("P-Remove", "PQ-Remove"):
            # By its own lengths it would have others.
            assert (order_of(seen, settings, 3).steps(0) != order.steps(0)).any()
    first = list(order)
    order.epoch = 1
    assert list(order) == order.steps(1).ravel().tolist() != first
    assert order.steps(0).ravel().tolist() == first


def test_padding_is_that_of_the_passes_that_are_made(tiny_bert: Path) -> None:
    settings = Finetune(batch=8, accumulation=2, length_pool=1, epochs=2, pass_tokens=150)
    inputs = inputs_of(tiny_bert)
    order, parts_of = order_of(inputs, settings, 0), StepParts(inputs, 150)
    real = places = 0
    for epoch in (0, 1):
        for questions in order.steps(epoch).reshape(-1, 4):
            for part in parts_of(questions.tolist())["parts"]:
                real += int(part["attention_mask"].sum())
                places += part["attention_mask"].numel()
    assert padding_of(inputs, order, settings) == pytest.approx(1 - real / places)
    assert real < places
