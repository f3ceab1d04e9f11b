"""Tune the encoder for a task, from pretrained or random weights (Kovaleva et al. 2019, Table 1).

The arms are those of `stages.core.stage.arms`; `tuned` is what one calls fine-tuning.
"""

import json
import resource
import shutil
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import torch
import typer
from tqdm import tqdm
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from stages.core.checkpoint_source import Checkpoint, locate
from stages.core.encoder.batches import Encoded, encode
from stages.core.encoder.checkpoint import load_tokenizer
from stages.core.runtime.runtime import Runtime, read_runtime, start
from stages.core.scratch import code_of, fingerprint, open_scratch
from stages.core.stage.arms import ARM_HELP, WITH_TUNING, Arm
from stages.core.stage.command import SeedOption, TaskOption, stage_command
from stages.core.stage.files import InputError, atomic
from stages.core.stage.places import SCRATCH, examples_file, model_folder
from stages.core.stage.settings import PARAMETER_FILE, checked, section
from stages.core.tasks.examples import read_examples
from stages.core.tasks.metrics import METRICS, predictions_from_logits
from stages.core.tasks.tables import PREDICTIONS
from stages.core.tasks.task import Task, load_task
from stages.finetune.processes import (
    end_with_torchrun,
    is_first_process,
    on_one_gpu,
    process_count,
    run_under_torchrun,
)
from stages.finetune.task_model import load_task_model
from stages.finetune.training import Finetune, examples_a_pass, train

RUNS = SCRATCH / "finetune"
CODE = [
    *code_of("encoder/*.py", "checkpoint_source.py"),
    *(Path(__file__).with_name(f"{name}.py") for name in ("__main__", "task_model", "training")),
]
SPLITS = ("train", "validation")
PLACES = 6  # decimal places of scores


@dataclass(frozen=True)
class Run:
    """One model to make, from the encoder in the folder `checkpoint`."""

    task: str
    arm: Arm
    seed: int
    definition: Task
    settings: Finetune
    runtime: Runtime
    checkpoint: Path

    @property
    def key(self) -> str:
        """Its name among files."""
        return f"{self.task}-{self.arm}-{self.seed}"


def main(
    task: TaskOption, arm: Annotated[Arm, typer.Option(help=ARM_HELP)], seed: SeedOption
) -> None:
    """Tune the encoder for TASK from ARM with SEED; write the model, its predictions and scores.

    Killed and run again, it goes on from its last saved state, to the same bits.
    """
    end_with_torchrun()
    definition = load_task(task)
    settings = task_settings(task, definition)
    runtime = on_one_gpu(read_runtime())
    checkpoint = locate(section(Checkpoint, "checkpoint"))
    run = Run(task, arm, seed, definition, settings, runtime, checkpoint)
    tokenizer = load_tokenizer(checkpoint)
    examples = {split: read_examples(examples_file(task, split)) for split in SPLITS}
    model = load_task_model(checkpoint, definition, arm, seed)
    device = start(runtime, seed)
    if arm in WITH_TUNING:
        tune(run, model, tokenizer, examples["train"], device)
        if not is_first_process():
            return
    encoded = encode(tokenizer, examples["validation"], definition.max_length)
    predictions = predict(
        model.to(device).eval(), encoded, examples["validation"], definition, settings.batch, device
    )
    keep(run, model, predictions, {split: len(frame) for split, frame in examples.items()})
    shutil.rmtree(RUNS / run.key, ignore_errors=True)


