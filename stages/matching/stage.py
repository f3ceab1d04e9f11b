"""Heads that match equal terms across a pair (query-title study, 2.4: T7, T8 and T10).

Training examples select heads of the lower half that attend to the equal term of the other text
beyond chance (`terms`, `selection`). Validation examples measure how tuning changes these heads,
how the task changes without them (`gates`), and how the [CLS] row of the high head that reads them
changes (`reading`). The arms are the tuned model, its untuned model, and both from random weights.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import torch
from pydantic import Field, PositiveInt

from stages.core.control_seeds import control_seeds
from stages.core.encoder.checkpoint import load_tuned
from stages.core.grid.grid import Grid
from stages.core.grid.run import run_gates
from stages.core.heads.gates import Gate, Head
from stages.core.heads.seam import Gated
from stages.core.outcomes.deciding import deciding_metric
from stages.core.outcomes.modes import Share
from stages.core.outcomes.outcomes import Outcomes, gate_table, outcomes_of_logits
from stages.core.pieces import resumable
from stages.core.runtime.runtime import Precision, Runtime, read_runtime, start
from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED, TUNED_FROM_RANDOM, UNTUNED, Arm
from stages.core.stage.places import model_folder
from stages.core.stage.settings import Resampled, section
from stages.core.tasks.task import Task, load_task, seeds_of
from stages.matching.examples import TRAIN, TermPairs, read_pairs
from stages.matching.gates import MODE, draws_of, gates_on_all, gates_with_draws
from stages.matching.reading import loss_rises, read_by
from stages.matching.results import MatchingResult, ReadingHead, write_results
from stages.matching.selection import SelectedHeads, random_like, select_heads
from stages.matching.tables import ALL, DRAWS
from stages.matching.terms import Planes, Unit, plane_sums


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
class Encoder:
    """One encoder of a task, and the seeds of the task.

    Attributes:
        state: folder for finished batches.
    """

    task: str
    arm: Arm
    seed: int
    seeds: Sequence[int]
    definition: Task
    parameters: Matching
    runtime: Runtime
    state: Path

    @property
    def is_tuned(self) -> bool:
        return self.arm in (TUNED, TUNED_FROM_RANDOM)

    @property
    def model(self) -> Path:
        return model_folder(self.task, self.arm, self.seed)

    def engine(self, name: str) -> tuple[int, Runtime, Path, Path]:
        """The last arguments of `run_gates` for the grid of this name."""
        return self.parameters.batch, self.runtime, self.state / name, self.model


def run_stage(task: str, seed: int | None = None) -> None:
    """Select the heads that match equal terms across the pairs of TASK, and ablate them.

    Killed and run again, it takes finished batches of grids from `work/scratch`.
    """
    parameters = section(Matching, "matching")
    definition = load_task(task)
    all_seeds, seeds = seeds_of(task), seeds_of(task, seed)
    runtime = read_runtime()
    at_random = [number for number in control_seeds(all_seeds) if number in seeds]
    # Untuned models of different seeds share the encoder, so their maps are equal.
    arms: dict[Arm, list[int]] = {
        UNTUNED: seeds[:1],
        RANDOM_WEIGHTS: at_random,
        TUNED: seeds,
        TUNED_FROM_RANDOM: at_random,
    }
    with resumable("matching", task) as state:
        results = [
            measure_model(
                Encoder(
                    task,
                    arm,
                    with_seed,
                    all_seeds,
                    definition,
                    parameters,
                    runtime,
                    state / f"{arm}-{with_seed}",
                )
            )
            for arm, with_seeds in arms.items()
            for with_seed in with_seeds
        ]
        write_results(results, parameters.resamples, parameters.seed, task)


def measure_model(encoder: Encoder) -> MatchingResult:
    """The figures of all heads, the selected heads, and the outcomes without them."""
    parameters = encoder.parameters
    device = start(encoder.runtime, parameters.seed)
    pairs = read_pairs(
        encoder.task,
        encoder.model,
        encoder.definition.max_length,
        parameters.unit,
        parameters.frequent,
        {
            TRAIN: parameters.find_examples,
            ALL: parameters.examples,
            DRAWS: parameters.draw_examples,
        },
        parameters.seed,
    )
    gated = Gated(load_tuned(encoder.model).to(device))
    figures = {
        name: plane_sums(
            gated,
            pairs[name].encoded,
            Planes(pairs[name].terms),
            parameters.map_batch,
            device,
            f"{encoder.task} {encoder.arm}-{encoder.seed} {name}",
        )
        for name in (TRAIN, ALL)
    }
    selected = select_heads(figures[TRAIN], parameters.share, parameters.reading_share)
    outcomes, reading = {}, None
    if encoder.is_tuned:
        outcomes = outcomes_without(encoder, gated, selected.matching, pairs)
        if selected.matching and selected.candidates:
            reading = select_reading_head(encoder, gated, selected, pairs, device)
    return MatchingResult(
        encoder.arm, encoder.seed, figures[TRAIN], figures[ALL], selected, outcomes, reading
    )


def outcomes_without(
    encoder: Encoder, gated: Gated, matching: Sequence[Head], pairs: dict[str, TermPairs]
) -> dict[str, Outcomes]:
    """The outcomes of gates, by the name of the sample; a sample without gates is left out."""
    parameters, size = encoder.parameters, (gated.layers, gated.heads)
    draws, rest_draws = (
        draws_of(count, encoder.seeds, encoder.seed)
        for count in (parameters.draws, parameters.kept_draws)
    )
    gates = {
        ALL: gates_on_all(*size, matching),
        DRAWS: gates_with_draws(*size, matching, draws, rest_draws, parameters.seed),
    }
    metric, kind = deciding_metric(encoder.definition), encoder.definition.kind
    outcomes = {}
    for name, some in gates.items():
        if some:
            grid = Grid(gated, some, precision=parameters.precision)
            logits = run_gates(grid, pairs[name].encoded, *encoder.engine(name))
            labels = pairs[name].examples["label"].to_numpy(dtype=float)
            table = gate_table(some, parameters.precision)
            outcomes[name] = outcomes_of_logits(table, labels, logits, metric, kind)
    return outcomes


def select_reading_head(
    encoder: Encoder,
    gated: Gated,
    selected: SelectedHeads,
    pairs: dict[str, TermPairs],
    device: torch.device,
) -> ReadingHead:
    """The candidate whose ablation raises the loss most, and its [CLS] rows."""
    parameters, to_find = encoder.parameters, pairs[TRAIN]
    rises = loss_rises(
        gated,
        selected.candidates,
        to_find.encoded,
        to_find.labels,
        encoder.definition.kind,
        parameters.precision,
        *encoder.engine("candidates"),
    )
    reader = selected.candidates[int(rises.argmax())]
    draws = draws_of(parameters.draws, encoder.seeds, encoder.seed)[: parameters.reading_draws]
    random = [
        Gate(MODE, random_like(selected.matching, gated.heads, draw, parameters.seed), "random")
        for draw in draws
    ]
    conditions = [None, Gate(MODE, tuple(sorted(selected.matching)), "matching"), *random]
    some = pairs[DRAWS]
    rows = read_by(
        gated, reader, conditions, some.encoded, some.terms, parameters.map_batch, device
    )
    return ReadingHead(reader, float(rises.max()), rows)
