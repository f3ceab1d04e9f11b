"""What the tables about heads say of an encoder that began with random weights.

Beside each head of the tuned encoder stands the same place in an encoder of the same geometry
that was tuned on the same task from random weights: how far tuning moved its maps (Kovaleva et al.
2019, section 4.3), and what turning it off does (section 4.6; query-title study, section 2.4.2).
What is found there as well is no work of pretraining.
"""

from pathlib import Path
from typing import Literal

import pandas as pd
from pydantic import PositiveInt

from stages.control.tables import DRIFT, GATES, HELD_OUT, MEANS
from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_tokenizer, load_tuned
from stages.core.finished import (
    files_in,
    finishing,
    forget_others,
    is_finished,
    result,
    run_folder,
)
from stages.core.grid.grid import Grid
from stages.core.grid.run import run_gates
from stages.core.heads.gates import single_heads
from stages.core.heads.seam import Gated
from stages.core.maps.similarity import cosines_by_head, similarities
from stages.core.outcomes.effects import fixed_tables
from stages.core.outcomes.outcomes import Outcomes, gate_table
from stages.core.runtime.runtime import Precision, read_runtime, start
from stages.core.scratch import code_of, open_scratch
from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED_FROM_RANDOM
from stages.core.stage.command import SeedsOption, TaskOption, stage_command
from stages.core.stage.places import SCRATCH, examples_file, model_folder
from stages.core.stage.settings import Resampled, section
from stages.core.tasks.examples import draw_examples, read_examples
from stages.core.tasks.metrics import predictions_from_logits
from stages.core.tasks.task import Task, load_task, seeds_of

RUNS = SCRATCH / "control"
# A change of these files makes kept tables void.
CODE = [
    *code_of("encoder/*.py", "grid/*.py", "heads/*.py", "intervals/*.py", "maps/similarity.py"),
    *code_of("outcomes/*.py", "runtime/*.py", "tasks/*.py", "fan_out.py"),
    Path(__file__),
]
READ = ("kind", "metrics", "max_length")  # of a task's entry
TABLES = {"gates": GATES, "means": MEANS, "held_out": HELD_OUT, "drift": DRIFT}


class Control(Resampled):
    """The section `control` of `params.yaml`."""

    modes: list[Literal["zero", "uniform"]]
    precision: Precision
    batch: PositiveInt
    examples: PositiveInt | None


def main(task: TaskOption, seed: SeedsOption = None) -> None:
    """Compare maps and turn off every head of the encoders that were tuned from random weights.

    Tables of a seed that are finished are kept. Killed and run again, it goes on with the first
    batch that was not finished.
    """
    parameters = section(Control, "control")
    definition = load_task(task)
    seeds = seeds_of(task, seed)
    if seed is None:
        forget_others(RUNS / task, map(str, seeds))
    runs = {}
    for tuned_with in seeds:
        folders = [
            model_folder(task, arm, tuned_with) for arm in (RANDOM_WEIGHTS, TUNED_FROM_RANDOM)
        ]
        runs[tuned_with] = run = run_folder(
            RUNS / task / str(tuned_with),
            [parameters.model_dump(), definition.model_dump(include=set(READ))],
            [
                *files_in(folders[0]),
                *files_in(folders[1]),
                examples_file(task, "validation"),
                *CODE,
            ],
            read_runtime(),
        )
        if is_finished(run):
            print(f"{task} {tuned_with}: kept, as nothing changed that it depends on")
        else:
            compare(task, folders, definition, parameters, run)
    for name, declared in TABLES.items():
        tables = [
            pd.read_parquet(result(run, f"{name}.parquet")).assign(seed=tuned_with)
            for tuned_with, run in runs.items()
        ]
        declared.write(tables, task=task)


def compare(
    task: str, folders: list[Path], definition: Task, parameters: Control, run: Path
) -> None:
    """Keep the tables of one encoder in the folder `run`, where finished batches are.

    Args:
        folders: of the models before and after tuning.
    """
    runtime = read_runtime()
    device = start(runtime, parameters.seed)
    validation = examples_file(task, "validation")
    before, after = (Gated(load_tuned(folder).to(device)) for folder in folders)
    examples = draw_examples(read_examples(validation), parameters.examples, parameters.seed)
    encoded = encode(load_tokenizer(folders[1]), examples, definition.max_length)
    resampling = (parameters.resamples, parameters.seed)

    cosines = similarities(before, after, encoded, parameters.batch, device)
    gates = [
        gate for mode in parameters.modes for gate in single_heads(after.layers, after.heads, mode)
    ]
    open_scratch(run)
    logits = run_gates(
        Grid(after, gates, precision=parameters.precision),
        encoded,
        parameters.batch,
        runtime,
        run / "heads",
        folders[1],
    )
    predictions = (predictions_from_logits(part, definition.kind) for part in logits)
    labels = examples["label"].to_numpy(dtype=float)
    table = gate_table(gates, parameters.precision)
    outcomes = Outcomes(table, definition.metrics[0], labels, *predictions)
    tables = fixed_tables(outcomes, *resampling)
    tables["drift"] = cosines_by_head(cosines, *resampling)
    with finishing(run) as folder:
        for name in TABLES:
            tables[name].to_parquet(folder / f"{name}.parquet", index=False)


if __name__ == "__main__":
    stage_command(main)
