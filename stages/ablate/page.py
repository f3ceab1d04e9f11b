"""Ablated heads and layers (Kovaleva et al. 2019, 4.6; query-title study, 2.1 and 2.4.2)."""

from collections.abc import Callable
from contextlib import suppress
from itertools import combinations

import pandas as pd

from stages.ablate.shared_heads import by_heads_of_others
from stages.core.outcomes.deciding import deciding_rows
from stages.core.outcomes.tables import GATES, HELD_OUT, MEANS
from stages.core.pages.declared import HeadColumn, Page, Section
from stages.core.pages.joined import joined
from stages.core.pages.kinds import Curves, Dots, Grid, HeadGrid
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.tables import Value
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures

SIGNIFICANCE = 0.05
SHOWN, SELECTED = 5, 2  # heads of each task
KEYS = ["data", "arm", "mode", "layer", "head"]
POINTS = Value("change", unit="points", format="+.1f", interval=True)
PERCENT = Value("change", unit="percent", format="+.1f", interval=True)
SOURCES = {
    "uniform": "Kovaleva et al., section 4.6: equal attention to every token",
    "zero": "query-title study, sections 2.1 and 2.4.2: no output",
    "mean": "the mean output of the head; only this project has this mode, and no control has it",
}
HOW = (
    "Change of accuracy, or of the correlation of scores, on the same examples. Below 0 (red) the "
    "task gets worse. "
)
CONTROL = (
    "The control is an encoder that was tuned from random weights: an effect that also appears "
    "there is not caused by pretraining. Its head at a place has nothing else in common with the "
    "pretrained head there."
)


def effects(column: str = "effect", **conditions: str) -> Callable[[Measures], pd.DataFrame]:
    """A function that returns one row a task, arm, mode and gate, in points or percent.

    `significant`: p < 0.05 after Holm's correction, in every fine-tuning.
    """
    selection = deciding_rows(GATES, **conditions)

    def rows(measures: Measures) -> pd.DataFrame:
        table = joined(measures, selection, column, scale=100)
        runs = measures.rows(selection).groupby(KEYS)
        over_runs = runs.agg(p_holm=("p_holm", "max"), baseline=("baseline", "mean"))
        table = table.drop(columns=list(over_runs)).join(over_runs, on=KEYS)
        ends = [f"{column}_low", f"{column}_high"]
        shown = [*KEYS, column, *ends, "p_holm", "baseline", "examples", "precision"]
        return table[shown].assign(significant=table["p_holm"] < SIGNIFICANCE)

    return rows


def largest_first(mode: str, column: str) -> Callable[[Measures], pd.DataFrame]:
    """A function that returns the effects of single heads, the largest change first."""

    def rows(measures: Measures) -> pd.DataFrame:
        heads = effects(column, family="head", mode=mode)(measures)
        return heads.sort_values(column, key=lambda change: -change.abs(), kind="stable")

    return rows


def worst_heads(measures: Measures) -> pd.DataFrame:
    """The heads that each task needs most, and their effects in points."""
    heads = effects(family="head", mode="uniform")(measures).sort_values("effect", kind="stable")
    worst = heads[heads["arm"] == TUNED].groupby("data", sort=False).head(SHOWN)
    return worst.sort_values(["data", "effect"], kind="stable")


def by_others(measures: Measures) -> pd.DataFrame:
    """One row an arm and ordered pair of tasks: the loss of one without the other's heads."""
    losses = {TUNED: by_heads_of_others(measures, SELECTED)}
    with suppress(NotMeasured):
        losses[TUNED_FROM_RANDOM] = by_heads_of_others(measures, SELECTED, TUNED_FROM_RANDOM)
    rows = [
        {"data": scored, "heads": f"heads of {selecting}", "arm": arm, "effect": loss.value}
        | {"effect_low": loss.low, "effect_high": loss.high, "examples": loss.n}
        for arm, of_pairs in losses.items()
        for (scored, selecting), loss in of_pairs.items()
    ]
    return pd.DataFrame(rows)


def held_out(measures: Measures) -> pd.DataFrame:
    """The best and the worst gate of each task, arm, family and mode, in points."""
    rows = joined(measures, deciding_rows(HELD_OUT), "effect", scale=100)
    return rows.assign(effect_picked_half=100 * rows["effect_picked_half"])


def best_head(measures: Measures) -> pd.DataFrame:
    """The best head of each task, arm and mode, in points."""
    rows = held_out(measures)
    return rows[(rows["family"] == "head") & (rows["picked"] == "best")]


def agreement_of_modes(measures: Measures) -> pd.DataFrame:
    """One row a task and pair of modes: Spearman's correlation over heads of the mean effects."""
    heads = effects(family="head", arm=TUNED)(measures)
    modes, rows = list(heads["mode"].unique()), []
    for task, of_task in heads.groupby("data", sort=False):
        table = of_task.pivot(index=["layer", "head"], columns="mode", values="effect")
        rows += [
            {"data": task, "first": first, "second": second}
            | {"spearman": table[first].rank().corr(table[second].rank())}
            for first, second in combinations(modes, 2)
            if {first, second} <= set(table)
        ]
    return pd.DataFrame(rows, columns=["data", "first", "second", "spearman"])


