"""Which heads hurt, and why (the open question at the end of the query-title study; B1).

A head hurts where the loss is lower without it. Each half of the validation examples chooses a few
heads that hurt it most, the other half is scored without them: loss, metrics, calibration.
Beside them stand random heads of the same number, and the same procedure on an encoder that was
tuned from random weights. How the fall of the loss is spread over examples, and how confident the
chosen heads are, is measured on the same examples.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import PositiveInt, model_validator

from stages.core.control_seeds import tuned_arms
from stages.core.encoder.batches import Encoded, encode
from stages.core.encoder.checkpoint import load_tuned
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.grid.grid import Grid
from stages.core.grid.run import run_gates
from stages.core.heads.gates import Gate
from stages.core.heads.seam import Gated
from stages.core.outcomes.paired import draw_weights
from stages.core.pieces import resumable
from stages.core.runtime.runtime import Precision, Runtime, read_runtime, start
from stages.core.stage.arms import TUNED, Arm
from stages.core.stage.places import examples_file, model_folder, outcomes_folder
from stages.core.stage.settings import Resampled, section
from stages.core.tables import Table
from stages.core.tasks.examples import draw_examples, drawn_rows, read_examples
from stages.core.tasks.task import Task, load_task
from stages.harmful.attention import confidence_and_entropy
from stages.harmful.choices import Head, as_many_as_help, divide, random_heads, rank, widening
from stages.harmful.harm import (
    Harm,
    examples_table,
    halves_table,
    heads_table,
    saving_table,
    spread_table,
)
from stages.harmful.saving import Sizes
from stages.harmful.scores import Cut, example_losses, score_table
from stages.harmful.single_heads import known_logits, without_each_head
from stages.harmful.tables import EXAMPLES, HALVES, HEADS, SAVING, SCORES, SPREAD


class Harmful(Resampled, section="harmful"):
    """The section `harmful` of `params.yaml`."""

    most: PositiveInt
    examples: PositiveInt | None
    scored: PositiveInt | None
    divisions: PositiveInt
    draws: PositiveInt
    random_examples: PositiveInt | None
    bins: PositiveInt
    shown: PositiveInt
    precision: Precision
    batch: PositiveInt

    @model_validator(mode="after")
    def _fits_together(self) -> "Harmful":
        if self.scored is not None and (self.examples is None or self.examples > self.scored):
            raise ValueError("`examples`, which choose, are among `scored`: give as many at most")
        return self


def run_stage(task: str, seed: int | None = None) -> None:
    """Find the heads that hurt the tuned encoders of TASK, and score the encoders without them.

    Killed and run again, it takes finished batches of grids from `work/scratch`.
    """
    parameters = section(Harmful, "harmful")
    definition = load_task(task)
    models = tuned_arms(task, seed)
    with resumable("harmful", task) as state:
        measured = [
            measure(task, arm, tuned_with, definition, parameters, state / f"{arm}-{tuned_with}")
            for arm, tuned_with in models
        ]
        for declared in measured[0]:
            frames = [
                tables[declared].assign(arm=arm, seed=tuned_with)
                for (arm, tuned_with), tables in zip(models, measured, strict=True)
            ]
            declared.write(frames, data=task)


def grid_folder(task: str, arm: Arm, seed: int) -> Path:
    """What `ablate` has of single heads at zero; it is of the tuned encoder alone."""
    return outcomes_folder(task, seed) / ("fixed-zero" if arm == TUNED else "none")


def measure(
    task: str, arm: Arm, seed: int, definition: Task, parameters: Harmful, run: Path
) -> dict[Table, pd.DataFrame]:
    """The tables of one encoder, without seed and arm.

    Args:
        run: folder for finished batches of its grids.
    """
    runtime = read_runtime()
    device = start(runtime, parameters.seed)
    model = model_folder(task, arm, seed)
    gated = Gated(load_tuned(model).to(device))
    validation = read_examples(examples_file(task, "validation"))
    examples = draw_examples(validation, parameters.scored, parameters.seed)
    encoded = encode(load_tokenizer(model), examples, definition.max_length)
    ids = examples["id"].tolist()
    size = gated.layers * gated.heads
    known = known_logits(grid_folder(task, arm, seed), ids, size, parameters.precision)
    # A draw of fewer with the same seed is part of a draw of more.
    drawn = drawn_rows(len(validation), parameters.examples, parameters.seed)
    choosing = np.isin(examples.index.to_numpy(), drawn) | np.isin(ids, list(known))
    rows = np.flatnonzero(choosing)
    by_place = {index: known[ids[row]] for index, row in enumerate(rows) if ids[row] in known}

    some = part_of(encoded, rows)
    single = without_each_head(
        gated,
        some,
        by_place,
        parameters.precision,
        parameters.batch,
        runtime,
        run / "single",
        model,
    )
    sides = divide(choosing, parameters.divisions, parameters.seed)
    labels = examples["label"].to_numpy(dtype=float)
    full_of_some = with_all_heads(gated, some, parameters)
    before, after = (
        example_losses(logits, labels[rows], definition.kind) for logits in (full_of_some, single)
    )
    changes = (after - before).T.reshape(len(rows), gated.layers, gated.heads)

    def chosen_by(division: int, half: int, ranked: tuple[Head, ...]) -> tuple[Head, ...]:
        """As many of the ranked heads as lower the loss of the half that ranked them."""
        in_half = np.flatnonzero(sides[division, rows] == half)
        prefixes = [ranked[: count + 1] for count in range(len(ranked))]
        state = run / f"prefixes-{division}-{half}"
        of_half = part_of(some, in_half), prefixes, parameters, runtime, state, model
        without_prefixes = run_sets(gated, *of_half)[1]
        losses = example_losses(without_prefixes, labels[rows[in_half]], definition.kind)
        return as_many_as_help(ranked, losses)

    chosen = [
        tuple(chosen_by(division, half, ranked) for half, ranked in enumerate(pair))
        for division, pair in enumerate(rank(changes, sides[:, rows], parameters.most))
    ]
    count = max(1, round(np.mean([len(heads) for pair in chosen for heads in pair])))
    random = random_heads(gated.layers, gated.heads, count, parameters.draws, parameters.seed)

    sets = [heads for pair in chosen for heads in pair]
    full, without = run_sets(gated, encoded, sets, parameters, runtime, run / "sets", model)
    random_rows = drawn_rows(len(examples), parameters.random_examples, parameters.seed)
    few = part_of(encoded, random_rows)
    _, without_random = run_sets(gated, few, random, parameters, runtime, run / "random", model)
    weights = draw_weights(len(rows), parameters.resamples, parameters.seed)
    cut = Cut(
        labels,
        full,
        sides,
        without.reshape(len(chosen), 2, *full.shape),
        random_rows,
        without_random,
        widening(changes, sides, rows, parameters.most, weights),
    )
    harm = Harm(
        cut,
        examples,
        rows,
        changes,
        chosen,
        confidence_and_entropy(gated, some, parameters.batch, device),
    )
    resampling = parameters.resamples, parameters.seed
    scores = score_table(cut, definition, parameters.bins, *resampling, [*arm.encode()])
    return {
        SCORES: scores.assign(heads_ablated=harm.heads_ablated, chosen_on=len(rows)),
        HALVES: halves_table(harm, before, *resampling),
        HEADS: heads_table(harm, *resampling),
        SPREAD: spread_table(cut, definition.kind, *resampling),
        EXAMPLES: examples_table(harm, definition.kind, parameters.shown),
        SAVING: saving_table(harm, Sizes.of(gated.model.config), encoded.lengths),
    }


def part_of(encoded: Encoded, rows: Iterable[int]) -> Encoded:
    """Some of the examples, in the order of `rows`."""
    inputs = {name: [ids[row] for row in rows] for name, ids in encoded.inputs.items()}
    return Encoded(inputs, encoded.padding, [encoded.segments[row] for row in rows])


def with_all_heads(
    gated: Gated, encoded: Encoded, parameters: Harmful
) -> Float[np.ndarray, "example class"]:
    """Logits with every head on, as the grid gives them."""
    grid = Grid(gated, [], None, parameters.precision)
    parts = [(batch.rows, grid.run(batch)[0]) for batch in encoded.batches(parameters.batch)]
    rows, logits = (np.concatenate(side) for side in zip(*parts, strict=True))
    return logits[np.argsort(rows)]


def run_sets(
    gated: Gated,
    encoded: Encoded,
    sets: Sequence[tuple[Head, ...]],
    parameters: Harmful,
    runtime: Runtime,
    run: Path,
    model: Path,
) -> tuple[Float[np.ndarray, "example class"], Float[np.ndarray, "set example class"]]:
    """Logits with all heads on, and without each set; a set of no heads ablates none."""
    gates = [Gate("zero", heads, "random", draw=draw) for draw, heads in enumerate(sets) if heads]
    if not gates:
        full = with_all_heads(gated, encoded, parameters)
        return full, np.stack([full] * len(sets)) if sets else np.empty((0, *full.shape), "f4")
    grid = Grid(gated, gates, None, parameters.precision)
    full, logits = run_gates(grid, encoded, parameters.batch, runtime, run, model)
    without = np.stack([full] * len(sets))
    without[[index for index, heads in enumerate(sets) if heads]] = logits
    return full, without
