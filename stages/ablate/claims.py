"""What heads, layers and random shares of heads do when they are off.

Kovaleva et al. 2019, section 4.6: attention set to `uniform`, effects in points. Query-title study,
sections 2.1 and 2.4.2: output set to `zero`, effects in percent of the metric with all heads on.
Effects are of accuracy, of a score's correlation, whatever the task's primary metric is. Beside the
tuned encoder stands one that was tuned from random weights. Tasks that an encoder has not learnt
are left out: heads that are off change nothing there.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd

from stages.ablate.shared_heads import by_each_other
from stages.core.outcomes import tables as of_outcomes
from stages.core.outcomes.deciding import ACCURACY
from stages.core.outcomes.tables import GATES
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM, Arm
from stages.core.stage.tables import MeasuredTable, drawn_name
from stages.core.verdicts.answers import Answer, NotMeasured, decided_by_task, over_tasks
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.depth import Band
from stages.core.verdicts.estimates import (
    Combination,
    Estimate,
    difference_of,
    largest,
    over_seeds,
    smallest,
)
from stages.core.verdicts.learnt import of_learnt_tasks
from stages.core.verdicts.measures import Measures, fine_tunings, of_arm

UNLEARNT = "the encoder tuned from random weights has not learnt the task"
POINTS = PERCENT = 100
SIGNIFICANCE = 0.05

Unit = Literal["points", "percent"]
# The columns of an effect with its limits, and what makes points or percent of it.
EFFECT: dict[Unit, tuple[str, str, str]] = {
    "points": ("effect", "low", "high"),
    "percent": ("relative", "relative_low", "relative_high"),
}
HELD_OUT: dict[Unit, tuple[str, str, str]] = {
    "points": ("effect_heldout", "low", "high"),
    "percent": ("relative_heldout", "relative_low", "relative_high"),
}
# The estimate of one run, a task and seed, from its rows of a table.
OfRun = Callable[[pd.DataFrame], Estimate]


@measure
def best_head_held_out(measures: Measures, settings: Settings) -> Answer:
    """Gain of the best head (chosen on one half, scored on the other), on the weakest task."""
    estimate = _of_row("points", HELD_OUT, family="head", mode="uniform", picked="best")
    return _all_tasks(measures, of_outcomes.HELD_OUT, estimate, smallest)


@measure
def layer_held_out(
    measures: Measures, settings: Settings, picked: Literal["best", "worst"]
) -> Answer:
    """Effect of the `best` or `worst` layer, held out, on the task where it is most extreme."""
    estimate = _of_row("points", HELD_OUT, family="layer", mode="uniform", picked=picked)
    combine = largest if picked == "best" else smallest
    return _all_tasks(measures, of_outcomes.HELD_OUT, estimate, combine, of_some=True)


@measure
def best_layer_relative(measures: Measures, settings: Settings, task: str) -> Answer:
    """Relative gain of the best layer, held out."""
    estimate = _of_row("percent", HELD_OUT, family="layer", mode="zero", picked="best")
    return _one_task(measures, of_outcomes.HELD_OUT, estimate, task)


@measure
def mean_head_effect(measures: Measures, settings: Settings) -> Answer:
    """Mean effect over all heads, on the task where it is largest."""
    estimate = _of_row("points", EFFECT, family="head", mode="uniform")
    return _all_tasks(measures, of_outcomes.MEANS, estimate, largest, of_some=True)


@measure
def least_effect_of_layers(
    measures: Measures, settings: Settings, task: str, layers: Band | None = None
) -> Answer:
    """The smallest relative effect of some layers, or (None) of all, each off as a whole."""
    return _one_task(measures, GATES, _smallest_gate("layer", layers), task)


@measure
def least_effect_of_heads(
    measures: Measures, settings: Settings, task: str, layers: Band | None = None
) -> Answer:
    """The smallest relative effect of the heads of some layers, or (None) of all, each alone.

    The interval allows for the choice of the smallest of many.
    """
    return _one_task(measures, GATES, _smallest_gate("head", layers), task)


@measure
def usual_effect_of_heads(measures: Measures, settings: Settings, task: str) -> Answer:
    """The root mean square of the relative effects of all heads, less what chance adds to it.

    The expected square of a measured effect is that of the true one and its variance. Where chance
    alone would give more than was measured, the root is negative.
    """

    def root(rows: pd.DataFrame) -> Estimate:
        drawn = np.stack(list(rows[drawn_name("relative")]))
        variance = drawn.var(axis=1, ddof=1)
        n, baseline = int(rows["examples"].iloc[0]), float(rows["baseline"].iloc[0])
        # What resamples of accuracy have beside the variance of the examples (`one_more_each_way`).
        added = 2 / (n * baseline) ** 2 if rows["metric"].iloc[0] == ACCURACY else 0.0
        # A resample scatters around the measured effect, as that does around the true one.
        squares = rows["relative"].to_numpy() ** 2 - (variance - added)
        resampled = (drawn**2 - (2 * variance - added)[:, None]).mean(axis=0)
        return Estimate.of_drawn(_root(squares.mean()), _root(resampled), n).scaled(PERCENT)

    return _one_task(measures, GATES, _of_rows(root, family="head", mode="zero"), task)


@measure
def random_share(measures: Measures, settings: Settings, share: float, task: str) -> Answer:
    """Relative effect of a random share of all heads, mean over the draws."""
    estimate = _of_row("percent", EFFECT, mode="zero", band="all", share=share)
    return _one_task(measures, of_outcomes.CURVES, estimate, task)


@measure
def larger_share(
    measures: Measures, settings: Settings, share: float, beside: float, task: str
) -> Answer:
    """Relative effect of a random share of all heads, less that of a smaller share."""
    larger, smaller = (
        _of_row("percent", EFFECT, mode="zero", band="all", share=part) for part in (share, beside)
    )
    return _one_task(
        measures, of_outcomes.CURVES, lambda rows: difference_of(larger(rows), smaller(rows)), task
    )


@measure
def lower_against_upper(measures: Measures, settings: Settings, share: float, task: str) -> Answer:
    """Relative effect of a share of the lower layers' heads minus that of the upper layers'."""
    estimate = _of_row("percent", EFFECT, mode="zero", share=share)
    return _one_task(measures, of_outcomes.GAPS, estimate, task)


@measure
def loss_by_heads_of_each_other(
    measures: Measures, settings: Settings, tasks: list[str], heads: int
) -> Answer:
    """What each of two tasks loses without the heads that the other one loses most without, less
    what it loses without others, on the task that loses least. `heads` of each are chosen."""
    own, control = by_each_other(measures, tasks, heads), {}
    with suppress(NotMeasured):
        control = by_each_other(measures, tasks, heads, TUNED_FROM_RANDOM)
    answer = over_tasks(own, largest, control, uncontrolled=UNLEARNT)
    return _of_tuned(answer, own, ", ".join(tasks), measures, GATES)


@summary("ablate")
def extremes(measures: Measures) -> dict:
    """For each task and mode: the largest effects and the significant heads."""
    gates = of_arm(measures.frame(GATES), TUNED)
    gates = gates[gates["metric"] == gates["task"].map(measures.deciding)]
    table: dict = {}
    for (task, mode), cells in gates.groupby(["task", "mode"], sort=False):
        heads = cells[cells["family"] == "head"]
        counts = {}
        for family in ("head", "layer"):
            tested = cells[(cells["family"] == family) & (cells["p_holm"] < SIGNIFICANCE)]
            counts[f"helping_{family}s"] = int((tested["effect"] > 0).sum())
            counts[f"hurting_{family}s"] = int((tested["effect"] < 0).sum())
        table.setdefault(task, {})[mode] = {
            "largest_gain": float(heads["effect"].max()),
            "largest_loss": float(heads["effect"].min()),
            **counts,
        }
    return table


def _one_task(measures: Measures, table: MeasuredTable, estimate: OfRun, task: str) -> Answer:
    """The estimate of the task that the claim is about, beside that of the control."""
    own = _over_seeds(measures, table, TUNED, estimate)
    chosen = decided_by_task(task, own)
    control = _of_control(measures, table, estimate)
    answer = over_tasks({task: own[task]}, _alone, control, uncontrolled=UNLEARNT)
    return _of_tuned(answer, own, chosen.decided_on, measures, table)


def _all_tasks(
    measures: Measures,
    table: MeasuredTable,
    estimate: OfRun,
    combine: Combination,
    of_some: bool = False,
) -> Answer:
    """The estimates of all tasks as one, beside those of the control."""
    own = _over_seeds(measures, table, TUNED, estimate)
    control = _of_control(measures, table, estimate)
    answer = over_tasks(own, combine, control, of_some=of_some)
    return _of_tuned(answer, own, "", measures, table)


def _of_tuned(
    answer: Answer,
    own: dict[str, Estimate],
    decided_on: str,
    measures: Measures,
    table: MeasuredTable,
) -> Answer:
    decides = decided_on.split(", ") if decided_on else list(own)
    seeds = fine_tunings(of_arm(measures.frame(table), TUNED), decides)
    return replace(answer, tasks=own, decided_on=decided_on, arm=TUNED, seeds=seeds)


def _alone(estimates: Sequence[Estimate]) -> Estimate:
    (estimate,) = estimates
    return estimate


def _of_control(measures: Measures, table: MeasuredTable, estimate: OfRun) -> dict[str, Estimate]:
    """The same of the encoder tuned from random weights; empty where it has learnt no task."""
    try:
        return _over_seeds(measures, table, TUNED_FROM_RANDOM, estimate)
    except NotMeasured:
        return {}


def _over_seeds(
    measures: Measures, table: MeasuredTable, arm: Arm, estimate: OfRun
) -> dict[str, Estimate]:
    """The estimate of every learnt task, over its seeds."""
    rows = of_arm(of_learnt_tasks(measures, table, arm, resampled=True), arm)
    rows = rows[rows["metric"] == rows["task"].map(measures.deciding)]
    found, lacking = {}, NotMeasured("no gate of this family and mode was run")
    for task, runs in rows.groupby("task", sort=False):
        try:
            found[str(task)] = over_seeds([estimate(run) for _, run in runs.groupby("seed")])
        except NotMeasured as error:
            lacking = error
    if not found:
        raise lacking
    return found


def _of_rows(estimate: OfRun, **place: str | float) -> OfRun:
    """An estimate from the rows of a run that have these values in these columns."""

    def of_run(run: pd.DataFrame) -> Estimate:
        for column, value in place.items():
            same = run[column] == value
            run = run[np.isclose(run[column], value) if isinstance(value, float) else same]
        if run.empty:
            said = ", ".join(f"{column} {value}" for column, value in place.items())
            raise NotMeasured(f"nothing was run with {said}")
        return estimate(run)

    return of_run


def _of_row(unit: Unit, columns: dict[Unit, tuple[str, str, str]], **place: str | float) -> OfRun:
    """The estimate of the one row of a run that has these values, in points or percent."""

    def of_one(rows: pd.DataFrame) -> Estimate:
        (row,) = rows.to_dict("records")
        return Estimate.of_row(row, columns[unit], int(row["examples"])).scaled(POINTS)

    return _of_rows(of_one, **place)


def _smallest_gate(family: str, layers: Band | None) -> OfRun:
    """The smallest relative effect of the gates of one family, with output set to zero."""

    def of_gates(rows: pd.DataFrame) -> Estimate:
        if layers is not None:
            rows = rows[layers.holds(rows["layer"])]
        if rows.empty:
            raise NotMeasured("the encoder has too few layers to tell these from the others")
        gates = [
            Estimate.of_row(row, EFFECT["percent"], int(row["examples"])).scaled(PERCENT)
            for row in rows.to_dict("records")
        ]
        return replace(smallest(gates), n=gates[0].n)

    return _of_rows(of_gates, family=family, mode="zero")


def _root(square: np.ndarray | float) -> np.ndarray | float:
    return np.sign(square) * np.sqrt(np.abs(square))
