"""How frequent each pattern is (Kovaleva et al. 2019, section 4.1, Figure 2)."""

import pandas as pd

from stages.core.pages.charts import shares
from stages.core.pages.page import Figure, Page, Section, Table, heads_figure
from stages.core.stage.arms import TUNED
from stages.core.verdicts.measures import Measures
from stages.patterns.tables import HEADS, SHARES


def sections(measures: Measures) -> list[Section]:
    return [_shares(measures), _heads(measures)]


def heads(measures: Measures) -> pd.DataFrame:
    """The pattern that most of a tuned head's maps have, and its share of them."""
    cells = by_head(measures)
    tuned = cells[cells["model"] == TUNED].sort_values("share", kind="stable")
    first = tuned.groupby(["layer", "head"]).last()
    return pd.DataFrame({"pattern": first["pattern"], "share of its maps": first["share"]})


def by_head(measures: Measures) -> pd.DataFrame:
    """One row an arm, layer, head and pattern: share of the head's maps over all tasks."""
    table = measures.frame(HEADS)
    keys = ["arm", "layer", "head"]
    counts = table.groupby([*keys, "pattern"], sort=False)["maps"].sum().rename("share")
    cells = (counts / counts.groupby(keys).transform("sum")).reset_index()
    return cells.assign(model=cells["arm"])


def _shares(measures: Measures) -> Section:
    table = measures.frame(SHARES)
    table = table.assign(model=table["arm"])
    columns = ["task", "model", "pattern", "share", "low", "high", "examples"]
    return Section(
        "K3: share of each pattern",
        "Every map of every head is given one of the five patterns by the classifier.",
        (
            Figure(
                "patterns-shares",
                "Share of each pattern, by task",
                "Stacked bars of the untuned encoder, the tuned one and random weights "
                "add up to all maps.",
                shares(table, "model", "share", "pattern", panel="task"),
            ),
            Table(
                "patterns-shares",
                "Shares",
                "Share of maps with its 95% bootstrap interval over examples.",
                table[columns],
            ),
        ),
    )


def _heads(measures: Measures) -> Section:
    cells = by_head(measures)
    tuned = cells[cells["model"] == TUNED]
    return Section(
        "Patterns of each head",
        "How the maps of each head divide among the patterns; a head need not keep to one.",
        (
            heads_figure(
                "patterns-heads",
                "Share of each head's maps with each pattern (tuned, all tasks)",
                "Layer x head for each pattern.",
                tuned,
                "share",
                "share of maps",
                panel="pattern",
                tooltip=["pattern", "layer", "head", "share"],
            ),
            Table(
                "patterns-heads",
                "Every head",
                "Share of maps.",
                cells.pivot(
                    index=["model", "layer", "head"], columns="pattern", values="share"
                ).reset_index(),
            ),
        ),
    )


PAGE = Page(
    order=4,
    title="Patterns of attention",
    summary="How frequent each pattern is on each task and in each head.",
    studies=("K3",),
    sections=sections,
    heads=heads,
)
