"""Heads and layers that are off (Kovaleva et al. 2019, 4.6; query-title study, 2.1 and 2.4.2)."""

import pandas as pd

from stages.core.charts import dots
from stages.core.verdicts.measures import Measures, relative_effects
from stages.report.page import Figure, Page, Section, Table, heads_figure

GATES = "effects/{task}-{seed}.parquet"
HELD_OUT = "effects/{task}-{seed}-heldout.parquet"
SIGNIFICANCE = 0.05
POINTS = PERCENT = 100
MEAN = "no study's, but this project's: what a head says of every example alike stays"


def sections(measures: Measures) -> list[Section]:
    gates = effects(measures)
    views = [
        (_heads, "uniform", "points", "K8", "Kovaleva et al., section 4.6, Figure 8"),
        (_layers, "uniform", "points", "K9", "Kovaleva et al., section 4.6, Figure 9"),
        (_heads, "zero", "percent", "T9", "query-title study, section 2.4.2"),
        (_layers, "zero", "percent", "T4", "query-title study, section 2.1"),
        (_heads, "mean", "points", "", MEAN),
        (_layers, "mean", "points", "", MEAN),
    ]
    measured = set(gates["mode"])
    drawn = [draw(gates, mode, *words) for draw, mode, *words in views if mode in measured]
    return [*drawn, _chosen(measures), _modes(gates)]


def effects(measures: Measures, files: str = GATES) -> pd.DataFrame:
    """Single heads and layers: effects in points and in percent of the baseline, over seeds."""
    gates = measures.frame(files)
    gates = gates[gates["family"].isin(["head", "layer"])]
    names = ["effect", "low", "high"]
    in_points, in_percent = POINTS * gates[names], PERCENT * relative_effects(gates)[names]
    gates = gates.join(in_points.add_suffix("_points")).join(in_percent.add_suffix("_percent"))
    keys = ["task", "family", "mode", "layer", "head", "precision"]
    values = [f"{name}_{unit}" for unit in ("points", "percent") for name in names]
    table = gates.groupby(keys, sort=False)[[*values, "baseline", "value", "examples"]].mean()
    # With several seeds a head counts as significant only if it is so in every one.
    table["p_holm"] = gates.groupby(keys, sort=False)["p_holm"].max()
    return table.reset_index()


def heads(measures: Measures) -> pd.DataFrame:
    """Effect of each head on each task, in points (`uniform`, or the first mode measured)."""
    return by_task(effects(measures)).add_prefix("off: ").add_suffix(" (points)")


def by_task(gates: pd.DataFrame) -> pd.DataFrame:
    """One row a layer and head, one column a task: effects in points, in the preferred mode."""
    rows = single_heads(gates, preferred_mode(gates), "points")
    table = rows.pivot(index=["layer", "head"], columns="task", values="effect")
    return table[rows["task"].unique()]


def preferred_mode(gates: pd.DataFrame) -> str:
    """`uniform`, or the first mode measured."""
    return "uniform" if "uniform" in set(gates["mode"]) else gates["mode"].iloc[0]


def _heads(gates: pd.DataFrame, mode: str, unit: str, study: str, source: str) -> Section:
    cells = single_heads(gates, mode, unit)
    name = f"ablate-heads-{mode}"
    return Section(
        _title(study, f"each head alone, {mode}"),
        f"One head at a time is set to {mode} ({source}). Red cells: the task gets worse without "
        f"the head; blue cells: it gets better. {precisions(gates)}",
        (
            effects_figure(
                name,
                f"Change of the primary metric with one head off ({mode}, {unit})",
                cells,
                unit,
            ),
            Table(
                name,
                "Heads with the largest effects",
                f"Change in {unit} with its 95% paired bootstrap interval, largest first.",
                _largest_first(cells),
            ),
        ),
    )


def single_heads(gates: pd.DataFrame, mode: str, unit: str) -> pd.DataFrame:
    """Effects of single heads under one mode.

    Returns:
        task, layer, head, effect, low, high, p_holm, significant.
    """
    cells = gates[(gates["family"] == "head") & (gates["mode"] == mode)]
    columns = {f"{name}_{unit}": name for name in ("effect", "low", "high")}
    cells = cells[["task", "layer", "head", *columns, "p_holm"]].rename(columns=columns)
    return cells.assign(significant=cells["p_holm"] < SIGNIFICANCE)


