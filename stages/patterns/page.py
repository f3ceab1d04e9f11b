"""How frequent each pattern is (Kovaleva et al. 2019, section 4.1, Figure 2)."""

import pandas as pd

from stages.core.pages.charts import shares
from stages.core.pages.page import Figure, Page, Section, Table, heads_figure
from stages.core.stage.arms import TUNED
from stages.core.verdicts.measures import Measures
from stages.patterns.said import (
    said_of_beyond,
    said_of_beyond_heads,
    said_of_frequent,
    said_of_heads,
    said_of_heterogeneous,
)
from stages.patterns.scores import confusions, recalls, said_of_recalls
from stages.patterns.tables import ANY, BEYOND, CHANCE, CORRECTED, FOLDS, HEADS, SHARES, SPECIAL


def sections(measures: Measures) -> list[Section]:
    return [_shares(measures), _corrected(measures), _beyond(measures), _heads(measures)]


def in_short(measures: Measures) -> list[str]:
    """Which patterns are frequent under the source's rule, and what needs no classifier."""
    table = measures.frame(SHARES)
    table = table[table["rule"] == SPECIAL]
    beyond = measures.frame(BEYOND).groupby("arm", sort=False)["beyond"].mean()
    said = [
        said_of_frequent(table, "task", "arm"),
        said_of_heterogeneous(table, "task", "arm", TUNED),
        said_of_beyond(beyond),
    ]
    return [sentence for sentence in said if sentence]


def heads(measures: Measures) -> pd.DataFrame:
    """The pattern that most of a tuned head's maps have, and its share of them."""
    cells = by_head(measures)
    tuned = cells[(cells["model"] == TUNED) & (cells["rule"] == SPECIAL)]
    first = tuned.sort_values("share", kind="stable").groupby(["layer", "head"]).last()
    return pd.DataFrame({"pattern": first["pattern"], "share of its maps": first["share"]})


def by_head(measures: Measures) -> pd.DataFrame:
    """One row an arm, rule, layer, head and pattern: share of the head's maps over all tasks."""
    table = measures.frame(HEADS)
    keys = ["arm", "rule", "layer", "head"]
    counts = table.groupby([*keys, "pattern"], sort=False)["maps"].sum().rename("share")
    cells = (counts / counts.groupby(keys).transform("sum")).reset_index()
    return cells.assign(model=cells["arm"])


def _shares(measures: Measures) -> Section:
    table = measures.frame(SHARES)
    table = table.assign(model=table["arm"])
    columns = ["rule", "task", "model", "pattern", "share", "low", "high", "examples"]
    return Section(
        "K3: share of each pattern",
        "Every map of every head is given one of the five patterns by the classifier, which sees "
        "no words: any stripe is Vertical to it (rule any). Under the rule special, the source's, "
        "a stripe is one on [CLS] or [SEP], and a map most of whose attention goes to neither "
        "these nor the neighbours is Heterogeneous; the limits are patterns.special in "
        "params.yaml. Claims are decided under the rule special.",
        (
            *(
                Figure(
                    f"patterns-shares-{rule}",
                    f"Share of each pattern, by task (rule {rule})",
                    "Stacked bars of the untuned encoder, the tuned one and random weights "
                    "add up to all maps.",
                    shares(table[table["rule"] == rule], "model", "share", "pattern", panel="task"),
                    finding=said_of_frequent(table[table["rule"] == rule], "task", "model"),
                )
                for rule in (SPECIAL, ANY)
            ),
            Table(
                "patterns-shares",
                "Shares",
                "Share of maps with its 95% bootstrap interval over examples.",
                table[columns],
            ),
        ),
    )


def _corrected(measures: Measures) -> Section:
    table = measures.frame(CORRECTED)
    folds = measures.frame(FOLDS)
    found = recalls(confusions(folds[folds["drawn_by"] == CHANCE], "network"))
    columns = ["task", "arm", "pattern", "share", "corrected", "low", "high", "labelled"]
    return Section(
        "Shares corrected for the classifier's mistakes",
        "If the classifier confuses all maps as it does labelled ones drawn by chance, which it "
        "did not see, these shares of the labels explain the shares of its predictions best. "
        f"{said_of_recalls(found)} Under the rule special no map of these encoders is labelled.",
        (
            Table(
                "patterns-corrected",
                "Corrected shares (rule any)",
                "Share of predictions; corrected share with its 95% bootstrap interval over "
                "examples and over the heads and random starts of the labelled maps; how many "
                "of these have the label. With no such map the class counts as recognised.",
                table[columns],
            ),
        ),
    )


def _beyond(measures: Measures) -> Section:
    table = measures.frame(BEYOND)
    keys = ["arm", "layer", "head"]
    mean = table.groupby(keys, sort=False)["beyond"].mean().reset_index()
    tuned = mean[mean["arm"] == TUNED]
    over_heads = table.groupby(["task", "arm"], sort=False)["beyond"].mean().reset_index()
    return Section(
        "Attention beyond [CLS], [SEP] and neighbours",
        "A figure that needs neither labels nor a classifier: the share of a head's attention that "
        "goes to other tokens than [CLS], [SEP] and a token's neighbours (setting patterns.special."
        "neighbours to either side, itself among them). What is heterogeneous has much of it.",
        (
            heads_figure(
                "patterns-beyond",
                "Attention beyond [CLS], [SEP] and neighbours (tuned, mean over tasks)",
                "Layer x head, of the tuned encoder; the darker, the more goes beyond them.",
                tuned,
                "beyond",
                "share of attention",
                panel="arm",
                tooltip=["layer", "head", "beyond"],
                finding=said_of_beyond_heads(tuned),
            ),
            Table(
                "patterns-beyond",
                "Mean over heads",
                "Share of attention, for each task and arm.",
                over_heads,
            ),
        ),
    )


def _heads(measures: Measures) -> Section:
    cells = by_head(measures)
    tuned = cells[(cells["model"] == TUNED) & (cells["rule"] == SPECIAL)]
    return Section(
        "Patterns of each head",
        "How the maps of each head divide among the patterns; a head need not keep to one.",
        (
            heads_figure(
                "patterns-heads",
                "Share of each head's maps with each pattern (tuned, all tasks, rule special)",
                "Layer x head for each pattern, of the tuned encoder.",
                tuned,
                "share",
                "share of maps",
                panel="pattern",
                tooltip=["pattern", "layer", "head", "share"],
                finding=said_of_heads(tuned),
            ),
            Table(
                "patterns-heads",
                "Every head",
                "Share of maps.",
                cells.pivot(
                    index=["rule", "model", "layer", "head"], columns="pattern", values="share"
                ).reset_index(),
            ),
        ),
    )


PAGE = Page(
    order=4,
    group="Where heads look",
    title="Patterns of attention",
    summary="How frequent each pattern is on each task and in each head.",
    studies=("K3",),
    sections=sections,
    heads=heads,
    in_short=in_short,
)
