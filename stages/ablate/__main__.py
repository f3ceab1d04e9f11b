"""Turn heads off and see what it does (Kovaleva et al. 2019, 4.6; query-title study, 2.1, 2.4.2).

Every head, every layer, and random shares of the heads of all, the lower and the upper layers, in
the modes zero, uniform and mean, on one task's tuned encoder. The outcome of every gate on every
example is kept; the stage `effects` turns them into effects with intervals.
"""

from pathlib import Path

from pydantic import NonNegativeInt, PositiveInt, model_validator

from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_tokenizer, load_tuned
from stages.core.grid.grid import Grid, mean_outputs
from stages.core.grid.run import run_gates
from stages.core.heads.gates import Gate, Mode
from stages.core.heads.seam import Gated
from stages.core.outcomes.modes import Share, Sizes, fixed_gates, random_gates
from stages.core.outcomes.outcomes import write_outcomes
from stages.core.runtime.runtime import Precision, read_runtime, start
from stages.core.stage.arms import TUNED
from stages.core.stage.command import SeedOption, TaskOption, stage_command
from stages.core.stage.files import atomic, remove
from stages.core.stage.places import SCRATCH, examples_file, model_folder, outcomes_folder
from stages.core.stage.settings import Parameters, section
from stages.core.tasks.examples import draw_examples, read_examples
from stages.core.tasks.task import load_task

RUNS = SCRATCH / "ablate"


class ForTask(Parameters):
    """What a task has in place of some of the sizes of a mode."""

    task: str
    mode: Mode
    examples: PositiveInt | None = None
    shares: list[Share] = []
    draws: PositiveInt = 1
    share_examples: PositiveInt | None = None


class Ablate(Parameters):
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


def main(task: TaskOption, seed: SeedOption) -> None:
    """Turn off every head, every layer and random shares of the heads of a tuned encoder.

    Killed and run again, it goes on with the first batch that was not finished.
    """
    parameters = section(Ablate, "ablate")
    definition = load_task(task)
    runtime = read_runtime()
    device = start(runtime, parameters.seed)
    key = f"{task}-{seed}"
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
            RUNS / key / folder.name,
            model,
        )
        write_outcomes(folder, gates, examples, *logits, parameters.precision)

    size = (gated.layers, gated.heads)
    with atomic(outcomes_folder(task, seed)) as folder:
        for mode in parameters.modes:
            sizes = parameters.sizes_for(task, mode)
            keep_outcomes(folder / f"fixed-{mode}", fixed_gates(*size, mode), sizes.examples)
            drawn = random_gates(*size, mode, sizes.shares, sizes.draws, parameters.seed)
            if gates := list(drawn):
                keep_outcomes(folder / f"shares-{mode}", gates, sizes.share_examples)
    remove(RUNS / key)


if __name__ == "__main__":
    stage_command(main)
