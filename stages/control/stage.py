"""What the tables about heads say of an encoder that began with random weights.

Beside each head of the tuned encoder stands the same place in an encoder of the same geometry
that was tuned on the same task from random weights: how far tuning moved its maps (Kovaleva et al.
2019, section 4.3), and what turning it off does (section 4.6; query-title study, section 2.4.2).
What is found there as well is no work of pretraining.
"""

from collections import defaultdict
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import Field, PositiveInt

from stages.control.tables import CURVES, GAPS, GATES, HELD_OUT, MEANS
from stages.core.closure import code_run_by
from stages.core.control_seeds import control_seeds, require_control_seed
from stages.core.encoder.batches import Encoded, encode
from stages.core.encoder.checkpoint import load_tuned
from stages.core.encoder.tokenizer import load_tokenizer
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
from stages.core.heads.gates import Gate
from stages.core.heads.seam import Gated
from stages.core.outcomes.deciding import effect_metrics
from stages.core.outcomes.effects import fixed_tables, random_tables
from stages.core.outcomes.modes import Half, Share, fixed_gates, random_gates
from stages.core.outcomes.outcomes import Outcomes, gate_table
from stages.core.runtime.runtime import Precision, read_runtime, start
from stages.core.scratch import open_scratch
from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED_FROM_RANDOM
from stages.core.stage.places import SCRATCH, examples_file, model_folder
from stages.core.stage.settings import Resampled, section
from stages.core.tasks.examples import draw_examples, read_examples
from stages.core.tasks.metrics import predictions_from_logits
from stages.core.tasks.task import Task, load_task, seeds_of

RUNS = SCRATCH / "control"
READ = ("kind", "metrics", "max_length")  # of a task's entry
TABLES = {
    "gates": GATES,
    "means": MEANS,
    "held_out": HELD_OUT,
    "curves": CURVES,
    "gaps": GAPS,
}


class Control(Resampled, section="control"):
    """The section `control` of `params.yaml`."""

    modes: list[Literal["zero", "uniform"]]
    precision: Precision
    batch: PositiveInt
    examples: PositiveInt | None
    shares: Annotated[list[Share], Field(min_length=1)]
    half_shares: list[Half]
    draws: PositiveInt
    share_examples: PositiveInt | None
    splits: PositiveInt


def run_stage(task: str, seed: int | None = None) -> None:
    """Compare maps and turn heads off in the encoders that were tuned from random weights.

    Every head and every layer alone in each mode, and random shares of heads in the mode zero.
    Tables of a seed that are finished are kept. Killed and run again, it goes on with the first
    batch that was not finished.
    """
    parameters = section(Control, "control")
    definition = load_task(task)
    every, seeds = seeds_of(task), seeds_of(task, seed)
    if seed is None:
        seeds = control_seeds(every)
        forget_others(RUNS / task, map(str, seeds))
    else:
        require_control_seed(task, every, seed)
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
                *code_run_by(__name__),
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
        drawn = [np.load(result(run, f"{name}.npy")) for run in runs.values()]
        declared.write(tables, drawn, task=task)


def compare(
    task: str, folders: list[Path], definition: Task, parameters: Control, run: Path
) -> None:
    """Keep the tables of one encoder in the folder `run`, where finished batches are.

    Args:
        folders: of the models before and after tuning.
    """
    runtime = read_runtime()
    device = start(runtime, parameters.seed)
    validation = read_examples(examples_file(task, "validation"))
    after = Gated(load_tuned(folders[1]).to(device))
    tokenizer, size = load_tokenizer(folders[1]), (after.layers, after.heads)
    resampling = {"resamples": parameters.resamples, "seed": parameters.seed}

    def encoded(count: int | None) -> tuple[Float[np.ndarray, " example"], Encoded]:
        """The labels and the inputs of `count` examples."""
        examples = draw_examples(validation, count, parameters.seed)
        labels = examples["label"].to_numpy(dtype=float)
        return labels, encode(tokenizer, examples, definition.max_length)

    def outcomes(name: str, gates: list[Gate], count: int | None) -> list[Outcomes]:
        """The outcomes of gates on `count` examples, in each metric."""
        labels, inputs = encoded(count)
        grid = Grid(after, gates, precision=parameters.precision)
        logits = run_gates(grid, inputs, parameters.batch, runtime, run / name, folders[1])
        predictions = [predictions_from_logits(part, definition.kind) for part in logits]
        table = gate_table(gates, parameters.precision)
        metrics = effect_metrics(definition)
        return [Outcomes(table, metric, labels, *predictions) for metric in metrics]

    open_scratch(run)
    found = defaultdict(list)
    fixed = [gate for mode in parameters.modes for gate in fixed_gates(*size, mode)]
    of_all, of_halves = parameters.shares, parameters.half_shares
    shares = random_gates(*size, "zero", of_all, of_halves, parameters.draws, parameters.seed)
    of_metrics = [
        fixed_tables(own, splits=parameters.splits, arm=TUNED_FROM_RANDOM, **resampling)
        for own in outcomes("fixed", fixed, parameters.examples)
    ]
    of_metrics += [
        random_tables(own, **resampling)
        for own in outcomes("shares", list(shares), parameters.share_examples)
    ]
    for tables in of_metrics:
        for name, table in tables.items():
            found[name].append((table.rows, table.drawn))
    with finishing(run) as folder:
        for name in TABLES:
            rows, resampled = zip(*found[name], strict=True)
            pd.concat(rows).to_parquet(folder / f"{name}.parquet", index=False)
            np.save(folder / f"{name}.npy", np.concatenate(resampled, axis=1).astype(np.float32))
