"""What the tables about heads say of an encoder that began with random weights.

Beside each head of the tuned encoder stands the same place in an encoder of the same geometry
that was tuned on the same task from random weights: how far tuning moved its maps (Kovaleva et al.
2019, section 4.3), and what turning it off does (section 4.6; query-title study, section 2.4.2).
What is found there as well is no work of pretraining.
"""

from typing import Literal

from pydantic import PositiveInt

from stages.control.tables import DRIFT, GATES, HELD_OUT, MEANS
from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_tokenizer, load_tuned
from stages.core.grid.grid import Grid
from stages.core.grid.run import run_gates
from stages.core.heads.gates import single_heads
from stages.core.heads.seam import Gated
from stages.core.maps.similarity import cosines_by_head, similarities
from stages.core.outcomes.effects import fixed_tables
from stages.core.outcomes.outcomes import Outcomes, gate_table
from stages.core.runtime.runtime import Precision, read_runtime, start
from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED_FROM_RANDOM
from stages.core.stage.command import SeedOption, TaskOption, stage_command
from stages.core.stage.files import remove
from stages.core.stage.places import SCRATCH, examples_file, model_folder
from stages.core.stage.settings import Resampled, section
from stages.core.tasks.examples import draw_examples, read_examples
from stages.core.tasks.metrics import predictions_from_logits
from stages.core.tasks.task import load_task

RUNS = SCRATCH / "control"


class Control(Resampled):
    """The section `control` of `params.yaml`."""

    modes: list[Literal["zero", "uniform"]]
    precision: Precision
    batch: PositiveInt
    examples: PositiveInt | None


def main(task: TaskOption, seed: SeedOption) -> None:
    """Compare maps and turn off every head of the encoder that was tuned from random weights.

    Killed and run again, it goes on with the first batch that was not finished.
    """
    parameters = section(Control, "control")
    definition = load_task(task)
    runtime = read_runtime()
    device = start(runtime, parameters.seed)
    folders = [model_folder(task, arm, seed) for arm in (RANDOM_WEIGHTS, TUNED_FROM_RANDOM)]
    validation = examples_file(task, "validation")
    before, after = (Gated(load_tuned(folder).to(device)) for folder in folders)
    examples = draw_examples(read_examples(validation), parameters.examples, parameters.seed)
    encoded = encode(load_tokenizer(folders[1]), examples, definition.max_length)
    resampling = (parameters.resamples, parameters.seed)

    cosines = similarities(before, after, encoded, parameters.batch, device)
    gates = [
        gate for mode in parameters.modes for gate in single_heads(after.layers, after.heads, mode)
    ]
    key = f"{task}-{seed}"
    logits = run_gates(
        Grid(after, gates, precision=parameters.precision),
        encoded,
        parameters.batch,
        runtime,
        RUNS / key / "heads",
        folders[1],
    )
    predictions = (predictions_from_logits(part, definition.kind) for part in logits)
    labels = examples["label"].to_numpy(dtype=float)
    table = gate_table(gates, parameters.precision)
    outcomes = Outcomes(table, definition.metrics[0], labels, *predictions)
    DRIFT.write(cosines_by_head(cosines, *resampling), task=task, seed=seed)
    tables = fixed_tables(outcomes, *resampling)
    GATES.write(tables["gates"], task=task, seed=seed)
    MEANS.write(tables["means"], task=task, seed=seed)
    HELD_OUT.write(tables["held_out"], task=task, seed=seed)
    remove(RUNS / key)


if __name__ == "__main__":
    stage_command(main)
