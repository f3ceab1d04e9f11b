"""Tune the encoder for a task, from pretrained or random weights (Kovaleva et al. 2019, Table 1).

The arms are those of `stages.core.stage.arms`; `tuned` is what one calls fine-tuning. One stage
makes all arms and seeds of a task: runs of which none depends on another.
"""

import json
from collections.abc import Sequence

import pandas as pd
from tqdm import tqdm

from stages.core.checkpoint_source import Checkpoint, locate
from stages.core.control_seeds import control_seeds
from stages.core.finished import forget_others, is_finished, publish, result
from stages.core.runtime.runtime import Runtime, find_device, read_runtime
from stages.core.stage.arms import FROM_CHECKPOINT, WITH_TUNING, Arm
from stages.core.stage.files import atomic
from stages.core.stage.parent import end_with_parent
from stages.core.stage.places import examples_file, model_folder
from stages.core.stage.settings import section
from stages.core.tasks.examples import read_examples
from stages.core.tasks.tables import PREDICTIONS
from stages.core.tasks.task import load_task, seeds_of
from stages.finetune.processes import (
    alone,
    places,
    require_own_gpus,
    run_under_torchrun,
    under_torchrun,
)
from stages.finetune.run import (
    FACTS_FILE,
    MODEL,
    PREDICTIONS_FILE,
    RUNS,
    Run,
    make,
    require_possible,
    sources_of,
    task_settings,
)
from stages.finetune.side_by_side import side_by_side


def run_stage(task: str, arm: Arm | None = None, seed: int | None = None) -> None:
    """Make the models of TASK; write them, their predictions and scores.

    Runs that are finished are kept. Killed and run again, the others go on from their last saved
    states, to the same bits.
    """
    arms = [arm] if arm else section(list[Arm], "run.arms")
    runs = runs_of(task, arms, seeds_of(task, seed), read_runtime())
    if under_torchrun():
        end_with_parent()
        with Bar(runs) as bar:
            make(runs[0], bar)
        return
    if arm is None and seed is None:
        forget_others(RUNS / task, [run.key for run in runs])
    missing = [run for run in runs if not is_finished(run.scratch)]
    for run in runs:
        if run not in missing:
            print(f"{run}: kept, as nothing changed that it depends on")
    make_all(missing, len(read_examples(examples_file(task, "train"))))
    write(task, runs)


def runs_of(task: str, arms: Sequence[Arm], seeds: Sequence[int], runtime: Runtime) -> list[Run]:
    """The runs of a task, arm by arm; those that begin at random may have fewer seeds."""
    definition = load_task(task)
    settings = task_settings(task, definition).on(find_device(runtime.device))
    checkpoint = locate(section(Checkpoint, "checkpoint"))
    sources = sources_of(task, checkpoint)
    shared = runtime.processes > 1 or under_torchrun()
    return [
        Run(
            task,
            arm,
            seed,
            definition,
            settings,
            checkpoint,
            sources,
            runtime if shared and arm in WITH_TUNING else alone(runtime),
        )
        for arm in arms
        for seed in (control_seeds(seeds) if arm not in FROM_CHECKPOINT else seeds)
    ]


def make_all(runs: Sequence[Run], examples: int) -> None:
    """Make the runs: side by side, but those that have several processes one after the other.

    Args:
        examples: how many there are to tune on.

    Raises:
        InputError: settings cannot be kept to.
    """
    tuned = [run for run in runs if run.is_tuned]
    for run in tuned:
        require_possible(run, examples)
    together = [run for run in tuned if run.runtime.processes > 1]
    for run in together:
        require_own_gpus(run.runtime)
        options = {"--task": run.task, "--arm": run.arm, "--seed": str(run.seed)}
        words = [word for option in options.items() for word in option]
        run_under_torchrun(run.runtime, "stages", "finetune", *words)
    # Those that take longest begin first.
    others = sorted((run for run in runs if run not in together), key=lambda run: not run.is_tuned)
    if others:
        with Bar(others, examples) as bar:
            for _ in side_by_side(make, others, places(read_runtime()), bar):
                pass


class Bar:
    """One bar of progress for all runs, and their lines above it."""

    def __init__(self, runs: Sequence[Run], examples: int | None = None):
        steps = None
        if examples is not None:
            a_run = [run.settings.epochs * (examples // run.settings.batch) for run in runs]
            steps = sum(count for count, run in zip(a_run, runs, strict=True) if run.is_tuned)
        self.bar = tqdm(total=steps, desc=runs[0].task, unit="step", disable=None)

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *unused: object) -> None:
        self.bar.close()

    def __call__(self, said: str | int) -> None:
        if isinstance(said, int):
            self.bar.update(said)
        else:
            self.bar.write(said)


def write(task: str, runs: Sequence[Run]) -> None:
    """Put the results of the runs to their places among the outs."""
    predictions, facts = [], []
    for run in runs:
        publish(result(run.scratch, MODEL), model_folder(task, run.arm, run.seed))
        table = pd.read_parquet(result(run.scratch, PREDICTIONS_FILE))
        predictions.append(table.assign(arm=run.arm, seed=run.seed))
        facts.append(json.loads(result(run.scratch, FACTS_FILE).read_text(encoding="utf-8")))
    PREDICTIONS.write(predictions, compression="zstd", task=task)
    with atomic(PREDICTIONS.path(task=task).with_suffix(".json")) as partial:
        partial.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
