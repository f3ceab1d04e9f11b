"""Effects of ablating heads, layers and random shares of heads.

Kovaleva et al. 2019, section 4.6: attention set to `uniform`, effects in points. Query-title study,
sections 2.1 and 2.4.2: output set to `zero`, effects in percent of the metric with all heads.
Effects are of accuracy, of a score's correlation, whatever the task's primary metric is. Beside the
tuned encoder stands one that was tuned from random weights. Tasks that an encoder has not learnt
are left out: ablated heads change nothing there.
"""

from contextlib import suppress
from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd

from stages.ablate.shared_heads import by_each_other
from stages.core.outcomes.deciding import ACCURACY, deciding_rows
from stages.core.outcomes.tables import CURVES, GAPS, GATES, HELD_OUT, MEANS
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.tables import drawn_of
from stages.core.verdicts.answers import Answer, NotMeasured, over_tasks
from stages.core.verdicts.chosen_heads import ablated_heads
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.depth import Band
from stages.core.verdicts.estimates import Estimate, difference_of, largest, smallest
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.of_data import OfRun, of_data, value_of_row

PERCENT = 100
SIGNIFICANCE = 0.05
UNLEARNT = "the encoder tuned from random weights has not learnt the task"
# Estimates of one row.
IN_POINTS = value_of_row("effect", "examples", 100)
IN_PERCENT = value_of_row("relative", "examples", PERCENT)


@measure
def best_head_held_out(measures: Measures, settings: Settings) -> Answer:
    """Gain of the best head (selected on one half, scored on the other), on the weakest task."""
    rows = deciding_rows(HELD_OUT, family="head", mode="uniform", picked="best")
    return of_data(measures, rows, IN_POINTS, decide=smallest)


@measure
def layer_held_out(
    measures: Measures, settings: Settings, picked: Literal["best", "worst"]
) -> Answer:
    """Effect of the `best` or `worst` layer, held out, on the task where it is most extreme."""
    rows = deciding_rows(HELD_OUT, family="layer", mode="uniform", picked=picked)
    decide = largest if picked == "best" else smallest
    return of_data(measures, rows, IN_POINTS, decide=decide, of_some=True)


@measure
def best_layer_relative(measures: Measures, settings: Settings, task: str) -> Answer:
    """Relative gain of the best layer, held out."""
    rows = deciding_rows(HELD_OUT, family="layer", mode="zero", picked="best")
    return of_data(measures, rows, IN_PERCENT, decide=task)


@measure
def mean_head_effect(measures: Measures, settings: Settings) -> Answer:
    """Mean effect over all heads, on the task where it is largest."""
    rows = deciding_rows(MEANS, family="head", mode="uniform")
    return of_data(measures, rows, IN_POINTS, decide=largest, of_some=True)


@measure
def least_effect_of_layers(
    measures: Measures, settings: Settings, task: str, layers: Band | None = None
) -> Answer:
    """The smallest relative effect of some layers, or (None) of all, each ablated as a whole."""
    rows = deciding_rows(GATES, family="layer", mode="zero")
    return of_data(measures, rows, _smallest_effect(layers), decide=task)


@measure
def least_effect_of_heads(
    measures: Measures, settings: Settings, task: str, layers: Band | None = None
) -> Answer:
    """The smallest relative effect of the heads of some layers, or (None) of all, each alone.

    The interval allows for the choice of the smallest of many.
    """
    rows = deciding_rows(GATES, family="head", mode="zero")
    return of_data(measures, rows, _smallest_effect(layers), decide=task)