def tune(
    run: Run,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    examples: pd.DataFrame,
    device: torch.device,
) -> None:
    """Tune a model in place, in this process or in those of torchrun, which takes its place.

    Raises:
        InputError: the batch cannot be shared evenly, or the device lacks the precision.
    """
    examples_a_pass(run.settings, len(examples), run.runtime)
    if run.settings.precision == "tf32" and device.type != "cuda":
        raise InputError(
            f"{PARAMETER_FILE}: `finetune.precision` is tf32, which only CUDA has, but "
            f"`runtime.device` is {device}; use fp32 or bf16"
        )
    run_under_torchrun(run.runtime, "stages.finetune")
    scratch = scratch_folder(run, device)
    if is_first_process():
        open_scratch(scratch)
    began = time.monotonic()
    train(
        model,
        encode(tokenizer, examples, run.definition.max_length),
        examples["label"].to_numpy(),
        run.settings,
        run.runtime,
        device,
        run.seed,
        scratch,
    )
    if is_first_process():
        print(f"{run.key}: {time.monotonic() - began:.0f} s of tuning, {peak_memory(device)}")


def scratch_folder(run: Run, device: torch.device) -> Path:
    """Where the states of this run lie, and of none whose result would be another."""
    identity = {
        "run": [run.key, run.definition.model_dump(), run.settings.model_dump()],
        "place": [device.type, run.runtime.threads, process_count(run.runtime)],
        "versions": [version("torch"), version("transformers"), version("accelerate")],
    }
    weights = sorted(run.checkpoint.glob("model*.safetensors"))
    files = [examples_file(run.task, "train"), *weights, *CODE]
    return RUNS / run.key / fingerprint(identity, files)


def keep(
    run: Run, model: PreTrainedModel, predictions: pd.DataFrame, examples: dict[str, int]
) -> None:
    """Write the model with its tokenizer, its predictions, and its scores with their settings.

    Args:
        examples: how many each split has.
    """
    fields = {"task": run.task, "arm": run.arm, "seed": run.seed}
    with atomic(model_folder(**fields)) as partial:
        model.save_pretrained(partial)
        # A fresh one, as use leaves traces in a tokenizer.
        load_tokenizer(run.checkpoint).save_pretrained(partial)
    PREDICTIONS.write(predictions, compression="zstd", **fields)
    facts = {
        **fields,
        "metrics": scores(predictions, run.definition),
        "examples": examples,
        "finetune": run.settings.model_dump() if run.arm in WITH_TUNING else None,
    }
    with atomic(PREDICTIONS.path(**fields).with_suffix(".json")) as partial:
        partial.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")


def task_settings(name: str, task: Task) -> Finetune:
    """The section `finetune` with the keys that the task's own entry replaces.

    Raises:
        InputError: a key or a value is wrong.
    """
    common = section(Finetune, "finetune").model_dump()
    return checked(Finetune, common | task.finetune, f"{PARAMETER_FILE}: `tasks.{name}.finetune`")


def predict(
    model: PreTrainedModel,
    encoded: Encoded,
    examples: pd.DataFrame,
    task: Task,
    batch: int,
    device: torch.device,
) -> pd.DataFrame:
    """One row an example, in order: id, label, prediction, logit_0, ... (float32, no autocast)."""
    logits = np.zeros((len(examples), task.outputs), dtype=np.float32)
    total = -(-len(examples) // batch)
    with torch.inference_mode():
        for part in tqdm(encoded.batches(batch, device), "validation", total, disable=None):
            logits[part.rows] = model(**part.inputs).logits.float().cpu().numpy()
    table = examples[["id", "label"]].reset_index(drop=True)
    table["prediction"] = predictions_from_logits(logits, task.kind)
    return table.assign(**{f"logit_{index}": column for index, column in enumerate(logits.T)})


def scores(predictions: pd.DataFrame, task: Task) -> dict[str, float]:
    """The task's metrics on its validation examples, as shares of 1."""
    labels, predicted = predictions["label"].to_numpy(), predictions["prediction"].to_numpy()
    return {name: round(float(METRICS[name](labels, predicted)), PLACES) for name in task.metrics}


def peak_memory(device: torch.device) -> str:
    """The peak memory of this process so far, in words."""
    words = f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.1f} GiB of memory"
    if device.type == "cuda":
        words += f", {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB of GPU memory"
    return f"{words} at the peak"


if __name__ == "__main__":
    stage_command(main)
