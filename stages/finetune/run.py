"""The runs of a stage: models to tune, each resumable, kept until all of the stage are made."""

import json
import resource
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import torch
from tqdm import tqdm
from transformers import PreTrainedModel

from stages.core.bf16 import fast_in_bf16
from stages.core.closure import code_run_by
from stages.core.encoder.batches import Encoded
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.finished import files_in, finishing, is_finished, publish, result
from stages.core.questions.task import QuestionTask
from stages.core.runtime.runtime import Runtime, find_device, read_runtime, start
from stages.core.scratch import fingerprint, open_scratch
from stages.core.stage.files import InputError, remove
from stages.core.stage.places import SCRATCH
from stages.core.stage.settings import PARAMETER_FILE, checked, section
from stages.core.tasks.metrics import predictions_from_logits
from stages.core.tasks.task import Task
from stages.finetune.processes import (
    Report,
    is_first_process,
    places,
    process_count,
    require_own_gpus,
    run_under_torchrun,
    side_by_side,
)
from stages.finetune.tables import TUNING_SETTINGS
from stages.finetune.training import Finetune, TuningData, examples_a_pass, tune

SPLITS = ("train", "validation")
MODEL, TABLE_FILE, FACTS_FILE = "model", "table.parquet", "facts.json"
# A model's answers on the validation examples, a row each, and facts of its run as a whole.
Results = Callable[[PreTrainedModel, torch.device], tuple[pd.DataFrame, dict[str, Any]]]


@dataclass(frozen=True)
class Run(ABC):
    """One model to make, from the encoder in the folder `checkpoint`.

    Attributes:
        arm: how the model begins and what it is tuned on, as a word.
        sources: fingerprint of the code, the examples, the encoder and further settings.
        runtime: where this run computes.
    """

    stage: ClassVar[str]
    is_tuned: ClassVar[bool] = True
    folder: ClassVar[Path | None] = None  # among the outs, for the model; None keeps no model

    task: str
    arm: str
    seed: int
    definition: Task | QuestionTask
    settings: Finetune
    checkpoint: Path
    sources: str
    runtime: Runtime

    def __str__(self) -> str:
        return f"{self.task} {self.key}"

    @property
    def key(self) -> str:
        """The run's name among those of its task."""
        return f"{self.arm}-{self.seed}"

    @property
    def scratch(self) -> Path:
        """The folder of states and results, named by everything that these depend on."""
        identity = [
            self.sources,
            self.definition.model_dump(exclude={"data", "seeds", "finetune"}),
            self.settings.model_dump(),
            find_device(self.runtime.device).type,
            self.runtime.threads,
            process_count(self.runtime),
        ]
        return SCRATCH / self.stage / self.task / self.key / fingerprint(identity, [])

    @abstractmethod
    def prepare(self) -> tuple[PreTrainedModel, TuningData | None, Results]:
        """The model before tuning, what it is tuned on (None: nothing), and how it is scored."""


def sources_of(module: str, files: Sequence[Path], checkpoint: Path, settings: Any = None) -> str:
    """Fingerprint of everything that all runs of a stage depend on.

    Args:
        module: of the stage, whose code counts.
        files: examples.
        settings: further ones, which JSON can hold.
    """
    names = ("torch", "transformers", "accelerate", "tokenizers", "numpy")
    identity = [settings, *(version(name) for name in names)]
    return fingerprint(identity, [*files, *files_in(checkpoint), *code_run_by(module)])


def task_settings(name: str, task: Task | QuestionTask, device: torch.device) -> Finetune:
    """The section `finetune` with the keys that the task's own entry replaces, on a device.

    Raises:
        InputError: a key or a value is wrong.
    """
    common = section(Finetune, "finetune").model_dump()
    where = f"{PARAMETER_FILE}: `tasks.{name}.finetune`"
    return checked(Finetune, common | task.finetune, where).on(device)


@contextmanager
def made(
    runs: Sequence[Run], examples: int, whole: bool
) -> Iterator[list[tuple[Run, pd.DataFrame, dict[str, Any]]]]:
    """Make the runs, put their models among the outs, and yield each with its table and facts.

    A stage that is killed takes up its finished runs and its states again. At the end of the block
    nothing of them stays: DVC keeps the outs.

    Args:
        examples: the number of training examples.
        whole: these are all runs of the stage for their task.
    """
    missing = [run for run in runs if not is_finished(run.scratch)]
    for run in runs:
        if run not in missing:
            print(f"{run}: kept, as it was finished before the stage was killed")
    make_all(missing, examples)
    results = []
    for run in runs:
        if run.folder is not None:
            publish(result(run.scratch, MODEL), run.folder)
        facts = json.loads(result(run.scratch, FACTS_FILE).read_text(encoding="utf-8"))
        results.append((run, pd.read_parquet(result(run.scratch, TABLE_FILE)), facts))
    yield results
    for run in runs:
        remove(run.scratch.parent.parent if whole else run.scratch.parent)


