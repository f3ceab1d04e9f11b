"""Tuning a classifier: its settings, the steps of whole batches, and the loss of their chunks."""

import math
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import torch
from jaxtyping import Float, Int
from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, mse_loss
from transformers import PreTrainedModel, TrainerCallback

from stages.core.bf16 import fast_in_bf16
from stages.core.encoder.batches import Encoded
from stages.core.questions.batches import steps_of_epoch
from stages.core.runtime.runtime import Runtime
from stages.core.stage.files import InputError
from stages.core.stage.settings import PARAMETER_FILE, Parameters
from stages.core.trainer import Chunk, TrainingData, train
from stages.finetune.processes import Report, process_count

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

    def steps(self, examples: int) -> int:
        """The number of steps of a tuning on that many examples."""
        return self.epochs * (examples // self.batch)

    def warmup_steps(self, examples: int) -> int:
        """Its first steps, in which the learning rate rises."""
        # In this order: 0.1 * 3 epochs * 60 steps is above 18 by a rounding, and gives 19.
        return math.ceil(self.warmup * self.epochs * (examples // self.batch))


class TuningData(TrainingData):
    """Examples in steps of whole batches of like lengths, drawn anew for each epoch.

    The examples beyond a multiple of the batch, others in each epoch, are left out. So each step
    has the same number of examples whatever the number of processes and accumulated passes.
    """

    def __init__(self, lengths: Int[np.ndarray, " example"], settings: Finetune, seed: int):
        self.lengths, self.settings, self.seed = lengths, settings, seed
        self.items, self.step = len(lengths), settings.batch

    def order(self, epoch: int) -> Int[np.ndarray, " example"]:
        pool = self.settings.length_pool
        return steps_of_epoch(self.lengths, self.step, pool, self.seed, epoch).ravel()


class Examples(TuningData):
    """Texts with a class or a score."""

    def __init__(
        self,
        encoded: Encoded,
        labels: Float[np.ndarray, " example"],
        kind: str,
        settings: Finetune,
        seed: int,
    ):
        super().__init__(encoded.lengths, settings, seed)
        self.encoded, self.labels = encoded, labels
        self.label_type = torch.float32 if kind == "regression" else torch.long

    def chunks(self, items: list[int]) -> list[Chunk]:
        """Some texts at a time, all padded to the longest of the pass.

        Activations grow with the tokens of a pass, those of attention with their squares: 32
        texts of 512 tokens would take 11 GiB of a 6-layer encoder's memory.
        """
        labels = torch.tensor(self.labels[items], dtype=self.label_type)
        inputs = self.encoded.batch(np.array(items)).inputs | {"labels": labels}
        size = texts_of_pass(inputs["input_ids"].shape[1], self.settings.pass_tokens)
        return [
            {name: values[start : start + size] for name, values in inputs.items()}
            for start in range(0, len(items), size)
        ]

    def loss(self, model: nn.Module, chunk: Chunk) -> Float[Tensor, ""]:
        labels = chunk.pop("labels")
        logits = model(**chunk).logits.float()
        if labels.is_floating_point():
            total = mse_loss(logits[:, 0], labels, reduction="sum")
        else:
            total = cross_entropy(logits, labels, reduction="sum")
        return total / self.step


def texts_of_pass(length: int, pass_tokens: int) -> int:
    """How many texts of `length` tokens a pass has at most: at least one.

    Up to `SHORT` tokens they have `pass_tokens` together; beyond it, where memory grows with the
    square of the length, as many pairs of tokens as `pass_tokens` in texts of `SHORT`.
    """
    return max(1, pass_tokens * SHORT // (length * max(length, SHORT)))


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
    """Set every dropout of a model to `share`; None leaves each as it is."""
    for module in model.modules():
        if isinstance(module, nn.Dropout) and share is not None:
            module.p = share


class Progress(TrainerCallback):
    """Reports steps that are done, and lines about the loss."""

    def __init__(self, report: Report):
        self.report = report

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


def tune(
    model: PreTrainedModel,
    data: TuningData,
    settings: Finetune,
    runtime: Runtime,
    device: torch.device,
    scratch: Path,
    report: Report,
) -> None:
    """Tune `model` in place; go on from the last state in `scratch`, if there is one."""
    set_dropout(model, settings.dropout)
    several = process_count(runtime) > 1
    train(
        model,
        data,
        settings,
        settings.steps(data.items),
        settings.warmup_steps(data.items),
        runtime,
        device,
        data.seed,
        scratch,
        Progress(report),
        per_device_train_batch_size=examples_a_pass(settings, data.items, runtime),
        gradient_accumulation_steps=settings.accumulation,
        bf16=settings.precision == "bf16",
        tf32=settings.precision == "tf32",
        torch_compile=settings.compile,
        ddp_backend="gloo" if device.type == "cpu" and several else None,
        ddp_find_unused_parameters=False,
        logging_steps=50,
    )
