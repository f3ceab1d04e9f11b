"""Heads that match equal terms across a pair (query-title study, 2.4: T7, T8 and T10).

Of the lower half of the layers, the heads that give most to the equal term across the pair beyond
chance are found on training examples (`terms`, `choosing`). On validation examples it is measured
what tuning does to them, what the task loses without them and without others (`turning_off`), and
what becomes of the [CLS] row of the high head that reads them (`reading`). Beside the tuned encoder
stand the one that it was tuned from, one of random weights, and the one that was tuned from these.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
from pydantic import Field, PositiveInt

from stages.core.closure import code_run_by
from stages.core.control_seeds import control_seeds
from stages.core.encoder.checkpoint import load_tuned
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
from stages.core.outcomes.deciding import deciding_metric
from stages.core.outcomes.modes import Share
from stages.core.outcomes.outcomes import write_outcomes
from stages.core.runtime.runtime import Precision, Runtime, read_runtime, start
from stages.core.scratch import open_scratch
from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED, TUNED_FROM_RANDOM, UNTUNED, Arm
from stages.core.stage.places import SCRATCH, examples_file, model_folder
from stages.core.stage.settings import Resampled, section
from stages.core.tasks.task import Task, load_task, seeds_of
from stages.matching.choosing import Chosen, choose, random_like
from stages.matching.examples import TRAIN, Pairs, read_pairs
from stages.matching.reading import loss_without, read_by
from stages.matching.results import Result, write_tables
from stages.matching.tables import ALL, DRAWS
from stages.matching.terms import (
    PLANES,
    Planes,
    Unit,
    plane_sums,
)
from stages.matching.turning_off import MODE, draws_of, gates_on_all, gates_with_draws

RUNS = SCRATCH / "matching"
# Of this room: `results` makes tables of what is kept.
READ = ("kind", "metrics", "max_length")  # of a task's entry


class Matching(Resampled, section="matching"):
    """The section `matching` of `params.yaml`."""

    tasks: list[str]
    unit: Unit
    frequent: Annotated[float, Field(gt=0, lt=1)] | None
    share: Share
    reading_share: Share
    find_examples: PositiveInt | None
    examples: PositiveInt | None
    draws: PositiveInt
    kept_draws: PositiveInt
    reading_draws: PositiveInt
    draw_examples: PositiveInt | None
    precision: Precision
    map_batch: PositiveInt
    batch: PositiveInt


@dataclass(frozen=True)
class Run:
    """One encoder: its place, the seeds of its task, and the folder of its results."""

    task: str
    arm: Arm
    seed: int
    seeds: Sequence[int]
    definition: Task
    parameters: Matching
    runtime: Runtime

    @property
    def key(self) -> str:
        return f"{self.arm}-{self.seed}"

    @property
    def is_tuned(self) -> bool:
        return self.arm in (TUNED, TUNED_FROM_RANDOM)

    @property
    def model(self) -> Path:
        return model_folder(self.task, self.arm, self.seed)

    @cached_property
    def folder(self) -> Path:
        """Where its results are kept, named by all that they depend on."""
        draws = list(draws_of(self.parameters.draws, self.seeds, self.seed))
        return run_folder(
            RUNS / self.task / self.key,
            [
                self.parameters.model_dump(exclude={"tasks", "resamples"}),
                self.definition.model_dump(include=set(READ)),
                draws if self.is_tuned else [],
            ],
            [
                *files_in(self.model),
                *(examples_file(self.task, split) for split in ("train", "validation")),
                *code_run_by(__name__),
            ],
            self.runtime,
        )


def run_stage(task: str, seed: int | None = None) -> None:
    """Find the heads that match equal terms across the pairs of TASK, and turn them off.

    What is finished of an encoder is kept. Killed and run again, it goes on with the first batch of
    the encoder that was not finished.
    """
    parameters = section(Matching, "matching")
    definition = load_task(task)
    all_seeds, seeds = seeds_of(task), seeds_of(task, seed)
    runtime = read_runtime()
    at_random = [own for own in control_seeds(all_seeds) if own in seeds]
    # The checkpoint as it is has the same maps under whichever fresh classifier.
    arms: dict[Arm, list[int]] = {
        UNTUNED: seeds[:1],
        RANDOM_WEIGHTS: at_random,
        TUNED: seeds,
        TUNED_FROM_RANDOM: at_random,
    }
    runs = [
        Run(task, arm, own, all_seeds, definition, parameters, runtime)
        for arm, with_seeds in arms.items()
        for own in with_seeds
    ]
    if seed is None:
        forget_others(RUNS / task, [run.key for run in runs])
    for run in runs:
        if is_finished(run.folder):
            print(f"{task} {run.key}: kept, as nothing changed that it depends on")
        else:
            measure(run)
    results = [Result.read(run.arm, run.seed, result(run.folder)) for run in runs]
    metric = deciding_metric(definition)
    write_tables(results, metric, definition.kind, parameters.resamples, parameters.seed, task)


def measure(run: Run) -> None:
    """Keep what is measured of one encoder in its folder, where finished batches are."""
    parameters = run.parameters
    device = start(run.runtime, parameters.seed)
    pairs = read_pairs(
        run.task,
        run.model,
        run.definition.max_length,
        parameters.unit,
        parameters.frequent,
        {
            TRAIN: parameters.find_examples,
            ALL: parameters.examples,
            DRAWS: parameters.draw_examples,
        },
        parameters.seed,
    )
    gated = Gated(load_tuned(run.model).to(device))
    open_scratch(run.folder)
    figures = {
        name: plane_sums(
            gated,
            pairs[name].encoded,
            Planes(pairs[name].terms),
            parameters.map_batch,
            device,
            f"{run.task} {run.key} {name}",
        )
        for name in (TRAIN, ALL)
    }
    chosen = choose(figures[TRAIN], parameters.share, parameters.reading_share)
    with finishing(run.folder) as folder:
        for name, values in figures.items():
            np.save(folder / f"{name}.npy", values)
        facts = chosen._asdict() | {"planes": list(PLANES), "reader": None, "loss": None}
        if run.is_tuned:
            facts |= turn_off(run, gated, chosen, pairs, folder, device)
        (folder / "heads.json").write_text(json.dumps(facts), encoding="utf-8")


def turn_off(
    run: Run,
    gated: Gated,
    chosen: Chosen,
    pairs: dict[str, Pairs],
    folder: Path,
    device: torch.device,
) -> dict:
    """Keep the outcomes of gates, and the [CLS] rows of the head that reads.

    Returns:
        The head that reads, and how much the loss rises without it; empty where there is none.
    """
    parameters, size = run.parameters, (gated.layers, gated.heads)
    matching = chosen.matching
    draws, kept = (
        draws_of(count, run.seeds, run.seed) for count in (parameters.draws, parameters.kept_draws)
    )
    gates = {
        ALL: gates_on_all(*size, matching),
        DRAWS: gates_with_draws(*size, matching, draws, kept, parameters.seed),
    }

    def engine(name: str) -> tuple:
        return parameters.batch, run.runtime, run.folder / name, run.model

    for name, own in gates.items():
        if own:
            grid = Grid(gated, own, precision=parameters.precision)
            logits = run_gates(grid, pairs[name].encoded, *engine(name))
            write_outcomes(folder / name, own, pairs[name].examples, *logits, parameters.precision)
    if not (matching and chosen.candidates):
        return {}
    to_find = pairs[TRAIN]
    rises = loss_without(
        gated,
        chosen.candidates,
        to_find.encoded,
        to_find.labels,
        run.definition.kind,
        parameters.precision,
        *engine("candidates"),
    )
    reader = chosen.candidates[int(rises.argmax())]
    random = [
        Gate(MODE, random_like(matching, gated.heads, draw, parameters.seed), "random")
        for draw in draws[: parameters.reading_draws]
    ]
    conditions = [None, Gate(MODE, tuple(sorted(matching)), "matching"), *random]
    some = pairs[DRAWS]
    rows = read_by(
        gated, reader, conditions, some.encoded, some.terms, parameters.map_batch, device
    )
    np.save(folder / "reading.npy", rows)
    return {"reader": reader, "loss": float(rises.max())}
