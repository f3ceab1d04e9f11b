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
from stages.core.grid.grid import Grid, mean_outputs
from stages.core.grid.run import run_gates
from stages.core.heads.gates import Gate, Mode, random_shares, single_heads, whole_layers
from stages.core.heads.seam import Gated
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
    random_gates = [
        gate
        for mode in parameters.modes
        for gate in random_shares(*size, mode, parameters.shares, parameters.draws, parameters.seed)
    ]
    with atomic(outcomes_folder(task, seed)) as folder:
        fixed = fixed_gates(*size, parameters.modes)
        keep_outcomes(folder / "fixed", fixed, parameters.examples)
        keep_outcomes(folder / "shares", random_gates, parameters.share_examples)
    remove(RUNS / key)


if __name__ == "__main__":
    stage_command(main)
