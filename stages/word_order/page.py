"""Grades of shuffled texts, and the order heads (query-title study, section 2.3)."""

import pandas as pd

from stages.core.pages.declared import HeadColumn, Page, Section
from stages.core.pages.joined import joined
from stages.core.pages.kinds import Dots, Grid, HeadGrid, Shares
from stages.core.verdicts.measures import Measures
from stages.word_order.tables import (
    BACK_BEYOND,
    CHANGES,
    FALL,
    FALLEN,
    GRADES,
    HEADS,
    INTACT_RISE,
    MEANS,
    ORDER_BACK,
    ORDER_RISE,
    RANDOM_BACK,
    RANDOM_RISE,
    RETURNS,
    RISE_BEYOND,
    SCORES,
    SPARED,
    TEXTS,
    UNITS,
)

DIFFERENCES = {
    FALL: "shuffled minus intact",
    ORDER_RISE: "order heads ablated, shuffled",
    RANDOM_RISE: "random heads ablated, shuffled",
    RISE_BEYOND: "order heads minus random heads ablated, shuffled",
    INTACT_RISE: "order heads ablated, intact",
    SPARED: "order heads ablated, shuffled minus intact",
}
RETURN_WORDS = {
    FALLEN: "graded lower when shuffled",
    ORDER_BACK: "of these, back with order heads ablated",
    RANDOM_BACK: "of these, back with random heads ablated",
    BACK_BEYOND: "order heads minus random heads",
}


def heads_over_seeds(measures: Measures) -> pd.DataFrame:
    """The score of every head over seeds; `marked` if any seed selected it as an order head."""
    keys = ["data", "arm", "unit", "layer", "head"]
    selected = measures.rows(HEADS).groupby(keys)["selected"].any().rename("marked")
    return joined(measures, HEADS, "score").join(selected, on=keys)


def grades_of_unit(unit: str) -> Section:
    """The section of one kind of exchanged units."""
    return Section(
        f"T6: grades of shuffled texts, {unit}",
        f"The {unit} of the second text of every validation pair are in another order, drawn from "
        "the example's id. Words stand between spaces; scripts without spaces have pieces. "
        "Training texts select the order heads, which are then set to zero. Random heads are other "
        "heads of the same layers, the same number in each. Texts without another order are left "
        "out. In texts of a template every grade has whole sentences: no class of the training "
        "data has shuffled texts. Grades are the task's own; claims stretch them to the source's "
        "scale of five.",
        (
            Dots(
                f"word-order-changes-{unit}",
                "Changes of the mean grade",
                CHANGES.where(unit=unit),
                "change",
                label=("difference",),
                words=lambda difference: DIFFERENCES[difference],
            ),
            Dots(
                f"word-order-returns-{unit}",
                "Texts that are graded lower, and those that come back",
                RETURNS.where(unit=unit),
                "share",
                "A grade comes back if ablation brings it nearer to that of the intact text by at "
                "least one.",
                label=("texts",),
                words=lambda texts: RETURN_WORDS[texts],
                bound=None,
            ),
            Shares(
                f"word-order-grades-{unit}",
                f"Grades when {unit} are exchanged",
                GRADES.where(unit=unit),
                "share",
                "Means over fine-tunings; those of random heads also over draws.",
                label="condition",
                kind="grade",
            ),
            Dots(
                f"word-order-means-{unit}",
                f"Mean grade when {unit} are exchanged",
                MEANS.where(unit=unit),
                "mean_grade",
                "Grades are counted from 0, the lowest. Conditions share their texts, so their "
                "differences are known better than these intervals say.",
                label=("condition",),
                bound=None,
            ),
            Grid(
                f"word-order-{unit}",
                "Changes in every fine-tuning",
                CHANGES.where(unit=unit),
                words={"difference": DIFFERENCES},
            ),
            Grid(
                f"word-order-returns-{unit}",
                "Fallen texts in every fine-tuning",
                RETURNS.where(unit=unit),
                words={"texts": RETURN_WORDS},
            ),
            Grid(f"word-order-texts-{unit}", "Exchanged texts", TEXTS.where(unit=unit)),
        ),
    )


PAGE = Page(
    title="Word order",
    summary="How shuffled texts are graded, and whether heads that tell the order see it.",
    group="Heads turned off",
    order=12,
    studies=("T6",),
    content=(
        *(grades_of_unit(unit) for unit in UNITS),
        Section(
            "T6: heads that tell the order",
            "The score of a head is its attention to the unit before, or behind, by position, "
            "minus its attention in the shuffled text to the unit that stood there before. The "
            "attention by position is the smaller of that in the intact and in the shuffled text. "
            "The score is 1 for positions alone, -1 for contents alone, 0 if positions make no "
            "difference. Training texts select heads, validation texts score them.",
            (
                HeadGrid(
                    "word-order-heads",
                    "Score of every head",
                    heads_over_seeds,
                    "score",
                    "A dot marks order heads of at least one fine-tuning. The direction is the "
                    "better one on training texts.",
                    of=HEADS.values["score"],
                    panel=("unit",),
                    marked="marked",
                ),
                Dots(
                    "word-order-scores",
                    "Mean score of the order heads, held out",
                    SCORES,
                    "score",
                    label=("unit",),
                ),
                Grid("word-order-heads", "Order heads", HEADS.where(selected=True)),
            ),
        ),
    ),
    head_columns=tuple(
        HeadColumn(
            f"order score, {unit}",
            HEADS.where(unit=unit),
            "score",
            join="each",
            text=f"Attention to the neighbour by position minus attention to the former one, when "
            f"{unit} of the second text are exchanged.",
        )
        for unit in UNITS
    ),
)
