"""Heads and layers that are off (Kovaleva et al. 2019, 4.6; query-title study, 2.1 and 2.4.2)."""

from contextlib import suppress

import pandas as pd

from stages.ablate.control_section import control_section
from stages.ablate.said import (
    said_of_effects,
    said_of_held_out,
    said_of_modes,
    said_of_others,
)
from stages.ablate.shared_heads import by_heads_of_others
from stages.core.outcomes.deciding import deciding
from stages.core.outcomes.tables import HELD_OUT
from stages.core.pages.charts import dots
from stages.core.pages.joined_seeds import drawn_rows_over_seeds
from stages.core.pages.page import Figure, Page, Section, Table
from stages.core.pages.shared_figures import (
    CHANGE,
    POINTS,
    SIGNIFICANCE,
    by_task,
    effects,
    effects_figure,
    precisions,
    preferred_mode,
    single_heads,
)
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM, Arm
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures, of_arm

SHOWN, CHOSEN = 5, 2  # heads of each task
MEAN = "no study's, but this project's: what a head says of every example alike stays"


def sections(measures: Measures) -> list[Section]:
    gates, control = effects(measures), _control(measures)
    views = [
        (_heads, "uniform", "points", "K8", "Kovaleva et al., section 4.6, Figure 8"),
        (_layers, "uniform", "points", "K9", "Kovaleva et al., section 4.6, Figure 9"),
        (_heads, "zero", "percent", "T9", "query-title study, section 2.4.2"),
        (_layers, "zero", "percent", "T4", "query-title study, section 2.1"),
        (_heads, "mean", "points", "", MEAN),
        (_layers, "mean", "points", "", MEAN),
    ]
    measured = set(gates["mode"])
    drawn = [draw(gates, control, mode, *words) for draw, mode, *words in views if mode in measured]
    rested_on = []
    if "uniform" in measured:
        with suppress(NotMeasured):  # no task was learnt
            rested_on = [_rested_on(measures, gates)]
    of_control = [] if control is None else [control_section(measures)]
    return [*drawn, *rested_on, _chosen(measures), _modes(gates), *of_control]


def in_short(measures: Measures) -> list[str]:
    gates, control = effects(measures), _control(measures)
    mode = preferred_mode(gates)
    best = _best_held_out(measures, TUNED, mode)
    try:
        beside = _best_held_out(measures, TUNED_FROM_RANDOM, mode)
    except NotMeasured:
        beside = None
    said = [
        _said(gates, control, "head", mode, "points"),
        said_of_held_out(best, beside),
        _said(gates, control, "layer", mode, "points"),
    ]
    return [sentence for sentence in said if sentence]


def _best_held_out(measures: Measures, arm: Arm, mode: str) -> pd.DataFrame:
    """What the best head of one half gains on the other, in points, over fine-tunings."""
    rows = deciding(of_arm(measures.drawn(HELD_OUT), arm))
    rows = rows[(rows["family"] == "head") & (rows["mode"] == mode) & (rows["picked"] == "best")]
    columns = ("effect_heldout", "low", "high")
    if rows.empty:
        return rows[["task", *columns]]
    rows = drawn_rows_over_seeds(rows, ["task"], [columns])
    return rows.assign(**{name: POINTS * rows[name] for name in columns})


def _control(measures: Measures) -> pd.DataFrame | None:
    """The effects in the encoder that was tuned from random weights, where there are any."""
    try:
        return effects(measures, TUNED_FROM_RANDOM)
    except NotMeasured:
        return None


def _said(
    gates: pd.DataFrame, control: pd.DataFrame | None, family: str, mode: str, unit: str
) -> str:
    own = _cells(gates, family, mode, unit)
    beside = None if control is None else _cells(control, family, mode, unit)
    return said_of_effects(own, family, unit, beside)


def _cells(gates: pd.DataFrame, family: str, mode: str, unit: str) -> pd.DataFrame:
    """Effects of single heads or whole layers under one mode, as `single_heads` gives them."""
    if family == "head":
        return single_heads(gates, mode, unit)
    rows = gates[(gates["family"] == "layer") & (gates["mode"] == mode)]
    columns = {f"{name}_{unit}": name for name in ("effect", "low", "high")}
    rows = rows[["task", "layer", *columns, "p_holm"]].rename(columns=columns)
    return rows.assign(significant=rows["p_holm"] < SIGNIFICANCE)


def heads(measures: Measures) -> pd.DataFrame:
    """Effect of each head on each task, in points (`uniform`, or the first mode measured)."""
    tuned = by_task(effects(measures)).add_prefix("off: ")
    if (gates := _control(measures)) is not None:
        tuned = tuned.join(by_task(gates).add_prefix(f"{TUNED_FROM_RANDOM}, off: "))
    return tuned.add_suffix(" (points)")


