"""Random shares of heads that are off (query-title study, section 2.1)."""

import pandas as pd

from stages.core.outcomes.deciding import deciding
from stages.core.outcomes.tables import CURVES, GAPS
from stages.core.pages.charts import curves
from stages.core.pages.joined_seeds import drawn_rows_over_seeds
from stages.core.pages.page import Figure, Page, Section, Table
from stages.core.pages.said import ABOVE, BELOW, NOT_SHOWN, listed, measured, number, sides
from stages.core.pages.shared_figures import CHANGE
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM, Arm
from stages.core.stage.tables import MeasuredTable, interval_names
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures, of_arm

BANDS = {"all": "all layers", "lower": "lower half", "upper": "upper half"}
PERCENT = 100


def sections(measures: Measures) -> list[Section]:
    points = relative_changes(measures)
    return [
        _section(points[points["mode"] == mode], mode, " ".join(_said(measures, mode)))
        for mode in _modes(points)
    ]


def in_short(measures: Measures) -> list[str]:
    return _said(measures, _modes(relative_changes(measures))[0])


def _said(measures: Measures, mode: str) -> list[str]:
    """What the curves of one mode say, of the tuned encoder and of its control."""
    own, gaps, control = (
        _of_mode(measures, declared, arm, mode)
        for declared, arm in ((CURVES, TUNED), (GAPS, TUNED), (CURVES, TUNED_FROM_RANDOM))
    )
    beside = said_of_all(control)
    beside = f"Control, tuned from random weights: {beside}" if beside else ""
    return [sentence for sentence in (said_of_all(own), said_of_halves(gaps), beside) if sentence]


def _of_mode(measures: Measures, declared: MeasuredTable, arm: Arm, mode: str) -> pd.DataFrame:
    """Relative changes of one table and mode; no rows where it was not measured, or has none.

    A configuration without shares of halves writes a table of gaps that has no rows.
    """
    try:
        points = relative_changes(measures, declared, arm)
    except NotMeasured:
        return pd.DataFrame(columns=["task", "mode", "band", "share", "value", "low", "high"])
    return points[points["mode"] == mode]


def _modes(points: pd.DataFrame) -> list[str]:
    """The study's own mode first."""
    return sorted(points["mode"].unique(), key=lambda mode: (mode != "zero", mode))


def said_of_all(points: pd.DataFrame) -> str:
    """On each task the smallest share of all heads whose loss is shown, and what it costs.

    Every share is asked by itself; more than one may look like a loss by chance.
    """
    points = points[(points["band"] == BANDS["all"]) & (points["share"] > 0)]
    parts, never = [], []
    for task, own in points.groupby("task", sort=False):
        lost = own[sides(own) == BELOW].sort_values("share", kind="stable")
        if lost.empty:
            never.append(task)
            continue
        row = lost.iloc[0]
        size = measured(row["value"], row["low"], row["high"], "+.0f", "percent")
        parts.append(f"on {task} {row['share']:.0f}% of the heads ({size})")
    said = []
    if parts:
        said.append(f"the smallest random share of all heads whose loss is shown: {listed(parts)}")
    asked = points.groupby("task", sort=False)["share"].max()
    for most in sorted({asked[task] for task in never}):
        tasks = [task for task in never if asked[task] == most]
        said.append(
            f"no loss is shown up to {number(most, '.0f')}% of all heads on {listed(tasks)}"
        )
    text = "; ".join(said)
    return f"{text[0].upper()}{text[1:]}." if text else ""


def said_of_halves(gaps: pd.DataFrame) -> str:
    """Which half costs more with the largest share of its heads off, on each task.

    Args:
        gaps: task, share, value, low, high: the lower half's change less the upper's, in percent.
    """
    if gaps.empty:
        return ""
    last = gaps.loc[gaps.groupby("task", sort=False)["share"].idxmax()]
    words = {
        BELOW: "the lower half costs more than the upper on",
        ABOVE: "the upper half costs more than the lower on",
        NOT_SHOWN: "which half costs more is not shown on",
    }
    parts = []
    for place, said in words.items():
        rows = last[sides(last) == place]
        tasks = [
            f"{row['task']} ({measured(abs(row['value']), *_ends(row), '.0f', 'percent')})"
            for row in rows.to_dict("records")
        ]
        if tasks:
            parts.append(f"{said} {listed(tasks)}")
    shares = [number(share, ".0f") for share in sorted(last["share"].unique())]
    return f"With {listed(shares)}% of a half's heads off, {'; '.join(parts)}."


def _ends(row: dict) -> tuple[float, float]:
    """The ends of the interval of the absolute value, of a value that may be below 0."""
    ends = (row["low"], row["high"])
    return ends if row["value"] >= 0 else (-ends[1], -ends[0])


def relative_changes(
    measures: Measures, declared: MeasuredTable = CURVES, arm: Arm = TUNED
) -> pd.DataFrame:
    """One row a task, mode, band and share of heads, in percent; change in percent of the baseline.

    Gaps between the halves have no band.

    Changes are means over fine-tunings; `draws` are the same sets in each of the `fine_tunings`.
    """
    rows = deciding(of_arm(measures.drawn(declared), arm))
    rows = rows.assign(share=PERCENT * rows["share"])
    keys = ["task", "mode", "share"]
    if "band" in rows:
        rows = rows.assign(band=rows["band"].map(BANDS))
        keys.insert(2, "band")
    joint = drawn_rows_over_seeds(rows, keys, [interval_names("relative")]).set_index(keys)
    table = (PERCENT * joint).set_axis(["value", "low", "high"], axis=1).reset_index()
    counts = rows.groupby(keys, sort=False).agg(
        draws=("draws", "max"), fine_tunings=("seed", "count")
    )
    return table.merge(counts.reset_index(), on=keys, validate="one_to_one")


def _section(points: pd.DataFrame, mode: str, finding: str) -> Section:
    name = f"shares-{mode}"
    return Section(
        f"T2, T3: a random share of heads, {mode}",
        "The share is of the heads of the band: all layers, the lower half or the upper half of "
        "them. The band around each line speaks of other draws of heads, other examples and, where "
        "there are several, other fine-tunings.",
        (
            Figure(
                name,
                f"{CHANGE} with a random share off ({mode}, relative)",
                "Lines are means over the draws, bands their 95% interval; 0 is the metric with "
                "all heads on.",
                curves(
                    points,
                    "share",
                    "share of the band's heads off, %",
                    "change, %",
                    group="band",
                    panel="task",
                ),
                finding=finding,
            ),
            Table(
                name,
                "Points of the curves",
                "Share of heads and change of the metric, both in percent.",
                points,
            ),
        ),
    )


PAGE = Page(
    order=7,
    group="Heads turned off",
    title="Random shares of heads off",
    summary="How many heads can go, and whether the lower or the upper layers matter more.",
    studies=("T2", "T3"),
    sections=sections,
    in_short=in_short,
)
