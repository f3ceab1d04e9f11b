"""What heads, layers and random shares of heads do when they are off.

Kovaleva et al. 2019, section 4.6: attention set to `uniform`, effects in points. Query-title study,
sections 2.1 and 2.4.2: output set to `zero`, effects in percent of the metric with all heads on.
Tasks that the tuned encoder has not learnt are left out.
"""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from stages.core.outcomes.tables import CURVES, GAPS, GATES, HELD_OUT, MEANS
from stages.core.verdicts.answers import Answer, decided_by_task
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.depth import Band
from stages.core.verdicts.estimates import (
    Estimate,
    largest,
    over_seeds,
    smallest,
)
from stages.core.verdicts.learnt import of_learnt_tasks
from stages.core.verdicts.measures import Measures, NotMeasured, relative_effects

POINTS = PERCENT = 100
SIGNIFICANCE = 0.05


@measure
def best_head_held_out(measures: Measures, settings: Settings) -> Answer:
    """Gain of the best head (chosen on one half, scored on the other), on the weakest task."""
    gains = _held_out(measures, family="head", mode="uniform", picked="best")
    return Answer(smallest(list(gains.values())), gains)


@measure
def layer_held_out(measures: Measures, settings: Settings, picked: str) -> Answer:
    """Effect of the `best` or `worst` layer, held out, on the task where it is most extreme."""
    effects = _held_out(measures, family="layer", mode="uniform", picked=picked)
    combine = largest if picked == "best" else smallest
    return Answer(combine(list(effects.values())), effects)


@measure
def best_layer_relative(measures: Measures, settings: Settings, task: str) -> Answer:
    """Relative gain of the best layer, held out."""
    gains = _held_out(measures, family="layer", mode="zero", picked="best", relative=True)
    return decided_by_task(task, gains)


@measure
def heads_with_effect(measures: Measures, settings: Settings, mode: str, sign: int) -> Answer:
    """Heads with a significant effect of this sign, on the task that has the fewest."""
    counts = _counts(measures, mode, sign)
    return Answer(_fewest(list(counts.values())), counts, "heads")


@measure
def hurting_heads(
    measures: Measures, settings: Settings, task: str, layers: Band | None = None
) -> Answer:
    """Heads without which the metric falls significantly, in some layers or (None) in all."""
    return decided_by_task(task, _counts(measures, "zero", -1, layers), "heads")


@measure
def mean_head_effect(measures: Measures, settings: Settings) -> Answer:
    """Mean effect over all heads, on the task where it is largest."""
    rows = of_learnt_tasks(measures, MEANS)
    rows = rows[(rows["family"] == "head") & (rows["mode"] == "uniform")]
    effects = _over_seeds(rows, lambda run: _mean_effect(run, POINTS))
    return Answer(largest(list(effects.values())), effects)


@measure
def effect_of_layers(measures: Measures, settings: Settings, layers: Band, task: str) -> Answer:
    """Mean relative effect of some layers, each off as a whole."""

    def mean(rows: pd.DataFrame) -> Estimate:
        inside = rows[layers.holds(rows["layer"])]
        if inside.empty:
            raise NotMeasured("the encoder has too few layers to tell these from the others")
        return _mean_effect(relative_effects(inside), PERCENT)

    return decided_by_task(task, _each_task(measures, "layer", "zero", mean))


@measure
def share_of_small_effects(
    measures: Measures, settings: Settings, within: float, task: str
) -> Answer:
    """Share of heads whose relative effect is smaller than `within` percent."""

    def share(rows: pd.DataFrame) -> Estimate:
        rows = relative_effects(rows)
        limit = within / PERCENT
        inside = (rows["low"] > -limit) & (rows["high"] < limit)
        touching = (rows["low"] < limit) & (rows["high"] > -limit)
        small = rows["effect"].abs() < limit
        return Estimate(small.mean(), inside.mean(), touching.mean(), len(rows))

    return decided_by_task(task, _each_task(measures, "head", "zero", share), "heads")