def _heads(
    gates: pd.DataFrame,
    control: pd.DataFrame | None,
    mode: str,
    unit: str,
    study: str,
    source: str,
) -> Section:
    cells = single_heads(gates, mode, unit)
    name = f"ablate-heads-{mode}"
    return Section(
        _title(study, f"each head alone, {mode}"),
        f"One head at a time is set to {mode} ({source}). Red cells: the task gets worse without "
        f"the head; blue cells: it gets better. {precisions(gates)}",
        (
            effects_figure(
                name,
                f"{CHANGE} with one head off ({mode}, {unit})",
                cells,
                unit,
                finding=_said(gates, control, "head", mode, unit),
            ),
            Table(
                name,
                "Heads with the largest effects",
                f"Change in {unit} with its 95% paired bootstrap interval, over fine-tunings too "
                "where there are several; largest first. p is of the "
                "examples of each fine-tuning by itself, the largest of them, so it may be small "
                "where the interval over fine-tunings meets 0.",
                _largest_first(cells),
            ),
        ),
    )


def _layers(
    gates: pd.DataFrame,
    control: pd.DataFrame | None,
    mode: str,
    unit: str,
    study: str,
    source: str,
) -> Section:
    rows = _cells(gates, "layer", mode, unit).drop(columns="significant")
    name = f"ablate-layers-{mode}"
    drawn = rows.rename(columns={"effect": "value"}).astype({"layer": str})
    return Section(
        _title(study, f"each layer as a whole, {mode}"),
        f"All heads of one layer are set to {mode} ({source}). {precisions(gates)}",
        (
            Figure(
                name,
                f"{CHANGE} with one layer off ({mode}, {unit})",
                "Dots are the change, lines its 95% paired bootstrap interval, over fine-tunings "
                "too where there are several.",
                dots(drawn, "layer", f"change, {unit}", group="task"),
                finding=_said(gates, control, "layer", mode, unit),
            ),
            Table(name, "Layers", f"Change in {unit} with its interval.", rows),
        ),
    )


def _title(study: str, words: str) -> str:
    return f"{study}: {words}" if study else words.capitalize()


def _rested_on(measures: Measures, gates: pd.DataFrame) -> Section:
    cells = single_heads(gates, "uniform", "points").sort_values("effect", kind="stable")
    worst = cells.groupby("task", sort=False).head(SHOWN)
    rows = [
        {
            "task": scores,
            "heads of": chooses,
            "change": found.value,
            "low": found.low,
            "high": found.high,
            "examples": found.n,
        }
        for (scores, chooses), found in by_heads_of_others(measures, CHOSEN).items()
    ]
    by_others = pd.DataFrame(
        rows, columns=["task", "heads of", "change", "low", "high", "examples"]
    )
    return Section(
        "K8b: do tasks rest on the same heads?",
        "Kovaleva et al. (section 5) find the same two heads behind STS-B and RTE. Which heads are "
        "the worst turns over with a few examples; so here each task is scored without the "
        f"{CHOSEN} heads that another task chose, each alone. {said_of_others(by_others)}".strip(),
        (
            Table(
                "ablate-rested-on",
                f"The {SHOWN} heads without which each task loses most",
                "Mode uniform, change in points with its 95% paired bootstrap interval, over seeds "
                "too where there are several.",
                worst.sort_values(["task", "effect"], kind="stable"),
            ),
            Table(
                "ablate-by-others",
                f"What a task loses without the {CHOSEN} heads that another loses most without",
                "Change in points less the mean change without any other head, with its 95% "
                "interval over examples and, of several fine-tunings, over seeds. Below 0 the task "
                "needs the other's heads more than others. Tasks not learnt are left out.",
                by_others,
            ),
        ),
    )


def _chosen(measures: Measures) -> Section:
    rows = deciding(of_arm(measures.frame(HELD_OUT), TUNED))
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
    rows = [
        {
            "task": task,
            "first": first,
            "second": second,
            "spearman": part[first].rank().corr(part[second].rank()),
        }
        for task, part in table.groupby("task", sort=False)
        for place, first in enumerate(modes)
        for second in modes[place + 1 :]
    ]
    correlations = pd.DataFrame(rows, columns=["task", "first", "second", "spearman"])
    return Section(
        "Do the ways of disabling agree?",
        "Rank correlation between the effects of all heads under two modes: zero (no output), "
        "uniform (equal attention), mean (its mean output). "
        f"{said_of_modes(correlations)}".strip(),
        (Table("ablate-modes", "Rank correlation of modes", "Spearman over heads.", correlations),),
    )


def _largest_first(cells: pd.DataFrame) -> pd.DataFrame:
    order = cells["effect"].abs().sort_values(ascending=False, kind="stable").index
    return cells.loc[order]


PAGE = Page(
    order=6,
    group="Heads turned off",
    title="Heads and layers off",
    summary="What each head and each layer does for the tasks, by turning it off.",
    studies=("K8", "K8b", "K9", "T4", "T9"),
    sections=sections,
    heads=heads,
    in_short=in_short,
)
