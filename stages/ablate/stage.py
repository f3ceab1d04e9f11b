"""Turn heads off and see what it does (Kovaleva et al. 2019, 4.6; query-title study, 2.1, 2.4.2).

Every head, every layer, and random shares of the heads of all, the lower and the upper layers, in
the modes zero, uniform and mean, on one task's tuned encoder. The outcome of every gate on every
example is kept; the stage `effects` turns them into effects with intervals.
"""

from pathlib import Path

from pydantic import NonNegativeInt, PositiveInt, model_validator

from stages.core.closure import code_run_by
from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_tuned
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.finished import (
    files_in,
    finishing,
    forget_others,
    is_finished,
    publish,
    result,
    run_folder,
)
from stages.core.grid.grid import Grid, mean_outputs
from stages.core.grid.run import run_gates
from stages.core.heads.gates import Gate, Mode
from stages.core.heads.seam import Gated
from stages.core.outcomes.modes import Half, Share, Sizes, fixed_gates, random_gates
from stages.core.outcomes.outcomes import write_outcomes
from stages.core.runtime.runtime import Precision, read_runtime, start
from stages.core.scratch import open_scratch
from stages.core.stage.arms import TUNED
from stages.core.stage.places import SCRATCH, examples_file, model_folder, outcomes_folder
from stages.core.stage.settings import Parameters, section
from stages.core.tasks.examples import draw_examples, read_examples
from stages.core.tasks.task import Task, load_task, seeds_of

RUNS = SCRATCH / "ablate"
OUTCOMES = "outcomes"  # among the results of a run


class ForTask(Parameters):
    """What a task has in place of some of the sizes of a mode."""

    task: str
    mode: Mode
    examples: PositiveInt | None = None
    shares: list[Share] = []
    half_shares: list[Half] = []
    draws: PositiveInt = 1
    share_examples: PositiveInt | None = None


class Ablate(Parameters, section="ablate"):
    """The section `ablate` of `params.yaml`."""

    modes: list[Mode]
    sizes: dict[Mode, Sizes]
    for_tasks: list[ForTask]
    precision: Precision
    batch: PositiveInt
    reference: PositiveInt
    seed: NonNegativeInt

    @model_validator(mode="after")
    def _fits_together(self) -> "Ablate":
        if lacking := set(self.modes) - set(self.sizes):
            raise ValueError(f"`sizes` lacks the modes {', '.join(sorted(lacking))}; add them")
        if not any(self.sizes[mode].shares for mode in self.modes):
            raise ValueError("no mode has `shares`; give at least one mode some")
        return self

    def sizes_for(self, task: str, mode: Mode) -> Sizes:
        """The sizes of a mode on a task."""
        sizes = self.sizes[mode]
        for own in self.for_tasks:
            if (own.task, own.mode) == (task, mode):
                changes = own.model_dump(exclude_unset=True, exclude={"task", "mode"})
                sizes = sizes.model_copy(update=changes)
        return sizes


def run_stage(task: str, seed: int | None = None) -> None:
    """Turn off every head, every layer and random shares of the heads of the tuned encoders.

    Outcomes of a seed that are finished are kept. Killed and run again, it goes on with the first
    batch that was not finished.
    """
    parameters = section(Ablate, "ablate")
    definition = load_task(task)
    seeds = seeds_of(task, seed)
    if seed is None:
        forget_others(RUNS / task, map(str, seeds))
    for tuned_with in seeds:
        run = run_folder(
            RUNS / task / str(tuned_with),
            [parameters.model_dump(), definition.max_length],
            [
                *files_in(model_folder(task, TUNED, tuned_with)),
                *(examples_file(task, split) for split in ("train", "validation")),
                *code_run_by(__name__),
            ],
            read_runtime(),
        )
        if is_finished(run):
            print(f"{task} {tuned_with}: kept, as nothing changed that it depends on")
        else:
            turn_off(task, tuned_with, definition, parameters, run)
        publish(result(run, OUTCOMES), outcomes_folder(task, tuned_with))


def turn_off(task: str, seed: int, definition: Task, parameters: Ablate, run: Path) -> None:
    """Keep the outcomes of one tuned encoder in the folder `run`, where finished batches are."""
    runtime = read_runtime()
    device = start(runtime, parameters.seed)
    model = model_folder(task, TUNED, seed)

    tokenizer = load_tokenizer(model)
    gated = Gated(load_tuned(model).to(device))
    validation = read_examples(examples_file(task, "validation"))
    train = read_examples(examples_file(task, "train"))
    reference = draw_examples(train, parameters.reference, parameters.seed)
    encoded_reference = encode(tokenizer, reference, definition.max_length)
    means = mean_outputs(gated, encoded_reference.batches(parameters.batch, device))

    def keep_outcomes(folder: Path, gates: list[Gate], count: int | None) -> None:
        """Run the gates on `count` examples."""
        examples = draw_examples(validation, count, parameters.seed)
        logits = run_gates(
            Grid(gated, gates, means, parameters.precision),
            encode(tokenizer, examples, definition.max_length),
            parameters.batch,
            runtime,
            run / folder.name,
            model,
        )
        write_outcomes(folder, gates, examples, *logits, parameters.precision)

    size = (gated.layers, gated.heads)
    open_scratch(run)
    with finishing(run) as folder:
        for mode in parameters.modes:
            sizes = parameters.sizes_for(task, mode)
            fixed = fixed_gates(*size, mode)
            keep_outcomes(folder / OUTCOMES / f"fixed-{mode}", fixed, sizes.examples)
            shares, draws = (sizes.shares, sizes.half_shares), sizes.draws
            drawn = random_gates(*size, mode, *shares, draws, parameters.seed)
            if gates := list(drawn):
                keep_outcomes(folder / OUTCOMES / f"shares-{mode}", gates, sizes.share_examples)
