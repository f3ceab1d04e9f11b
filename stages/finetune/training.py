"""Tuning a classifier with transformers' `Trainer`: exact batches, resumable to the bit."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import torch
from jaxtyping import Float
from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, mse_loss
from torch.utils.data import Sampler
from transformers import (
    PreTrainedModel,
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)
from transformers.modeling_outputs import SequenceClassifierOutput

from stages.core.bf16 import fast_in_bf16
from stages.core.encoder.batches import Encoded
from stages.core.runtime.runtime import Runtime
from stages.core.scratch import last_state, mark_complete
from stages.core.stage.files import InputError
from stages.core.stage.settings import PARAMETER_FILE, Parameters
from stages.finetune.processes import process_count
from stages.finetune.side_by_side import Report

SHORT = 128  # tokens of a text, up to which attention takes less memory than the rest


class Finetune(Parameters, section="finetune"):
    """The section `finetune`: how a model is tuned. Defaults as Kovaleva et al. and BERT."""

    epochs: PositiveInt = 3
    batch: PositiveInt = 32
    accumulation: PositiveInt = 1
    pass_tokens: PositiveInt = 4096
    learning_rate: PositiveFloat = 2.0e-5
    warmup: Annotated[NonNegativeFloat, Field(lt=1)] = 0.1
    weight_decay: NonNegativeFloat = 0.01
    gradient_norm: PositiveFloat = 1.0
    dropout: Annotated[NonNegativeFloat, Field(lt=1)] | None = None
    precision: Literal["auto", "fp32", "bf16", "tf32"] = "fp32"
    compile: bool = False
    length_pool: PositiveInt = 50

    def on(self, device: torch.device) -> "Finetune":
        """The same on a device: `auto` is bf16 where it multiplies fast in it, fp32 elsewhere."""
        if self.precision != "auto":
            return self
        return self.model_copy(update={"precision": "bf16" if fast_in_bf16(device) else "fp32"})


class LengthGrouped(Sampler[int]):
    """An order of whole batches of like lengths, drawn anew for each epoch from (seed, epoch).

    Being a function of the epoch alone, it is the same after a resume. The examples beyond a
    multiple of `batch`, others in each epoch, are left out, so that every step has the same number
    of examples whatever the number of processes and accumulated passes.
    """

    def __init__(self, lengths: np.ndarray, batch: int, pool: int, seed: int):
        self.lengths, self.batch, self.pool, self.seed = lengths, batch, pool, seed
        self.epoch = 0

    def __len__(self) -> int:
        return len(self.lengths) // self.batch * self.batch

    def __iter__(self) -> Iterator[int]:
        generator = np.random.default_rng([self.seed, self.epoch])
        drawn = generator.permutation(len(self.lengths))[: len(self)]
        pools = np.split(drawn, range(self.batch * self.pool, len(drawn), self.batch * self.pool))
        by_length = [pool[np.argsort(self.lengths[pool], kind="stable")] for pool in pools]
        batches = np.concatenate(by_length).reshape(-1, self.batch)
        yield from generator.permutation(batches).ravel().tolist()


class Progress(TrainerCallback):
    """Tells the sampler its epoch, and marks a saved state as whole once all processes wrote it.

    Steps that are done, and lines about the loss, go to `report`.
    """

    def __init__(self, sampler: LengthGrouped, report: Report):
        self.sampler, self.report = sampler, report

    def on_train_begin(self, args: Any, state: Any, control: Any, **unused: Any) -> None:
        if state.is_world_process_zero:
            self.report(state.global_step)

    def on_step_end(self, args: Any, state: Any, control: Any, **unused: Any) -> None:
        if state.is_world_process_zero:
            self.report(1)

    def on_log(
        self, args: Any, state: Any, control: Any, logs: dict[str, float], **unused: Any
    ) -> None:
        if state.is_world_process_zero and "loss" in logs:
            self.report(
                f"step {state.global_step} of {state.max_steps}, loss {float(logs['loss']):.4f}"
            )

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **unused: Any) -> None:
        self.sampler.epoch = state.global_step // (len(self.sampler) // self.sampler.batch)

    def on_save(self, args: Any, state: Any, control: Any, **unused: Any) -> None:
        if torch.distributed.is_initialized():
            torch.distributed.barrier()
        if state.is_world_process_zero:
            mark_complete(Path(args.output_dir), state.global_step)


class ClassifierTrainer(Trainer):
    """A `Trainer` with its own order of the examples, and passes of so many tokens at most."""

    def __init__(self, sampler: LengthGrouped, report: Report, pass_tokens: int, **settings: Any):
        self.sampler, self.pass_tokens = sampler, pass_tokens
        progress = Progress(sampler, report)
        super().__init__(**settings, compute_loss_func=mean_loss, callbacks=[progress])
        self.remove_callback(PrinterCallback)  # `report` has its lines

    def _get_train_sampler(self, train_dataset: Any = None) -> LengthGrouped:
        return self.sampler

    def training_step(
        self,
        model: nn.Module,
        inputs: dict[str, Tensor],
        num_items_in_batch: Tensor | int | None = None,
    ) -> Float[Tensor, ""]:
        """The loss and gradients of the examples of one pass, in parts where they are long.

        Activations grow with the tokens of a pass, those of attention with their squares: 32
        examples of 512 tokens would take 11 GiB of a 6-layer encoder's memory. Processes exchange
        gradients once, in the last part.
        """
        rows, width = inputs["input_ids"].shape
        size = texts_of_pass(width, self.pass_tokens)
        *parts, last = (
            {name: values[start : start + size] for name, values in inputs.items()}
            for start in range(0, rows, size)
        )
        whole = super().training_step
        with self.accelerator.no_sync(model):
            losses = [whole(model, one, num_items_in_batch) for one in parts]
        losses.append(whole(model, last, num_items_in_batch))
        return torch.stack(losses).sum()


def texts_of_pass(length: int, pass_tokens: int) -> int:
    """How many texts of `length` tokens a pass has at most: at least one.

    Up to `SHORT` tokens they have `pass_tokens` together; beyond it, where memory grows with the
    square of the length, as many pairs of tokens as `pass_tokens` in texts of `SHORT`.
    """
    return max(1, pass_tokens * SHORT // (length * max(length, SHORT)))


def mean_loss(
    outputs: SequenceClassifierOutput,
    labels: Tensor,
    num_items_in_batch: Tensor | int | None = None,
) -> Float[Tensor, ""]:
    """Loss of one pass as its share of the mean over the whole step's examples.

    The models' own losses are means over one pass; `Trainer` takes them for shares of the step's
    mean, so that accumulated gradients would come out too large.
    """
    logits = outputs.logits.float()
    if labels.is_floating_point():
        total = mse_loss(logits[:, 0], labels, reduction="sum")
    else:
        total = cross_entropy(logits, labels, reduction="sum")
    return total / num_items_in_batch


def examples_a_pass(settings: Finetune, examples: int, runtime: Runtime) -> int:
    """Examples that one process takes in one pass, such that the step's batch stays as it is.

    Raises:
        InputError: the batch cannot be shared evenly, or there are fewer examples than one batch.
    """
    processes = process_count(runtime)
    shares = settings.accumulation * processes
    if settings.batch % shares:
        raise InputError(
            f"{PARAMETER_FILE}: `finetune.batch` is {settings.batch}, which {processes} processes "
            f"(`runtime.processes`) with {settings.accumulation} passes (`finetune.accumulation`) "
            f"cannot share evenly; make it a multiple of {shares}"
        )
    if examples < settings.batch:
        raise InputError(
            f"{PARAMETER_FILE}: `finetune.batch` is {settings.batch}, but there are only "
            f"{examples} training examples; make it {examples} or less"
        )
    return settings.batch // shares


def set_dropout(model: nn.Module, share: float | None) -> None:
    """Let `share` of the units be off in every dropout of a model; None leaves each as it is."""
    for module in model.modules():
        if isinstance(module, nn.Dropout) and share is not None:
            module.p = share


def train(
    model: PreTrainedModel,
    examples: Encoded,
    labels: np.ndarray,
    settings: Finetune,
    runtime: Runtime,
    device: torch.device,
    seed: int,
    scratch: Path,
    report: Report,
) -> None:
    """Tune `model` in place; go on from the last state in `scratch`, if there is one."""
    set_dropout(model, settings.dropout)
    sampler = LengthGrouped(examples.lengths, settings.batch, settings.length_pool, seed)
    arguments = TrainingArguments(
        output_dir=str(scratch),
        per_device_train_batch_size=examples_a_pass(settings, len(labels), runtime),
        gradient_accumulation_steps=settings.accumulation,
        num_train_epochs=settings.epochs,
        learning_rate=settings.learning_rate,
        lr_scheduler_type="linear",
        warmup_steps=math.ceil(
            settings.warmup * settings.epochs * (len(sampler) // settings.batch)
        ),
        weight_decay=settings.weight_decay,
        max_grad_norm=settings.gradient_norm,
        optim="adamw_torch_fused",
        bf16=settings.precision == "bf16",
        tf32=settings.precision == "tf32",
        torch_compile=settings.compile,
        seed=seed,
        use_cpu=device.type == "cpu",
        ddp_backend="gloo" if device.type == "cpu" and process_count(runtime) > 1 else None,
        ddp_find_unused_parameters=False,
        dataloader_num_workers=runtime.workers,
        remove_unused_columns=False,
        save_steps=runtime.checkpoint_steps,
        save_total_limit=2,  # the last may be half-written
        logging_steps=50,
        disable_tqdm=True,  # `report` has what a bar needs
        report_to="none",
    )
    arguments._n_gpu = min(arguments.n_gpu, 1)  # or several GPUs would multiply the batch
    trainer = ClassifierTrainer(
        sampler,
        report,
        settings.pass_tokens,
        model=model,
        args=arguments,
        train_dataset=[
            {name: ids[row] for name, ids in examples.inputs.items()} | {"labels": labels[row]}
            for row in range(len(labels))
        ],
        data_collator=Collator(examples.padding, model.config.problem_type == "regression"),
    )
    state = last_state(scratch)
    trainer.train(resume_from_checkpoint=None if state is None else str(state))
    trainer.accelerator.wait_for_everyone()
    torch.set_float32_matmul_precision("highest")  # tf32 is for tuning alone


class Collator:
    """Pads a batch to its longest example."""

    def __init__(self, padding: dict[str, int], regression: bool):
        self.padding = padding
        self.label_type = torch.float32 if regression else torch.long

    def __call__(self, examples: list[dict[str, Any]]) -> dict[str, Tensor]:
        width = max(len(example["input_ids"]) for example in examples)
        batch = {
            name: torch.tensor([row[name] + [fill] * (width - len(row[name])) for row in examples])
            for name, fill in self.padding.items()
        }
        labels = torch.tensor([row["labels"] for row in examples], dtype=self.label_type)
        return batch | {"labels": labels}
