"""Heads through which attacks go, and what [CLS] attends to, on the page of readers."""

import pandas as pd

from stages.core.pages.charts import shares
from stages.core.pages.page import Figure, Section, Table, heads_figure
from stages.core.stage.arms import TUNED
from stages.core.stage.tables import interval_names
from stages.core.verdicts.estimates import Estimate, difference_of
from stages.core.verdicts.measures import Measures
from stages.reading.attacks import TO_PASSAGE
from stages.reading.in_points import POINTS, estimates_over_sets, of_tuned, rows_in_points
from stages.reading.learnt import not_learnt
from stages.reading.over_sets import VALUE
from stages.reading.said import said_of_cls, said_of_head
from stages.reading.tables import (
    ATTACKED,
    CHOICES,
    CLS,
    CLS_HEADS,
    EFFECT,
    END,
    HEADS,
    INTACT,
    PARTS,
    PROBABILITY,
)

END_WORDS = "appended (intact: end)"


def on_learnt(measures: Measures, rows: pd.DataFrame) -> pd.DataFrame:
    """The rows on sets that the reader has learnt: no others say what heads do for it."""
    return rows[~rows["questions"].isin(not_learnt(measures))].reset_index(drop=True)


def heads_section(measures: Measures) -> Section:
    rows = on_learnt(measures, measures.frame(HEADS))
    choices = on_learnt(measures, measures.drawn(CHOICES))
    keys = ["questions", "attack", "reader"]
    rows = rows.assign(panel=rows[keys].agg(", ".join, axis=1))
    cells = rows.groupby(["panel", *keys, "layer", "head"], sort=False)[EFFECT].mean()
    cells = (POINTS * cells).reset_index()
    best = cells.loc[cells.groupby("panel", sort=False)[EFFECT].idxmax()]
    cells = cells.assign(marked=cells.index.isin(best.index))
    said = [sentence for of_set in said_of_chosen_heads(measures).values() for sentence in of_set]
    return Section(
        "M2: heads through which an attack goes",
        "The effect of an attack on a question is the probability of the right option under it "
        "less that of the intact question. With one head off it may be less; a head without which "
        "the reader knows nothing lessens it too, so that it stands beside what attacked and "
        "intact questions change by themselves. The head is chosen on half of the passages and "
        "asked on the other half. Layers and heads are counted from 0.",
        (
            heads_figure(
                "reading-heads",
                "By how much the attack costs less with each head off",
                "Layer x head, a panel a set, attack and reader; in points of the probability of "
                "the right option, mean over fine-tunings. A dot marks the largest of a panel.",
                cells,
                EFFECT,
                "points",
                panel="panel",
                diverging=True,
                marked="marked",
                finding=" ".join(said),
            ),
            Table(
                "reading-choices",
                "Heads that half of the passages choose, on the other half",
                "Change of accuracy and of the probability of the right option, as shares: of the "
                "attack's `effect`, and on `attacked` questions. The rival is no head off.",
                choices.drop(columns=[name for name in choices if name.endswith("_drawn")]),
            ),
        ),
    )


def said_of_chosen_heads(measures: Measures) -> dict[str, list[str]]:
    """Of every set that was learnt a sentence an attack: whether it goes through some head."""
    choices = on_learnt(measures, measures.drawn(CHOICES))
    own = choices[(choices["outcome"] == PROBABILITY) & (choices["reader"] == TUNED)]
    said: dict[str, list[str]] = {}
    for (questions, attack), some in own.groupby(["questions", "attack"], sort=False):
        effect, attacked = (
            rows_in_points(some[some["change"] == change], ["questions", "attack"]).iloc[0]
            for change in (EFFECT, ATTACKED)
        )
        chosen = some[some["change"] == EFFECT]
        names = dict.fromkeys(f"{row.layer}-{row.head}" for row in chosen.itertuples())
        limits = [Estimate(*(one[name] for name in VALUE), 0) for one in (effect, attacked)]
        of_head = said_of_head(str(questions), str(attack), " or ".join(names), *limits)
        said.setdefault(str(questions), []).append(of_head)
    return said


def cls_section(measures: Measures) -> Section:
    rows = on_learnt(measures, measures.drawn(CLS))
    cells = on_learnt(measures, measures.frame(CLS_HEADS))
    keys = ["questions", "reader"]
    bars = rows.groupby([*keys, "condition", "part"], sort=False)["share"].mean().reset_index()
    order = [END_WORDS if part == END else part for part in PARTS]
    bars = bars.assign(
        part=pd.Categorical(bars["part"].replace(END, END_WORDS), order),
        panel=bars["questions"] + ", " + bars["reader"],
    ).sort_values(["panel", "condition", "part"], kind="stable")
    bars = bars.assign(part=bars["part"].astype(str))
    own = cells[(cells["condition"] == TO_PASSAGE) & (cells["part"] == END)]
    own = own.assign(panel=own["questions"] + ", " + own["reader"])
    own = own.groupby(["panel", "layer", "head"], sort=False)["beyond"].mean().reset_index()

    def beyond(run: pd.DataFrame, *names: str) -> Estimate:
        of_end = run[run["part"] == END].set_index("condition").to_dict("index")
        parts = [Estimate.of_row(of_end[name], interval_names("beyond"), 0) for name in names]
        return parts[0] if len(parts) == 1 else difference_of(*parts)

    found = estimates_over_sets(
        of_tuned(rows),
        {
            "beyond": lambda run: beyond(run, TO_PASSAGE),
            "intact": lambda run: beyond(run, TO_PASSAGE, INTACT),
        },
    )
    said = [said_of_cls(name, one["beyond"], one["intact"]) for name, one in found.items()]
    chart = shares(bars, "condition", "share", "part", panel="panel", title="share of attention")
    return Section(
        "M2: what the [CLS] of a reader attends to",
        "An option is scored from [CLS]. Its attention is shared out over the parts of the row; "
        "the intact row has in place of appended words as many of its own at its end.",
        (
            Figure(
                "reading-cls",
                f"Attention of [CLS] intact and under {TO_PASSAGE}",
                "Mean over heads, options and questions, special tokens among the parts. The "
                "sentence below counts words alone, and takes off the share of the words that the "
                "appended ones are.",
                chart,
                finding=" ".join(said),
            ),
            heads_figure(
                "reading-cls-heads",
                "Attention of [CLS] to appended words, beyond their number",
                "Layer x head, a panel a set and reader: their share of the attention to words "
                "less their share of the words, mean over fine-tunings.",
                own,
                "beyond",
                "share",
                panel="panel",
                diverging=True,
            ),
        ),
    )
