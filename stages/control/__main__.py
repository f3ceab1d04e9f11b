"""What the tables about heads say of an encoder that began with random weights.

Beside each head of the tuned encoder stands the same place in an encoder of the same geometry
that was tuned on the same task from random weights: how far tuning moved its maps (Kovaleva et al.
2019, section 4.3), and what turning it off does (section 4.6; query-title study, section 2.4.2).
What is found there as well is no work of pretraining.
"""

from typing import Annotated, Literal

import numpy as np
from jaxtyping import Float
from pydantic import Field, PositiveInt

from stages.control.tables import CURVES, DRIFT, GAPS, GATES, HELD_OUT, MEANS
from stages.core.encoder.batches import Encoded, encode
from stages.core.encoder.checkpoint import load_tokenizer, load_tuned
from stages.core.grid.grid import Grid
from stages.core.grid.run import run_gates
from stages.core.heads.gates import Gate
from stages.core.heads.seam import Gated
from stages.core.maps.similarity import cosines_by_head, similarities
from stages.core.outcomes.deciding import effect_metrics
from stages.core.outcomes.effects import fixed_tables, random_tables, write_drawn
from stages.core.outcomes.modes import Share, fixed_gates, random_gates
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
    shares: Annotated[list[Share], Field(min_length=1)]
    draws: PositiveInt
    share_examples: PositiveInt | None
    splits: PositiveInt


def main(task: TaskOption, seed: SeedOption) -> None:
    """Compare maps and turn heads off in the encoder that was tuned from random weights.

    Every head and every layer alone in each mode, and random shares of heads in the mode zero.
    Killed and run again, it goes on with the first batch that was not finished.
    """
    parameters = section(Control, "control")
    definition = load_task(task)
    runtime = read_runtime()
    device = start(runtime, parameters.seed)
    folders = [model_folder(task, arm, seed) for arm in (RANDOM_WEIGHTS, TUNED_FROM_RANDOM)]
    validation = read_examples(examples_file(task, "validation"))
    before, after = (Gated(load_tuned(folder).to(device)) for folder in folders)
    tokenizer = load_tokenizer(folders[1])
    size, key = (after.layers, after.heads), f"{task}-{seed}"
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
        run = RUNS / key / name
        logits = run_gates(grid, inputs, parameters.batch, runtime, run, folders[1])
        predictions = [predictions_from_logits(part, definition.kind) for part in logits]
        table = gate_table(gates, parameters.precision)
        metrics = effect_metrics(definition)
        return [Outcomes(table, metric, labels, *predictions) for metric in metrics]

    _, inputs = encoded(parameters.examples)
    cosines = similarities(before, after, inputs, parameters.batch, device)
    drift, drawn = cosines_by_head(cosines, **resampling)
    DRIFT.write(drift, [drawn], task=task, seed=seed)
    fixed = [gate for mode in parameters.modes for gate in fixed_gates(*size, mode)]
    shares = random_gates(*size, "zero", parameters.shares, parameters.draws, parameters.seed)
    of_fixed = [
        fixed_tables(found, splits=parameters.splits, arm=TUNED_FROM_RANDOM, **resampling)
        for found in outcomes("fixed", fixed, parameters.examples)
    ]
    of_shares = [
        random_tables(found, **resampling)
        for found in outcomes("shares", list(shares), parameters.share_examples)
    ]
    for declared, name in ((GATES, "gates"), (MEANS, "means"), (HELD_OUT, "held_out")):
        write_drawn(declared, [tables[name] for tables in of_fixed], task=task, seed=seed)
    for declared, name in ((CURVES, "curves"), (GAPS, "gaps")):
        write_drawn(declared, [tables[name] for tables in of_shares], task=task, seed=seed)
    remove(RUNS / key)


if __name__ == "__main__":
    stage_command(main)
