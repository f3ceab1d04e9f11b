"""One step of a reader: its chunks, its loss by hand, its gradients, and the order of steps."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import PreTrainedModel, TrainerCallback, TrainingArguments

from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.questions.inputs import Inputs, encode_questions
from stages.core.questions.unanswerable import NAMES, unanswerable
from stages.core.trainer import ChunkTrainer
from stages.finetune.readers.stage import load_reader
from stages.finetune.readers.training import QuestionData
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
    """The loss of a step, how many chunks it was made in, and its gradients.

    Args:
        halves: batches that the questions of the step come in.
    """
    model, inputs = reader(folder), inputs_of(folder)
    settings = Finetune(batch=len(STEP), pass_tokens=pass_tokens)
    data = QuestionData(inputs, inputs.lengths, settings, 0)
    trainer = ChunkTrainer(
        data,
        TrainerCallback(),
        model=model,
        args=TrainingArguments(str(scratch), use_cpu=True, report_to="none", disable_tqdm=True),
    )
    batches = [data.chunks(half.tolist()) for half in np.split(np.array(STEP), halves)]
    losses = [trainer.training_step(model, batch).item() for batch in batches]
    gradients = [one.grad for one in model.parameters() if one.grad is not None]
    return sum(losses), sum(map(len, batches)), gradients


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


@pytest.mark.parametrize("pass_tokens, halves, chunks", [(100, 1, 3), (1, 1, 6), (100, 2, 4)])
def test_gradients_of_chunks_add_up_to_those_of_one_pass(
    any_checkpoint: Path, tmp_path: Path, pass_tokens: int, halves: int, chunks: int
) -> None:
    whole, one, gradients = step(any_checkpoint, tmp_path, 4096)
    loss, made, added = step(any_checkpoint, tmp_path, pass_tokens, halves)
    assert one == 1
    assert made >= chunks
    assert loss == pytest.approx(whole, rel=1e-9)
    assert len(added) == len(gradients) > 20
    for own, other in zip(added, gradients, strict=True):
        torch.testing.assert_close(own, other, rtol=1e-7, atol=1e-10)
    assert max(one.abs().max() for one in gradients) > 1e-2


def data_of(folder: Path, name: str | None = None, seed: int = 0, **settings: int) -> QuestionData:
    """The questions as a reader of an arm takes them; None: intact."""
    return QuestionData(
        inputs_of(folder, name), inputs_of(folder).lengths, Finetune(**settings), seed
    )


def test_a_chunk_has_whole_questions_and_its_own_width(tiny_bert: Path) -> None:
    data = data_of(tiny_bert, pass_tokens=100)
    chunks = data.chunks(STEP)
    answers = [int(answer) for chunk in chunks for answer in chunk["answers"]]
    by_length = sorted(STEP, key=lambda number: -data.lengths[number])
    assert answers == [QUESTIONS[number].answer for number in by_length]
    for chunk in chunks:
        rows, width = chunk["input_ids"].shape
        assert rows == chunk["counts"].sum()
        assert width == chunk["attention_mask"].sum(dim=1).max()
        assert len(chunk["counts"]) == 1 or rows * width <= 100


def test_all_readers_of_a_seed_have_the_same_questions_in_the_same_steps(tiny_bert: Path) -> None:
    settings = Finetune(batch=8, length_pool=2, epochs=2)
    intact = data_of(tiny_bert, seed=3, batch=8, length_pool=2)
    for name in NAMES:
        seen = data_of(tiny_bert, name, seed=3, batch=8, length_pool=2)
        np.testing.assert_array_equal(seen.inputs.answers, intact.inputs.answers)
        np.testing.assert_array_equal(seen.inputs.counts, intact.inputs.counts)
        np.testing.assert_array_equal(seen.order(1), intact.order(1))
        if name in ("P-Remove", "PQ-Remove"):
            # By its own lengths it would have others.
            others = QuestionData(seen.inputs, seen.inputs.lengths, settings, 3)
            assert (others.order(0) != intact.order(0)).any()
    assert (intact.order(0) != intact.order(1)).any()


def test_padding_is_that_of_the_passes_that_are_made(tiny_bert: Path) -> None:
    settings = {"batch": 8, "accumulation": 2, "length_pool": 1, "epochs": 2, "pass_tokens": 150}
    data = data_of(tiny_bert, **settings)
    real = places = 0
    for epoch in (0, 1):
        for questions in data.order(epoch).reshape(-1, 4):
            for chunk in data.chunks(questions.tolist()):
                real += int(chunk["attention_mask"].sum())
                places += chunk["attention_mask"].numel()
    assert data.padding() == pytest.approx(1 - real / places)
    assert real < places