@measure
def usual_effect_of_heads(measures: Measures, settings: Settings, task: str) -> Answer:
    """The root mean square of the relative effects of all heads, less what chance adds to it.

    The expected square of a measured effect is that of the true one and its variance. Where chance
    alone would give more than was measured, the root is negative.
    """

    def root(rows: pd.DataFrame) -> Estimate:
        drawn = np.stack(list(rows[drawn_of("relative")]))
        variance = drawn.var(axis=1, ddof=1)
        n, baseline = int(rows["examples"].iloc[0]), float(rows["baseline"].iloc[0])
        # What resamples of accuracy have beside the variance of the examples (`one_more_each_way`).
        added = 2 / (n * baseline) ** 2 if rows["metric"].iloc[0] == ACCURACY else 0.0
        # A resample scatters around the measured effect, as that does around the true one.
        squares = rows["relative"].to_numpy() ** 2 - (variance - added)
        resampled = (drawn**2 - (2 * variance - added)[:, None]).mean(axis=0)
        return Estimate.of_drawn(_root(squares.mean()), _root(resampled), n).scaled(PERCENT)

    rows = deciding_rows(GATES, family="head", mode="zero")
    return of_data(measures, rows, root, decide=task)


@measure
def random_share(measures: Measures, settings: Settings, share: float, task: str) -> Answer:
    """Relative effect of a random share of all heads, mean over the draws."""
    rows = deciding_rows(CURVES, mode="zero", band="all", share=share)
    return of_data(measures, rows, IN_PERCENT, decide=task)


@measure
def larger_share(
    measures: Measures, settings: Settings, share: float, beside: float, task: str
) -> Answer:
    """Relative effect of a random share of all heads, less that of a smaller share."""

    def difference(rows: pd.DataFrame) -> Estimate:
        larger, smaller = (CURVES.where(share=size).of(rows) for size in (share, beside))
        if larger.empty or smaller.empty:
            raise NotMeasured(f"the shares {share} and {beside} were not both ablated")
        return difference_of(IN_PERCENT(larger), IN_PERCENT(smaller))

    return of_data(
        measures, deciding_rows(CURVES, mode="zero", band="all"), difference, decide=task
    )


@measure
def lower_against_upper(measures: Measures, settings: Settings, share: float, task: str) -> Answer:
    """Relative effect of a share of the lower layers' heads minus that of the upper layers'."""
    rows = deciding_rows(GAPS, mode="zero", share=share)
    return of_data(measures, rows, IN_PERCENT, decide=task)


@measure
def loss_by_heads_of_each_other(
    measures: Measures, settings: Settings, tasks: list[str], heads: int
) -> Answer:
    """Compare the heads that the other of two tasks needs most with other heads: loss on each task.

    `heads` of each task are selected. The task that loses least decides.
    """
    tuned, control = by_each_other(measures, tasks, heads), {}
    with suppress(NotMeasured):
        control = by_each_other(measures, tasks, heads, TUNED_FROM_RANDOM)
    answer = over_tasks(tuned, largest, control, uncontrolled=UNLEARNT)
    runs = ablated_heads(measures).groupby("data")["seed"].nunique()
    return replace(
        answer, decided_on=", ".join(tasks), arm=TUNED, seeds=int(runs[list(tuned)].min())
    )


@summary("ablate")
def extremes(measures: Measures) -> dict:
    """For each task and mode: the largest effects and the significant heads."""
    table: dict = {}
    gates = measures.rows(deciding_rows(GATES, arm=TUNED))
    for (task, mode), cells in gates.groupby(["data", "mode"], sort=False):
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


def _smallest_effect(layers: Band | None) -> OfRun:
    """The smallest relative effect of the gates of some layers; None: of all."""

    def of_gates(rows: pd.DataFrame) -> Estimate:
        if layers is not None:
            rows = rows[layers.holds(rows["layer"])]
        if rows.empty:
            raise NotMeasured("the encoder has too few layers to tell these from the others")
        gates = [
            Estimate.of_value(row, "relative", int(row["examples"])).scaled(PERCENT)
            for row in rows.to_dict("records")
        ]
        return replace(smallest(gates), n=gates[0].n)

    return of_gates


def _root(square: np.ndarray | float) -> np.ndarray | float:
    return np.sign(square) * np.sqrt(np.abs(square))
