"""Grades of shuffled texts, and the heads that tell the order (query-title study, section 2.3)."""

import pandas as pd

from stages.core.pages.charts import dots, shares
from stages.core.pages.page import Figure, Page, Section, Table, heads_figure
from stages.core.stage.arms import TUNED
from stages.core.stage.tables import interval_names
from stages.core.verdicts import estimates
from stages.core.verdicts.estimates import Estimate, rows_over_seeds
from stages.core.verdicts.measures import Measures
from stages.word_order import tables

KEYS = ["task", "unit"]
SAID_OF_WRITTEN = (
    "Every text of the tasks written here is a whole sentence of a template, at each grade: no "
    "class of the training data is made of shuffled texts. "
)
SCALE = (
    "Grades here are the task's own; claims stretch them to the source's scale of five, where a "
    "task has more or fewer."
)


def sections(measures: Measures) -> list[Section]:
    found = over_seeds(measures)
    units = measures.frame(tables.TEXTS)["unit"].unique()
    graded = [_graded(measures, found[found["unit"] == unit], unit) for unit in units]
    return [*graded, _order_heads(measures, found)]


def over_seeds(measures: Measures) -> pd.DataFrame:
    """One row a task, unit, arm and quantity, over fine-tunings as claims have it.

    Where no text falls, what is asked of fallen ones is unknown, and no part of the mean.
    `examples` are those of one fine-tuning; of fallen texts, which differ, their mean.
    """
    keys, names = [*KEYS, "arm", "quantity"], interval_names(value="value")
    found = []
    for place, runs in measures.drawn(tables.QUANTITIES).groupby(keys, sort=False):
        if runs["value"].notna().any():
            runs = runs[runs["value"].notna()]
        rows = runs.to_dict("records")
        joint = estimates.over_seeds([Estimate.of_row(row, names, 0) for row in rows])
        limits = dict(zip(names, (joint.value, joint.low, joint.high), strict=True))
        count = {"examples": runs["examples"].mean(), "fine_tunings": len(runs)}
        found.append(dict(zip(keys, place, strict=True)) | limits | count)
    return pd.DataFrame(found)


def heads(measures: Measures) -> pd.DataFrame:
    """The score of each head of the tuned encoder, mean over fine-tunings, of the first unit."""
    rows = measures.frame(tables.HEADS)
    rows = rows[(rows["arm"] == TUNED) & (rows["unit"] == rows["unit"].iloc[0])]
    table = rows.pivot_table("score", ["layer", "head"], "task")
    return table[rows["task"].unique()].add_prefix("order score: ")


def said_of_grades(found: pd.DataFrame) -> str:
    """What the numbers of one task and unit show, in sentences.

    Args:
        found: one row a quantity: quantity, value, low, high.
    """
    rows = found.set_index("quantity")

    def said(quantity: str) -> str:
        value, low, high = (rows.loc[quantity, name] for name in ("value", "low", "high"))
        way = "rises" if low > 0 else "falls" if high < 0 else "is not shown to change"
        return f"{way} ({value:+.2f} grades, {low:+.2f} to {high:+.2f})"

    order, random = rows.loc[tables.ORDER_RISE], rows.loc[tables.RANDOM_RISE]
    sentences = [
        f"The mean grade {said(tables.FALL)} when the texts are shuffled",
        f"with the order heads off as well it {said(tables.ORDER_RISE)} from there",
        f"with random heads off it {said(tables.RANDOM_RISE)}",
    ]
    text = "; ".join(sentences) + ". "
    if rows.loc[tables.RISE_BEYOND, "low"] > 0 and order["low"] <= 0 and random["high"] < 0:
        text += (
            "So the grades are higher with order heads off than with random ones because random "
            "heads cost grades; that order heads bring any back is not shown. "
        )
    return text + said_of_fallen(rows)


def said_of_fallen(rows: pd.DataFrame) -> str:
    """What is shown of the texts whose grade fell.

    Args:
        rows: value, low and high of each quantity.
    """
    fallen, order, random = (
        rows.loc[name, "value"] for name in (tables.FALLEN, tables.ORDER_BACK, tables.RANDOM_BACK)
    )
    if not fallen:
        return "No text is graded lower."
    beyond = rows.loc[tables.BACK_BEYOND]
    shown = (
        "which is more"
        if beyond["low"] > 0
        else "which is fewer"
        if beyond["high"] < 0
        else "a difference that is not shown"
    )
    return (
        f"The grade falls on {fallen:.0%} of the texts; of these {order:.0%} come back by a grade "
        f"or more with the order heads off, {random:.0%} with random heads off: {shown}."
    )