def arms_together(measures: Measures) -> pd.DataFrame:
    """One row a task, mode and arm: effects of single heads in points."""
    keys = ["data", "mode", "arm"]
    heads = effects(family="head")(measures)
    sure, rises = heads["significant"], heads["effect"] > 0
    heads = heads.assign(helps=sure & rises, hurts=sure & (heads["effect"] < 0))
    table = heads.groupby(keys, sort=False).agg(
        examples=("examples", "first"),
        all_heads=("baseline", lambda metric: 100 * metric.iloc[0]),
        largest_gain=("effect", "max"),
        largest_loss=("effect", "min"),
        helping_heads=("helps", "sum"),
        hurting_heads=("hurts", "sum"),
    )
    mean = joined(measures, deciding_rows(MEANS, family="head"), "effect", scale=100)
    ends = {"effect": "mean", "effect_low": "mean_low", "effect_high": "mean_high"}
    table = table.join(mean.set_index(keys)[list(ends)].rename(columns=ends))
    best = best_head(measures).set_index(keys)["effect"].rename("best_held_out")
    table = table.join(best).reset_index().sort_values(["mode", "arm"], kind="stable")
    return table.sort_values("data", key=lambda data: data.map(measures.tasks.index), kind="stable")


def views(mode: str, column: str, of: Value, heads: str = "", layers: str = "") -> list[Section]:
    """The sections of single heads and of whole layers under one mode."""
    return [
        Section(
            f"{heads}: each head alone, {mode}" if heads else f"Each head alone, {mode}",
            f"One head at a time is ablated ({SOURCES[mode]}). {HOW}{CONTROL}",
            (
                HeadGrid(
                    f"ablate-heads-{mode}",
                    f"Change with one head ablated ({mode}, {of.unit})",
                    effects(column, family="head", mode=mode),
                    column,
                    f"A dot marks heads with p < {SIGNIFICANCE} after Holm's correction.",
                    of=of,
                    marked="significant",
                ),
                Grid(
                    f"ablate-heads-{mode}",
                    "Every head, the largest change first",
                    largest_first(mode, column),
                    caption="p is that of the examples of each fine-tuning, the largest of them.",
                ),
            ),
        ),
        Section(
            f"{layers}: each layer as a whole, {mode}"
            if layers
            else f"Each layer as a whole, {mode}",
            f"All heads of one layer are ablated ({SOURCES[mode]}). {HOW}",
            (
                Curves(
                    f"ablate-layers-{mode}",
                    f"Change with one layer ablated ({mode}, {of.unit})",
                    effects(column, family="layer", mode=mode),
                    column,
                    of=of,
                ),
                Grid(
                    f"ablate-layers-{mode}",
                    "Every layer",
                    effects(column, family="layer", mode=mode),
                ),
            ),
        ),
    ]


PAGE = Page(
    title="Ablated heads and layers",
    summary="The change of every task when one head or one layer is ablated.",
    group="Heads turned off",
    order=6,
    studies=("K8", "K8b", "K9", "T4", "T9"),
    content=(
        *views("uniform", "effect", POINTS, "K8", "K9"),
        *views("zero", "relative", PERCENT, "T9", "T4"),
        *views("mean", "effect", POINTS),
        Section(
            "K8b: do tasks need the same heads?",
            "Kovaleva et al. (section 5) find the same two heads behind STS-B and RTE. A few "
            "examples decide which heads are the worst. So each task is scored without the "
            f"{SELECTED} heads that another task needs most, each alone.",
            (
                Dots(
                    "ablate-by-others",
                    f"Change of a task without the {SELECTED} heads that another task needs most",
                    by_others,
                    "effect",
                    "Change less the mean change without any other head. Below 0 the task needs "
                    "the other task's heads more than other heads. Tasks not learnt are left out.",
                    of=POINTS,
                    label=("data", "heads"),
                ),
                Grid("ablate-by-others", "Change without the heads of another task", by_others),
                Grid("ablate-rested-on", f"The {SHOWN} heads each task needs most", worst_heads),
            ),
        ),
        Section(
            "Selected on one half, scored on the other",
            "The best of many noisy heads always looks like a gain on the examples that selected "
            "it. So one half of the examples selects, and the other half scores, over many "
            "divisions. Layer and head name the one selected most often.",
            (
                Dots(
                    "ablate-heldout",
                    "Change without the head that looks best to ablate",
                    best_head,
                    "effect",
                    of=POINTS,
                    label=("mode",),
                ),
                Grid("ablate-heldout", "Best and worst heads and layers, in points", held_out),
            ),
        ),
        Section(
            "Do the modes agree?",
            "Rank correlation between the effects of all heads under two modes: zero (no output), "
            "uniform (equal attention), mean (the mean output).",
            (Grid("ablate-modes", "Spearman's correlation over heads", agreement_of_modes),),
        ),
        Section(
            "Pretrained and random weights",
            f"Single heads of both encoders, in points. {CONTROL}",
            (
                Grid(
                    "ablate-control-heads",
                    "Both encoders, one head ablated at a time",
                    arms_together,
                    caption="Accuracy, or the correlation of scores, with all heads; the mean "
                    "effect of a head with its interval; the largest gain and loss; how many heads "
                    f"help or hurt when ablated (p < {SIGNIFICANCE} after Holm's correction); and "
                    "the gain of the best head, selected on one half, scored on the other.",
                ),
            ),
        ),
    ),
    head_columns=tuple(
        HeadColumn(
            f"effect of ablation ({mode}, points)",
            effects(family="head", mode=mode),
            "effect",
            join="each",
            show={"p_holm": "p (Holm)"},
            text=f"{HOW}With its 95% interval. {CONTROL}",
            of=POINTS,
        )
        for mode in SOURCES
    ),
)
