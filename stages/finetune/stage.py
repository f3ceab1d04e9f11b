"""Tune the encoder for a task, from pretrained or random weights (Kovaleva et al. 2019, Table 1).

The arms are those of `stages.core.stage.arms`; `tuned` is what one calls fine-tuning. One stage
makes all arms and seeds of a task: runs of which none depends on another.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from tqdm import tqdm
from transformers import PreTrainedModel

from stages.core.checkpoint_source import Checkpoint, locate
from stages.core.control_seeds import control_seeds
from stages.core.encoder.batches import encode
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.runtime.runtime import Runtime, find_device, read_runtime
from stages.core.stage.arms import FROM_CHECKPOINT, WITH_TUNING, Arm
from stages.core.stage.parent import end_with_parent
from stages.core.stage.places import examples_file, model_folder
from stages.core.stage.settings import section
from stages.core.tasks.examples import read_examples
from stages.core.tasks.tables import PREDICTIONS
from stages.core.tasks.task import load_task, seeds_of
from stages.finetune.processes import alone, under_torchrun
from stages.finetune.run import (
    SPLITS,
    Results,
    Run,
    made,
    make,
    predict,
    reporter,
    settings_table,
    sources_of,
    task_settings,
)
from stages.finetune.tables import TUNING_SETTINGS
from stages.finetune.task_model import load_task_model
from stages.finetune.training import Examples


@dataclass(frozen=True)
class ClassifierRun(Run):
    """One classifier of a task."""

    stage = "finetune"

    @property
    def is_tuned(self) -> bool:
        return self.arm in WITH_TUNING

    @property
    def folder(self) -> Path:
        return model_folder(self.task, self.arm, self.seed)

    def prepare(self) -> tuple[PreTrainedModel, Examples | None, Results]:
        task, settings = self.definition, self.settings
        tokenizer = load_tokenizer(self.checkpoint)
        examples = {split: read_examples(examples_file(self.task, split)) for split in SPLITS}
        model = load_task_model(self.checkpoint, task, self.arm, self.seed)
        data = None
        if self.is_tuned:
            encoded = encode(tokenizer, examples["train"], task.max_length)
            labels = examples["train"]["label"].to_numpy()
            data = Examples(encoded, labels, task.kind, settings, self.seed)

        def results(
            model: PreTrainedModel, device: torch.device
        ) -> tuple[pd.DataFrame, dict[str, Any]]:
            held_out = examples["validation"]
            encoded = encode(tokenizer, held_out, task.max_length)
            return predict(model, encoded, held_out, task, settings.batch, device), {}

        return model, data, results


def run_stage(task: str, arm: Arm | None = None, seed: int | None = None) -> None:
    """Make the models of TASK; write them, their predictions and settings.

    Killed and run again, it goes on: finished runs are kept, the others begin at their last saved
    states, and end with the same bits.
    """
    arms = [arm] if arm else section(list[Arm], "run.arms")
    runs = runs_of(task, arms, seeds_of(task, seed), read_runtime())
    if under_torchrun():
        end_with_parent()
        with tqdm(desc=task, unit="step", disable=None) as bar:
            make(runs[0], reporter(bar))
        return
    examples = len(read_examples(examples_file(task, "train")))
    with made(runs, examples, whole=arm is None and seed is None) as results:
        predictions = [table.assign(arm=run.arm, seed=run.seed) for run, table, _ in results]
        PREDICTIONS.write(predictions, data=task)
        TUNING_SETTINGS.write(settings_table(results), data=task)


def runs_of(
    task: str, arms: Sequence[Arm], seeds: Sequence[int], runtime: Runtime
) -> list[ClassifierRun]:
    """The runs of a task, arm by arm; those that begin at random may have fewer seeds."""
    definition = load_task(task)
    settings = task_settings(task, definition, find_device(runtime.device))
    checkpoint = locate(section(Checkpoint, "checkpoint"))
    files = [examples_file(task, split) for split in SPLITS]
    sources = sources_of(__name__, files, checkpoint)
    shared = runtime.processes > 1 or under_torchrun()
    common = (definition, settings, checkpoint, sources)
    return [
        ClassifierRun(
            task, arm, seed, *common, runtime if shared and arm in WITH_TUNING else alone(runtime)
        )
        for arm in arms
        for seed in (control_seeds(seeds) if arm not in FROM_CHECKPOINT else seeds)
    ]