def effects_figure(name: str, title: str, cells: pd.DataFrame, unit: str) -> Figure:
    """What `single_heads` found, for each task."""
    return heads_figure(
        name,
        title,
        f"Layer x head for each task. A dot marks heads with p < {SIGNIFICANCE} after Holm's "
        "correction over all heads of the task.",
        cells,
        "effect",
        f"change, {unit}",
        diverging=True,
        tooltip=["task", "layer", "head", "effect", "low", "high", "p_holm"],
        marked="significant",
    )


def _layers(gates: pd.DataFrame, mode: str, unit: str, study: str, source: str) -> Section:
    rows = gates[(gates["family"] == "layer") & (gates["mode"] == mode)]
    columns = {f"{name}_{unit}": name for name in ("effect", "low", "high")}
    rows = rows[["task", "layer", *columns, "p_holm"]].rename(columns={**columns})
    name = f"ablate-layers-{mode}"
    drawn = rows.rename(columns={"effect": "value"}).astype({"layer": str})
    return Section(
        _title(study, f"each layer as a whole, {mode}"),
        f"All heads of one layer are set to {mode} ({source}). {precisions(gates)}",
        (
            Figure(
                name,
                f"Change of the primary metric with one layer off ({mode}, {unit})",
                "Dots are the change, lines its 95% paired bootstrap interval.",
                dots(drawn, "layer", f"change, {unit}", group="task"),
            ),
            Table(name, "Layers", f"Change in {unit} with its interval.", rows),
        ),
    )


def precisions(gates: pd.DataFrame) -> str:
    """In which precision matrix products were made, as a sentence."""
    return f"Matrix products in {' and '.join(gates['precision'].unique())}."


def _title(study: str, words: str) -> str:
    return f"{study}: {words}" if study else words.capitalize()


def _chosen(measures: Measures) -> Section:
    rows = measures.frame(HELD_OUT)
    columns = ["effect_picked_half", "effect_heldout", "low", "high"]
    rows = rows.assign(**{name: POINTS * rows[name] for name in columns})
    places = ["task", "seed", "family", "mode", "picked", "layer", "head"]
    return Section(
        "Chosen on one half, scored on the other",
        "The best of many noisy heads always looks like a gain on the examples that chose it. Here "
        "the best and the worst are chosen on one half of the examples and scored on the other, "
        "over many divisions; layer and head name the one chosen most often.",
        (
            Table(
                "ablate-heldout",
                "Best and worst heads and layers, held out",
                "Points; the interval is of the effect on the half that did not choose.",
                rows[places + columns],
            ),
        ),
    )


def _modes(gates: pd.DataFrame) -> Section:
    cells = gates[gates["family"] == "head"]
    table = cells.pivot(index=["task", "layer", "head"], columns="mode", values="effect_points")
    modes = list(cells["mode"].unique())
    correlations = pd.DataFrame(
        {
            "task": task,
            "first": first,
            "second": second,
            "spearman": part[first].rank().corr(part[second].rank()),
        }
        for task, part in table.groupby("task", sort=False)
        for place, first in enumerate(modes)
        for second in modes[place + 1 :]
    )
    return Section(
        "Do the ways of disabling agree?",
        "Rank correlation between the effects of all heads under two modes: zero (no output), "
        "uniform (equal attention), mean (its mean output).",
        (Table("ablate-modes", "Rank correlation of modes", "Spearman over heads.", correlations),),
    )


def _largest_first(cells: pd.DataFrame) -> pd.DataFrame:
    order = cells["effect"].abs().sort_values(ascending=False, kind="stable").index
    return cells.loc[order]


PAGE = Page(
    order=6,
    title="Heads and layers off",
    summary="What each head and each layer does for the tasks, by turning it off.",
    studies=("K8", "K9", "T4", "T9"),
    sections=sections,
    heads=heads,
)