def _graded(measures: Measures, found: pd.DataFrame, unit: str) -> Section:
    texts = measures.frame(tables.TEXTS).query("unit == @unit")
    own = found[found["arm"] == TUNED]
    said = [
        f"{task}: {said_of_grades(of_task)}" for task, of_task in own.groupby("task", sort=False)
    ]
    left_out = ", ".join(
        f"{row['without_other_order']} of {row['pairs']} ({row['task']})"
        for row in texts.drop_duplicates("task").to_dict("records")
    )
    return Section(
        f"T6: grades of shuffled texts, {unit}",
        f"The second text of every validation pair is given to the encoder with its {unit} in "
        "another order, drawn from the example's id; words are what stands between spaces, and in "
        "scripts that write none the pieces. Order heads are found on training texts and set to "
        "zero; random heads are as many of the same layers, others than these. "
        f"{SAID_OF_WRITTEN if texts['written'].any() else ''}"
        f"Left out, as they have no other order: {left_out}. {SCALE} {' '.join(said)}",
        (
            _distribution(measures, unit),
            _means(measures, unit),
            Table(
                f"word-order-{unit}",
                "What is exchanged, and what heads off change",
                "Differences of mean grades, and shares of texts, with 95% intervals over examples "
                "and, where random heads are part of it, draws; means over fine-tunings. Of one "
                "fine-tuning are the 'examples', of fallen texts their mean. A grade comes back "
                "where it is at least one nearer to that of the intact text.",
                own.drop(columns=["unit", "arm"]),
            ),
        ),
    )


def _distribution(measures: Measures, unit: str) -> Figure:
    rows = measures.frame(tables.GRADES).query("unit == @unit")
    keys = ["task", "condition", "place", "grade"]
    rows = rows.groupby(keys, sort=False)["share"].mean().reset_index()
    chart = shares(rows, "condition", "share", "grade", panel="task", title="share of texts")
    return Figure(
        f"word-order-grades-{unit}",
        f"Grades when {unit} are exchanged",
        "The share of validation texts with each grade, mean over fine-tunings; of random heads "
        "also over draws.",
        chart,
    )


def _means(measures: Measures, unit: str) -> Figure:
    rows = measures.frame(tables.MEANS).query("unit == @unit")
    table = rows_over_seeds(rows, ["task", "condition"], [("mean", "low", "high")])
    return Figure(
        f"word-order-means-{unit}",
        f"Mean grade when {unit} are exchanged",
        "Grades are counted from 0, the lowest; 95% intervals over examples, draws and "
        "fine-tunings. All but the random draws are of the same texts, so that differences are "
        "known better than the intervals say: see the table.",
        dots(
            table.rename(columns={"mean": "value"}),
            "condition",
            "mean grade",
            group="task",
            zero=False,
        ),
    )


def _order_heads(measures: Measures, found: pd.DataFrame) -> Section:
    rows = measures.frame(tables.HEADS)
    rows = rows.assign(panel=rows["task"] + ", " + rows["unit"] + ", " + rows["arm"])
    keys = ["panel", "layer", "head"]
    cells = rows.groupby(keys, sort=False).agg(
        score=("score", "mean"),
        intact=("intact", "mean"),
        by_position=("by_position", "mean"),
        former=("former", "mean"),
        found=("chosen", "sum"),
    )
    cells = cells.reset_index().assign(marked=lambda table: table["found"] > 0)
    scores = found[found["quantity"] == tables.SCORE]
    said = "; ".join(
        f"{row['task']}, {row['unit']}, {row['arm']}: {row['value']:.2f} "
        f"({row['low']:.2f} to {row['high']:.2f})"
        for row in scores.to_dict("records")
    )
    chosen = rows[rows["chosen"]].drop(columns=["chosen", "panel"])
    return Section(
        "T6: heads that tell the order",
        "The score of a head is the share of attention that words (or pieces) give to the one "
        "before, or behind, by position, in the intact or in the shuffled text, whichever is less, "
        "minus what they give in the shuffled text to the one that stood there before. It is 1 for "
        "a head that follows positions alone, -1 for one that follows contents alone, 0 where "
        "places make no difference. Heads are chosen on training texts, scored on validation "
        f"texts. The mean score of those chosen: {said}.",
        (
            heads_figure(
                "word-order-heads",
                "Score of every head",
                "Layer x head; a dot marks heads that count as order heads in at least one "
                "fine-tuning. Of the better direction of each head, mean over fine-tunings.",
                cells,
                "score",
                "score",
                panel="panel",
                diverging=True,
                tooltip=["panel", "layer", "head", "score", "intact", "by_position", "former"],
                marked="marked",
            ),
            Table(
                "word-order-heads",
                "Order heads",
                "What each gives on the validation texts: to the neighbour in the intact text, to "
                "the neighbour by position in the shuffled text, and there to the former one.",
                chosen[["task", "seed", *chosen.columns.drop(["task", "seed"])]],
            ),
        ),
    )


PAGE = Page(
    order=12,
    group="Heads turned off",
    title="Word order",
    summary="How shuffled texts are graded, and whether heads that tell the order see it.",
    studies=("T6",),
    sections=sections,
    heads=heads,
)