@measure
def random_share(measures: Measures, settings: Settings, share: float, task: str) -> Answer:
    """Relative effect of a random share of all heads, mean over the draws."""
    return decided_by_task(task, _share(of_learnt_tasks(measures, CURVES), share, band="all"))


@measure
def lower_against_upper(measures: Measures, settings: Settings, share: float, task: str) -> Answer:
    """Relative effect of a share of the lower layers' heads minus that of the upper layers'."""
    return decided_by_task(task, _share(of_learnt_tasks(measures, GAPS), share))


@summary("ablate")
def extremes(measures: Measures) -> dict:
    """For each task and mode: the largest effects and the significant heads."""
    gates = measures.frame(GATES)
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


def _each_task(
    measures: Measures, family: str, mode: str, estimate: Callable[[pd.DataFrame], Estimate]
) -> dict[str, Estimate]:
    """Estimate from each task's gates of one family and mode, averaged over seeds."""
    gates = of_learnt_tasks(measures, GATES)
    return _over_seeds(gates[(gates["family"] == family) & (gates["mode"] == mode)], estimate)


def _over_seeds(
    rows: pd.DataFrame, estimate: Callable[[pd.DataFrame], Estimate]
) -> dict[str, Estimate]:
    if rows.empty:
        raise NotMeasured("no gate of this family and mode was run")
    return {
        task: over_seeds([estimate(run) for _, run in runs.groupby("seed")])
        for task, runs in rows.groupby("task", sort=False)
    }


def _mean_effect(rows: pd.DataFrame, scale: float) -> Estimate:
    """Mean over gates; they share the examples, so their bounds are averaged too."""
    mean = rows[["effect", "low", "high"]].mean() * scale
    return Estimate(mean["effect"], mean["low"], mean["high"], int(rows["examples"].max()))


def _held_out(
    measures: Measures, family: str, mode: str, picked: str, relative: bool = False
) -> dict[str, Estimate]:
    """The held-out effect for each task, in points or in percent of the metric."""
    rows = of_learnt_tasks(measures, HELD_OUT)
    rows = rows[(rows["family"] == family) & (rows["mode"] == mode) & (rows["picked"] == picked)]
    rows = rows.assign(effect=rows["effect_heldout"])
    return _over_seeds(
        relative_effects(rows) if relative else rows, lambda run: _mean_effect(run, POINTS)
    )


def _share(rows: pd.DataFrame, share: float, band: str | None = None) -> dict[str, Estimate]:
    """The relative effect of a share of heads set to zero, over draws and examples."""
    rows = rows[(rows["mode"] == "zero") & np.isclose(rows["share"], share)]
    if band is not None:
        rows = rows[rows["band"] == band]

    def point(run: pd.DataFrame) -> Estimate:
        row = run.iloc[0]
        bounds = (row["relative_low"], row["relative_high"])
        return Estimate(row["relative"], *bounds, int(row["examples"])).scaled(PERCENT)

    return _over_seeds(rows, point)


def _counts(
    measures: Measures, mode: str, sign: int, layers: Band | None = None
) -> dict[str, Estimate]:
    """Heads with a significant effect of one sign; at most all those without one of the other.

    Holm's correction is over all heads of the task, also where only those of some layers count.
    """

    def count(rows: pd.DataFrame) -> Estimate:
        if layers is not None:
            rows = rows[layers.holds(rows["layer"])]
        direction = np.sign(rows["effect"]) * (rows["p_holm"] < SIGNIFICANCE)
        shown = int((direction == sign).sum())
        excluded = int((direction == -sign).sum())
        return Estimate(shown, shown, len(rows) - excluded, len(rows))

    return _each_task(measures, "head", mode, count)


def _fewest(counts: Sequence[Estimate]) -> Estimate:
    """The smallest count; bounds of counts are not normal, so nothing is widened."""
    return Estimate(
        min(item.value for item in counts),
        min(item.low for item in counts),
        min(item.high for item in counts),
        max(item.n for item in counts),
    )
