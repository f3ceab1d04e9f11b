"""Turn heads off and see what it does (Kovaleva et al. 2019, 4.6; query-title study, 2.1, 2.4.2).

Every head, every layer, and random shares of the heads of all, the lower and the upper layers, in
the modes zero, uniform and mean, on one task's tuned encoder. The outcome of every gate on every
example is kept; the stage `effects` turns them into effects with intervals.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_tokenizer, load_tuned
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
from stages.core.heads.gates import Gate, Mode, random_shares, single_heads, whole_layers
from stages.core.heads.seam import Gated
from stages.core.outcomes.outcomes import write_outcomes
from stages.core.runtime.runtime import Precision, read_runtime, start
from stages.core.scratch import code_of, open_scratch
from stages.core.stage.arms import TUNED
from stages.core.stage.command import SeedsOption, TaskOption, stage_command
from stages.core.stage.places import SCRATCH, examples_file, model_folder, outcomes_folder
from stages.core.stage.settings import Parameters, section
from stages.core.tasks.examples import draw_examples, read_examples
from stages.core.tasks.task import Task, load_task, seeds_of

RUNS = SCRATCH / "ablate"
# A change of these files makes kept outcomes void.
CODE = [
    *code_of("encoder/*.py", "grid/*.py", "heads/*.py", "runtime/*.py", "tasks/*.py"),
    *code_of("fan_out.py", "outcomes/outcomes.py"),
    Path(__file__),
]
OUTCOMES = "outcomes"  # among the results of a run


class Ablate(Parameters):
    """The section `ablate` of `params.yaml`."""

    modes: list[Mode]
    precision: Precision
    batch: PositiveInt
    examples: PositiveInt | None
    reference: PositiveInt
    shares: list[Annotated[PositiveFloat, Field(le=1)]]
    draws: PositiveInt
    share_examples: PositiveInt | None
    seed: NonNegativeInt


def fixed_gates(layers: int, heads: int, modes: Sequence[Mode]) -> list[Gate]:
    """Every head and every layer, in every mode."""
    return [
        gate
        for mode in modes
        for family in (single_heads, whole_layers)
        for gate in family(layers, heads, mode)
    ]


def main(task: TaskOption, seed: SeedsOption = None) -> None:
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
                *CODE,
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
    random_gates = [
        gate
        for mode in parameters.modes
        for gate in random_shares(*size, mode, parameters.shares, parameters.draws, parameters.seed)
    ]
    open_scratch(run)
    with finishing(run) as folder:
        fixed = fixed_gates(*size, parameters.modes)
        keep_outcomes(folder / OUTCOMES / "fixed", fixed, parameters.examples)
        keep_outcomes(folder / OUTCOMES / "shares", random_gates, parameters.share_examples)


if __name__ == "__main__":
    stage_command(main)
