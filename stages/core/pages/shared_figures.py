"""Figures that stand on two pages: of the encoder, and of the control that began at random."""

import pandas as pd

from stages.core.outcomes.deciding import deciding
from stages.core.outcomes.tables import GATES
from stages.core.pages.page import Figure, heads_figure
from stages.core.stage.arms import TUNED, Arm
from stages.core.verdicts.answers import some_rows
from stages.core.verdicts.estimates import rows_over_seeds
from stages.core.verdicts.measures import Measures, of_arm

SIGNIFICANCE = 0.05
POINTS = PERCENT = 100
# What effects are of: the metric that decides.
CHANGE = "Change of accuracy, or of the correlation of scores,"


def effects(measures: Measures, arm: Arm = TUNED) -> pd.DataFrame:
    """Single heads and layers: effects in points and in percent of the baseline, over seeds.

    In the metric that decides: accuracy, or a correlation.

    Raises:
        NotMeasured: no head of the arm was ablated.
    """
    gates = some_rows(deciding(of_arm(measures.frame(GATES), arm)))
    names = ["effect", "low", "high"]
    relative = gates[["relative", "relative_low", "relative_high"]].set_axis(names, axis=1)
    in_points, in_percent = POINTS * gates[names], PERCENT * relative
    gates = gates.join(in_points.add_suffix("_points")).join(in_percent.add_suffix("_percent"))
    keys = ["task", "family", "mode", "layer", "head", "precision"]
    columns = [tuple(f"{name}_{unit}" for name in names) for unit in ("points", "percent")]
    table = rows_over_seeds(gates, keys, columns).set_index(keys)
    of_seeds = gates.groupby(keys, sort=False)
    table = table.join(of_seeds[["baseline", "value", "examples"]].mean())
    # With several seeds a head counts as significant only if it is so in every one.
    return table.join(of_seeds["p_holm"].max()).reset_index()


def by_task(gates: pd.DataFrame) -> pd.DataFrame:
    """One row a layer and head, one column a task: effects in points, in the preferred mode."""
    rows = single_heads(gates, preferred_mode(gates), "points")
    table = rows.pivot(index=["layer", "head"], columns="task", values="effect")
    return table[rows["task"].unique()]


def preferred_mode(gates: pd.DataFrame) -> str:
    """`uniform`, or the first mode measured."""
    return "uniform" if "uniform" in set(gates["mode"]) else gates["mode"].iloc[0]


def single_heads(gates: pd.DataFrame, mode: str, unit: str) -> pd.DataFrame:
    """Effects of single heads under one mode.

    Returns:
        task, layer, head, effect, low, high, p_holm, significant.
    """
    cells = gates[(gates["family"] == "head") & (gates["mode"] == mode)]
    columns = {f"{name}_{unit}": name for name in ("effect", "low", "high")}
    cells = cells[["task", "layer", "head", *columns, "p_holm"]].rename(columns=columns)
    return cells.assign(significant=cells["p_holm"] < SIGNIFICANCE)


def effects_figure(
    name: str,
    title: str,
    cells: pd.DataFrame,
    unit: str,
    *,
    finding: str = "",
    at_least: float = 0.0,
) -> Figure:
    """Heatmaps of the effects of `single_heads`, one for each task.

    Args:
        at_least: the colours reach at least so far, as of the figure that this one is beside.
    """
    of = "percent of the metric with all heads on" if unit == "percent" else unit
    return heads_figure(
        name,
        title,
        f"Layer x head for each task. A dot marks heads with p < {SIGNIFICANCE} after Holm's "
        "correction over all heads of the task.",
        cells,
        "effect",
        f"change, {of}",
        diverging=True,
        tooltip=["task", "layer", "head", "effect", "low", "high", "p_holm"],
        marked="significant",
        finding=finding,
        at_least=at_least,
    )


def precisions(gates: pd.DataFrame) -> str:
    """A sentence that names the precision of matrix products."""
    return f"Matrix products in {' and '.join(gates['precision'].unique())}."
