"""Tuning a reader with transformers' `Trainer`: whole questions a step, in passes of few tokens."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from transformers import PreTrainedModel, Trainer, TrainingArguments

from stages.core.questions.batches import padding_share, passes, steps_of_epoch
from stages.core.questions.inputs import Inputs
from stages.core.questions.loss import choice_losses
from stages.core.runtime.runtime import Runtime
from stages.core.scratch import last_state
from stages.finetune.side_by_side import Report
from stages.finetune.training import (
    ClassifierTrainer,
    Finetune,
    LengthGrouped,
    examples_a_pass,
    set_dropout,
    texts_of_pass,
)

Part = dict[str, Tensor]  # the rows of some questions as a model takes them, `counts`, `answers`


class QuestionOrder(LengthGrouped):
    """The order of the questions: whole steps of like lengths, drawn from (seed, epoch)."""

    def steps(self, epoch: int) -> Int[np.ndarray, "step batch"]:
        """The questions of every step of an epoch."""
        return steps_of_epoch(self.lengths, self.batch, self.pool, self.seed, epoch)

    def __iter__(self) -> Iterator[int]:
        yield from self.steps(self.epoch).ravel().tolist()


class StepParts:
    """Makes the passes of a step of its questions: no more tokens than `pass_tokens` in each.

    The options of a question stay together, as its loss is of all of them. Each pass is padded to
    its own longest row.
    """

    def __init__(self, inputs: Inputs, pass_tokens: int):
        self.inputs, self.pass_tokens = inputs, pass_tokens
        self.lengths = inputs.lengths

    def __call__(self, questions: list[int]) -> dict[str, list[Part]]:
        return {"parts": [self.part(part) for part in self.passes(np.array(questions))]}

    def passes(self, questions: Int[np.ndarray, " step"]) -> Iterator[Int[np.ndarray, " part"]]:
        """The questions of each pass, longest first."""
        counts = self.inputs.counts
        return passes(questions, self.lengths, counts, self.pass_tokens, texts_of_pass)

    def part(self, questions: Int[np.ndarray, " part"]) -> Part:
        """The rows of the options of some questions, with what a loss needs."""
        batch = self.inputs.encoded.batch(self.inputs.rows_of(questions))
        counts, answers = self.inputs.counts[questions], self.inputs.answers[questions]
        own = {"counts": torch.from_numpy(counts), "answers": torch.from_numpy(answers)}
        return batch.inputs | own


class ReaderTrainer(ClassifierTrainer):
    """A `Trainer` whose batch is a step's questions in parts, as `StepParts` makes them."""

    def training_step(
        self,
        model: nn.Module,
        inputs: dict[str, list[Part]],
        num_items_in_batch: Tensor | int | None = None,
    ) -> Float[Tensor, ""]:
        """The loss of the questions of a batch, as a share of the step's; adds up gradients."""
        return torch.stack(
            [Trainer.training_step(self, model, one) for one in inputs["parts"]]
        ).sum()

    def compute_loss(
        self, model: nn.Module, inputs: Part, *unused: Any, **also_unused: Any
    ) -> Float[Tensor, ""]:
        """The losses of the questions of a part, as shares of the mean over the step's questions.

        So the losses of a step's parts, and their gradients, add up to those of one pass.
        """
        counts, answers = inputs.pop("counts"), inputs.pop("answers")
        losses = choice_losses(model(**inputs).logits[:, 0], counts, answers)
        return losses.sum() / self.sampler.batch


def order_of(intact: Inputs, settings: Finetune, seed: int) -> QuestionOrder:
    """The order of the training questions, the same for all readers of a seed.

    Args:
        intact: the questions as they are, whatever the reader is trained on: by their lengths steps
            are made.
    """
    return QuestionOrder(intact.lengths, settings.batch, settings.length_pool, seed)


def padding_of(inputs: Inputs, order: QuestionOrder, settings: Finetune) -> float:
    """The share of all passes of a training, over its epochs, that is padding."""
    parts_of = StepParts(inputs, settings.pass_tokens)
    size = settings.batch // settings.accumulation
    parts = [
        part
        for epoch in range(settings.epochs)
        for batch in order.steps(epoch).reshape(-1, size)
        for part in parts_of.passes(batch)
    ]
    return padding_share(parts, inputs.encoded.lengths, inputs.counts)


def train(
    model: PreTrainedModel,
    inputs: Inputs,
    order: QuestionOrder,
    settings: Finetune,
    runtime: Runtime,
    device: torch.device,
    scratch: Path,
    report: Report,
) -> None:
    """Tune `model` in place; go on from the last state in `scratch`, if there is one.

    Args:
        inputs: the training questions, as this reader sees them.
    """
    set_dropout(model, settings.dropout)
    questions = len(inputs.counts)
    arguments = TrainingArguments(
        output_dir=str(scratch),
        per_device_train_batch_size=examples_a_pass(settings, questions, runtime),
        gradient_accumulation_steps=settings.accumulation,
        num_train_epochs=settings.epochs,
        learning_rate=settings.learning_rate,
        lr_scheduler_type="linear",
        warmup_steps=math.ceil(settings.warmup * steps_of(questions, settings)),
        weight_decay=settings.weight_decay,
        max_grad_norm=settings.gradient_norm,
        optim="adamw_torch_fused",
        bf16=settings.precision == "bf16",
        tf32=settings.precision == "tf32",
        torch_compile=settings.compile,
        seed=order.seed,
        use_cpu=device.type == "cpu",
        dataloader_num_workers=runtime.workers,
        remove_unused_columns=False,
        save_steps=runtime.checkpoint_steps,
        save_total_limit=2,  # the last may be half-written
        logging_steps=50,
        disable_tqdm=True,  # `report` has what a bar needs
        report_to="none",
    )
    arguments._n_gpu = min(arguments.n_gpu, 1)  # or several GPUs would multiply the batch
    trainer = ReaderTrainer(
        order,
        report,
        settings.pass_tokens,
        model=model,
        args=arguments,
        train_dataset=list(range(questions)),
        data_collator=StepParts(inputs, settings.pass_tokens),
    )
    state = last_state(scratch)
    trainer.train(resume_from_checkpoint=None if state is None else str(state))
    torch.set_float32_matmul_precision("highest")  # tf32 is for tuning alone


def steps_of(questions: int, settings: Finetune) -> int:
    """How many steps a training on so many questions has."""
    return settings.epochs * (questions // settings.batch)
