"""Tune two models of pairs as the encoder is tuned (query-title study, sections 1 and 2.4).

`lstm` reads both texts with attention across them and was never trained on anything else; `towers`
are the pretrained encoder without a look across. Beside them the encoder has both. They see the
same examples in the same batches, for as many steps, with the schedule, decay and seeds of the
encoder; no setting was searched for. The LSTM's learning rate and dropout are those of its source.
"""

import json
from collections.abc import Sequence

import pandas as pd

from stages.core.checkpoint_source import Checkpoint, locate
from stages.core.finished import forget_others, is_finished, result
from stages.core.runtime.runtime import find_device, read_runtime
from stages.core.stage.arms import TUNED
from stages.core.stage.places import examples_file
from stages.core.stage.settings import section
from stages.core.tasks.examples import read_examples
from stages.core.tasks.task import load_task, seeds_of
from stages.finetune.pair_baselines.run import (
    KINDS,
    RUNS,
    SETTINGS_FILE,
    PairBaselines,
    PairRun,
    make,
    settings_of,
)
from stages.finetune.processes import alone, places
from stages.finetune.run import PREDICTIONS_FILE, require_possible, sources_of, task_settings
from stages.finetune.side_by_side import side_by_side
from stages.finetune.stage import Bar
from stages.finetune.tables import PAIR_CLASSES, PAIR_PREDICTIONS, PAIR_SETTINGS


def run_stage(task: str, seed: int | None = None) -> None:
    """Tune an LSTM across the pair and two towers of the encoder on TASK, beside the encoder.

    Runs that are finished are kept. Killed and run again, the others go on from their last saved
    states, to the same bits.
    """
    runs = runs_of(task, seeds_of(task, seed))
    if seed is None:
        forget_others(RUNS / task, [run.key for run in runs])
    missing = [run for run in runs if not is_finished(run.scratch)]
    for run in runs:
        if run not in missing:
            print(f"{run}: kept, as nothing changed that it depends on")
    examples = len(read_examples(examples_file(task, "train")))
    for run in missing:
        require_possible(run, examples)
    if missing:
        with Bar(missing, examples) as bar:
            for _ in side_by_side(make, missing, places(read_runtime()), bar):
                pass
    write(task, runs)


def runs_of(task: str, seeds: Sequence[int]) -> list[PairRun]:
    """The runs of a task, model by model; each has a process for itself."""
    definition = load_task(task)
    parameters = section(PairBaselines, "pair_baselines")
    common = task_settings(task, definition).on(find_device(read_runtime().device))
    checkpoint = locate(section(Checkpoint, "checkpoint"))
    sources = sources_of(task, checkpoint)
    return [
        PairRun(
            task,
            TUNED,
            seed,
            definition,
            settings_of(kind, common, parameters),
            checkpoint,
            sources,
            alone(read_runtime()),
            kind,
            parameters.lstm.size,
        )
        for kind in KINDS
        for seed in seeds
    ]


def write(task: str, runs: Sequence[PairRun]) -> None:
    """Put the results of the runs to their places among the outs."""
    predictions, settings = [], {}
    for run in runs:
        table = pd.read_parquet(result(run.scratch, PREDICTIONS_FILE))
        predictions.append(table.assign(model=run.kind, seed=run.seed))
        facts = json.loads(result(run.scratch, SETTINGS_FILE).read_text(encoding="utf-8"))
        settings[run.kind] = {"model": run.kind} | facts
    PAIR_PREDICTIONS.write(predictions, compression="zstd", task=task)
    PAIR_SETTINGS.write(pd.DataFrame(settings.values()), task=task)
    names = pd.DataFrame({"name": load_task(task).label_names}, dtype=object)
    PAIR_CLASSES.write(names.assign(**{"class": range(len(names))}), task=task)
