"""Grades of shuffled texts, and the heads that tell the order (query-title study, section 2.3)."""

import pandas as pd

from stages.core.pages.charts import dots, shares
from stages.core.pages.page import Figure, Page, Section, Table, heads_figure
from stages.core.stage.arms import TUNED
from stages.core.stage.tables import interval_names
from stages.core.verdicts import estimates
from stages.core.verdicts.answers import NotMeasured, some_rows
from stages.core.verdicts.estimates import Estimate, rows_over_seeds
from stages.core.verdicts.measures import Measures
from stages.word_order import tables
from stages.word_order.said import (
    said_of_changes,
    said_of_fallen,
    said_of_grades,
    said_of_means,
    said_of_order_heads,
    said_of_scores,
    said_of_shares,
)

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
    rows = some_rows(measures.drawn(tables.QUANTITIES))
    for place, runs in rows.groupby(keys, sort=False):
        if runs["value"].notna().any():
            runs = runs[runs["value"].notna()]
        of_runs = runs.to_dict("records")
        joint = estimates.over_seeds([Estimate.of_row(row, names, 0) for row in of_runs])
        limits = dict(zip(names, (joint.value, joint.low, joint.high), strict=True))
        count = {"examples": runs["examples"].mean(), "fine_tunings": len(runs)}
        found.append(dict(zip(keys, place, strict=True)) | limits | count)
    return pd.DataFrame(found)


def in_short(measures: Measures) -> list[str]:
    """Of the first task and unit: heads that tell the order, grades, and texts that fall."""
    found = over_seeds(measures)
    own = found[found["arm"] == TUNED]
    if own.empty:
        raise NotMeasured("no tuned encoder was measured")
    task, unit = own[KEYS].iloc[0]
    own = own[(own["task"] == task) & (own["unit"] == unit)]
    grades = [said_of_changes(own), said_of_fallen(own.set_index("quantity"))]
    return [said for said in (said_of_order_heads(found, task, unit), *grades) if said]


def heads(measures: Measures) -> pd.DataFrame:
    """The score of each head of the tuned encoder, mean over fine-tunings, of the first unit."""
    rows = some_rows(measures.frame(tables.HEADS))
    rows = rows[(rows["arm"] == TUNED) & (rows["unit"] == rows["unit"].iloc[0])]
    table = rows.pivot_table("score", ["layer", "head"], "task")
    return table[rows["task"].unique()].add_prefix("order score: ")


def _graded(measures: Measures, found: pd.DataFrame, unit: str) -> Section:
    texts = measures.frame(tables.TEXTS).query("unit == @unit")
    own = found[found["arm"] == TUNED]
    said = " ".join(
        f"{task}: {said_of_grades(of_task)}" for task, of_task in own.groupby("task", sort=False)
    )
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
        f"Left out, as they have no other order: {left_out}. {SCALE}",
        (
            _distribution(measures, unit),
            _means(measures, unit, said),
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
        finding=said_of_shares(rows),
    )


def _means(measures: Measures, unit: str, said: str) -> Figure:
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
        finding=f"{said_of_means(table)} {said}",
    )


def _order_heads(measures: Measures, found: pd.DataFrame) -> Section:
    rows = measures.frame(tables.HEADS)
    rows = rows.assign(panel=rows["task"] + ", " + rows["unit"] + ", " + rows["arm"])
    keys = ["panel", "task", "unit", "arm", "layer", "head"]
    cells = rows.groupby(keys, sort=False).agg(
        score=("score", "mean"),
        intact=("intact", "mean"),
        by_position=("by_position", "mean"),
        former=("former", "mean"),
        found=("chosen", "sum"),
    )
    cells = cells.reset_index().assign(marked=lambda table: table["found"] > 0)
    chosen_score = [
        said_of_order_heads(found, *place)
        for place in found[KEYS].drop_duplicates().itertuples(index=False)
    ]
    chosen = rows[rows["chosen"]].drop(columns=["chosen", "panel"])
    return Section(
        "T6: heads that tell the order",
        "The score of a head is the share of attention that words (or pieces) give to the one "
        "before, or behind, by position, in the intact or in the shuffled text, whichever is less, "
        "minus what they give in the shuffled text to the one that stood there before. It is 1 for "
        "a head that follows positions alone, -1 for one that follows contents alone, 0 where "
        "places make no difference. Heads are chosen on training texts, scored on validation "
        "texts.",
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
                finding=" ".join([said_of_scores(cells), *chosen_score]),
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
    in_short=in_short,
)