def settings_table(results: Sequence[tuple[Run, pd.DataFrame, dict[str, Any]]]) -> pd.DataFrame:
    """One row an arm that is tuned: its settings as they were kept to, and facts of its run.

    Args:
        results: as `made` yields them.
    """
    names = set(TUNING_SETTINGS.values)
    rows = {
        run.arm: {"arm": run.arm} | run.settings.model_dump(include=names) | facts
        for run, _, facts in results
        if run.is_tuned
    }
    return pd.DataFrame(list(rows.values()))


def make_all(runs: Sequence[Run], examples: int) -> None:
    """Make the runs: side by side, but those that have several processes one after the other.

    Raises:
        InputError: settings cannot be kept to.
    """
    # Those that take longest begin first.
    tuned = [run for run in runs if run.is_tuned]
    for run in tuned:
        require_possible(run, examples)
    shared = [run for run in tuned if run.runtime.processes > 1]
    for run in shared:
        require_own_gpus(run.runtime)
        options = ("--task", run.task, "--arm", run.arm, "--seed", str(run.seed))
        run_under_torchrun(run.runtime, "stages", "finetune", *options)
    others = [run for run in tuned if run not in shared]
    steps = sum(run.settings.steps(examples) for run in others)
    others += [run for run in runs if not run.is_tuned]
    if others:
        with tqdm(total=steps, desc=runs[0].task, unit="step", disable=None) as bar:
            for _ in side_by_side(make, others, places(read_runtime()), reporter(bar)):
                pass


def reporter(bar: tqdm) -> Report:
    """A report that moves a bar by steps, and prints lines above it."""
    return lambda message: bar.update(message) if isinstance(message, int) else bar.write(message)


def make(run: Run, report: Report) -> None:
    """Make one model; keep it with its answers and facts in the run's own folder.

    Killed and called again, it goes on from its last saved state, to the same bits.
    """
    model, data, results = run.prepare()
    device = start(run.runtime, run.seed)
    if is_first_process():
        open_scratch(run.scratch)
    if data is not None:
        began = time.monotonic()

        def named(message: str | int) -> None:
            report(message if isinstance(message, int) else f"{run}: {message}")

        tune(model, data, run.settings, run.runtime, device, run.scratch, named)
        if not is_first_process():
            return
        named(f"{time.monotonic() - began:.0f} s of tuning, {peak_memory(device)}")
    table, facts = results(model.to(device).eval(), device)
    require_finite(run, table)
    with finishing(run.scratch) as folder:
        if run.folder is not None:
            model.save_pretrained(folder / MODEL)
            # A fresh one, as use leaves traces in a tokenizer.
            load_tokenizer(run.checkpoint).save_pretrained(folder / MODEL)
        table.to_parquet(folder / TABLE_FILE, index=False)
        (folder / FACTS_FILE).write_text(json.dumps(facts), encoding="utf-8")


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


def require_finite(run: Run, table: pd.DataFrame) -> None:
    """Refuse a model that has no answer: its predictions would count as one class, and be scored.

    Raises:
        InputError: a logit or a loss is not finite.
    """
    values = table.filter(regex="^(logit_.*|loss)$").to_numpy()
    lost = int((~np.isfinite(values)).any(axis=1).sum())
    if lost:
        raise InputError(
            f"{run}: the logits of {lost} of {len(values)} validation examples are not finite: the "
            f"tuning went astray; lower `finetune.learning_rate` ({run.settings.learning_rate}) in "
            f"{PARAMETER_FILE}, or that under `tasks.{run.task}.finetune`"
        )


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
        for texts in encoded.batches(batch, device):
            logits[texts.rows] = model(**texts.inputs).logits.float().cpu().numpy()
    table = examples[["id", "label"]].reset_index(drop=True)
    table["prediction"] = predictions_from_logits(logits, task.kind)
    return table.assign(**{f"logit_{index}": column for index, column in enumerate(logits.T)})


def peak_memory(device: torch.device) -> str:
    """The peak memory of this process so far, in words."""
    words = f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.1f} GiB of memory"
    if device.type == "cuda":
        words += f", {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB of GPU memory"
    return f"{words} at the peak"
