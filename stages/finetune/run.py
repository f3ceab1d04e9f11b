"""One run: a model of a task, made from the encoder and kept with its predictions and scores."""

import json
import resource
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from stages.core.bf16 import fast_in_bf16
from stages.core.closure import code_run_by
from stages.core.encoder.batches import Encoded, encode
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.finished import files_in, finishing
from stages.core.runtime.runtime import Runtime, find_device, start
from stages.core.scratch import fingerprint, open_scratch
from stages.core.stage.arms import WITH_TUNING, Arm
from stages.core.stage.files import InputError
from stages.core.stage.places import SCRATCH, examples_file
from stages.core.stage.settings import PARAMETER_FILE, checked, section
from stages.core.tasks.examples import read_examples
from stages.core.tasks.metrics import METRICS, predictions_from_logits
from stages.core.tasks.task import Task
from stages.finetune.processes import is_first_process, process_count
from stages.finetune.side_by_side import Report
from stages.finetune.task_model import load_task_model
from stages.finetune.training import Finetune, examples_a_pass, train

RUNS = SCRATCH / "finetune"
SPLITS = ("train", "validation")
MODEL, PREDICTIONS_FILE, FACTS_FILE = "model", "predictions.parquet", "facts.json"
PLACES = 6  # decimal places of scores


@dataclass(frozen=True)
class Run:
    """One model to make, from the encoder in the folder `checkpoint`.

    Attributes:
        sources: fingerprint of the code, the examples and the encoder.
        runtime: where this run computes.
    """

    task: str
    arm: Arm
    seed: int
    definition: Task
    settings: Finetune
    checkpoint: Path
    sources: str
    runtime: Runtime

    def __str__(self) -> str:
        return f"{self.task} {self.key}"

    @property
    def key(self) -> str:
        """Its name among the files of its task."""
        return f"{self.arm}-{self.seed}"

    @property
    def is_tuned(self) -> bool:
        return self.arm in WITH_TUNING

    @property
    def scratch(self) -> Path:
        """Where states and results lie: of this run, and of none whose result would be another."""
        settings = self.settings.model_dump()
        identity = {
            "run": [self.task, self.arm, self.seed, self.sources],
            "definition": self.definition.model_dump(exclude={"data", "seeds", "finetune"}),
            "settings": settings if self.is_tuned else settings["batch"],
            "place": [
                find_device(self.runtime.device).type,
                self.runtime.threads,
                process_count(self.runtime),
            ],
        }
        return RUNS / self.task / self.key / fingerprint(identity, [])


def sources_of(task: str, checkpoint: Path) -> str:
    """Fingerprint of everything but settings and place that the runs of a task depend on."""
    versions = [version(name) for name in ("torch", "transformers", "accelerate", "tokenizers")]
    examples = [examples_file(task, split) for split in SPLITS]
    return fingerprint(versions, [*examples, *files_in(checkpoint), *code_run_by(__name__)])


def make(run: Run, report: Report) -> None:
    """Make one model; keep it with its predictions and scores in the run's own folder.

    Killed and called again, it goes on from its last saved state, to the same bits.
    """
    tokenizer = load_tokenizer(run.checkpoint)
    examples = {split: read_examples(examples_file(run.task, split)) for split in SPLITS}
    model = load_task_model(run.checkpoint, run.definition, run.arm, run.seed)
    device = start(run.runtime, run.seed)
    if is_first_process():
        open_scratch(run.scratch)
    if run.is_tuned:
        tune(run, model, tokenizer, examples["train"], device, report)
        if not is_first_process():
            return
    encoded = encode(tokenizer, examples["validation"], run.definition.max_length)
    predictions = predict(
        model.to(device).eval(),
        encoded,
        examples["validation"],
        run.definition,
        run.settings.batch,
        device,
    )
    require_finite(run, predictions)
    keep(run, model, predictions, {split: len(frame) for split, frame in examples.items()})


def tune(
    run: Run,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    examples: pd.DataFrame,
    device: torch.device,
    report: Report,
) -> None:
    """Tune a model in place, in this process or together with others of torchrun."""
    began = time.monotonic()
    train(
        model,
        encode(tokenizer, examples, run.definition.max_length),
        examples["label"].to_numpy(),
        run.settings,
        run.runtime,
        device,
        run.seed,
        run.scratch,
        lambda said: report(said if isinstance(said, int) else f"{run}: {said}"),
    )
    if is_first_process():
        report(f"{run}: {time.monotonic() - began:.0f} s of tuning, {peak_memory(device)}")


def require_possible(run: Run, examples: int) -> None:
    """Refuse settings of a tuning that cannot be kept to, before anything runs.

    Raises:
        InputError: the batch cannot be shared evenly, or the device lacks the precision.
    """
    examples_a_pass(run.settings, examples, run.runtime)
    device = find_device(run.runtime.device)
    if run.settings.precision == "tf32" and device.type != "cuda":
        raise InputError(
            f"{PARAMETER_FILE}: `finetune.precision` is tf32, which only CUDA has, but "
            f"`runtime.device` is {device}; use fp32 or bf16"
        )
    if run.settings.precision == "bf16" and not fast_in_bf16(device):
        print(
            f"{run}: {PARAMETER_FILE} asks for `finetune.precision` bf16, which {device} of this "
            "machine has in software alone, maybe a hundred times slower than fp32; auto takes "
            "fp32 here"
        )


def require_finite(run: Run, predictions: pd.DataFrame) -> None:
    """Refuse a model that has no answer: its predictions would count as one class, and be scored.

    Raises:
        InputError: a logit is not finite.
    """
    logits = predictions.filter(regex="^logit_").to_numpy()
    lost = int((~np.isfinite(logits)).any(axis=1).sum())
    if lost:
        raise InputError(
            f"{run}: the logits of {lost} of {len(logits)} validation examples are not finite: the "
            f"tuning went astray; lower `finetune.learning_rate` ({run.settings.learning_rate}) in "
            f"{PARAMETER_FILE}, or that under `tasks.{run.task}.finetune`"
        )


def keep(
    run: Run, model: PreTrainedModel, predictions: pd.DataFrame, examples: dict[str, int]
) -> None:
    """Write the model with its tokenizer, its predictions, and its scores with their settings.

    Args:
        examples: how many each split has.
    """
    facts = {
        "task": run.task,
        "arm": run.arm,
        "seed": run.seed,
        "metrics": scores(predictions, run.definition),
        "examples": examples,
        "finetune": run.settings.model_dump() if run.is_tuned else None,
    }
    with finishing(run.scratch) as folder:
        model.save_pretrained(folder / MODEL)
        # A fresh one, as use leaves traces in a tokenizer.
        load_tokenizer(run.checkpoint).save_pretrained(folder / MODEL)
        predictions.to_parquet(folder / PREDICTIONS_FILE, index=False)
        (folder / FACTS_FILE).write_text(json.dumps(facts), encoding="utf-8")


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
    with torch.inference_mode():
        for part in encoded.batches(batch, device):
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
