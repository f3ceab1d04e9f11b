"""One training with transformers' `Trainer`: exact steps, and after a kill on to the same bits.

Every step is a function of the seed and the epoch, so it is the same after a resume. A pass may be
cut into chunks, so that it fits into memory: the gradients of the chunks add up.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from numpy import ndarray
from torch import Tensor, nn
from torch.utils.data import DataLoader, Sampler
from transformers import (
    PreTrainedModel,
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)

from stages.core.runtime.runtime import Runtime
from stages.core.scratch import last_state, mark_complete

Chunk = dict[str, Tensor]


@runtime_checkable
class Rates(Protocol):
    """The settings that every training has."""

    learning_rate: float
    weight_decay: float
    gradient_norm: float


class TrainingData(ABC):
    """The items of a training: their order, the chunks of a pass over them, and their loss.

    Attributes:
        items: the number of items.
        step: the number of items of a step; an epoch has whole steps.
        generator: draws the seed of an epoch's workers; None for torch's global generator.
    """

    items: int
    step: int
    generator: torch.Generator | None = None

    @abstractmethod
    def order(self, epoch: int) -> Int[ndarray, " item"]:
        """The items of an epoch, step by step."""

    @abstractmethod
    def chunks(self, items: list[int]) -> list[Chunk]:
        """The inputs of one pass over these items, in chunks that fit into memory."""

    @abstractmethod
    def loss(self, model: nn.Module, chunk: Chunk) -> Float[Tensor, ""]:
        """The loss of a chunk, as its share of the mean over the step."""


class EpochOrder(Sampler[int]):
    """The items of the epoch that `epoch` names."""

    def __init__(self, data: TrainingData):
        self.data, self.epoch = data, 0

    def __len__(self) -> int:
        return self.data.items // self.data.step * self.data.step

    def __iter__(self) -> Iterator[int]:
        yield from self.data.order(self.epoch).tolist()


class States(TrainerCallback):
    """Tells the order its epoch, and marks a saved state as whole once all processes wrote it."""

    def __init__(self, order: EpochOrder):
        self.order = order

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **unused: Any) -> None:
        self.order.epoch = state.global_step // (len(self.order) // self.order.data.step)

    def on_save(self, args: Any, state: Any, control: Any, **unused: Any) -> None:
        if torch.distributed.is_initialized():
            torch.distributed.barrier()
        if state.is_world_process_zero:
            mark_complete(Path(args.output_dir), state.global_step)


class ChunkTrainer(Trainer):
    """A `Trainer` whose batch is the chunks of a pass."""

    loss_is_scaled_for_ga = True

    def __init__(self, data: TrainingData, watch: TrainerCallback, **settings: Any):
        self.data, self.order = data, EpochOrder(data)
        super().__init__(**settings, callbacks=[States(self.order), watch])
        self.remove_callback(PrinterCallback)  # `watch` says how far it is

    def get_train_dataloader(self) -> DataLoader:
        loader = DataLoader(
            range(self.data.items),
            self._train_batch_size,
            sampler=self.order,
            collate_fn=self.data.chunks,
            generator=self.data.generator,
            num_workers=self.args.dataloader_num_workers,
            pin_memory=self.args.dataloader_pin_memory,
        )
        return self.accelerator.prepare(loader)

    def training_step(
        self, model: nn.Module, inputs: list[Chunk], num_items_in_batch: Any = None
    ) -> Float[Tensor, ""]:
        """The loss of a pass; adds up gradients, which processes exchange in its last chunk."""
        *chunks, last = inputs
        step = super().training_step
        with self.accelerator.no_sync(model):
            losses = [step(model, chunk) for chunk in chunks]
        losses.append(step(model, last))
        return torch.stack(losses).sum()

    def compute_loss(
        self, model: nn.Module, inputs: Chunk, *unused: Any, **others: Any
    ) -> Float[Tensor, ""]:
        with self.accelerator.autocast():
            loss = self.data.loss(model, inputs)
        return loss * self.args.world_size  # processes take the mean of their gradients


def train(
    model: PreTrainedModel,
    data: TrainingData,
    settings: Rates,
    steps: int,
    warmup_steps: int,
    runtime: Runtime,
    device: torch.device,
    seed: int,
    scratch: Path,
    watch: TrainerCallback,
    **arguments: Any,
) -> list[dict[str, Any]]:
    """Train `model` in place; go on from the last state in `scratch`, if there is one.

    Args:
        warmup_steps: the first ones, in which the learning rate rises.
        arguments: of `TrainingArguments`, which this kind of training has beside the common ones.

    Returns:
        The log, from the first step on.
    """
    options = TrainingArguments(
        output_dir=str(scratch),
        max_steps=steps,
        learning_rate=settings.learning_rate,
        lr_scheduler_type="linear",
        warmup_steps=warmup_steps,
        weight_decay=settings.weight_decay,
        max_grad_norm=settings.gradient_norm,
        optim="adamw_torch_fused",
        seed=seed,
        use_cpu=device.type == "cpu",
        dataloader_num_workers=runtime.workers,
        remove_unused_columns=False,
        save_steps=runtime.checkpoint_steps,
        save_total_limit=2,  # the last may be half-written
        disable_tqdm=True,  # `watch` has a bar
        report_to="none",
        **arguments,
    )
    options._n_gpu = min(options.n_gpu, 1)  # or several GPUs would share each batch
    trainer = ChunkTrainer(data, watch, model=model, args=options)
    state = last_state(scratch)
    trainer.train(resume_from_checkpoint=None if state is None else str(state))
    trainer.accelerator.wait_for_everyone()
    torch.set_float32_matmul_precision("highest")  # tf32 is for training alone
    return trainer.state.log_history
