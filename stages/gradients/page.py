"""Whether attention to special tokens is a no-op (Clark et al. 2019, section 3.2, Figure 3)."""

import pandas as pd

from stages.core.maps.gradient_tables import MASKED
from stages.core.pages.charts import curves
from stages.core.pages.page import Figure, Page, Section, Table
from stages.core.stage.arms import RANDOM_WEIGHTS
from stages.core.stage.tables import interval_names
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures
from stages.gradients.said import said_of_layers, said_of_separators
from stages.gradients.tables import TASKS

KIND_TITLES = {"cls": "[CLS]", "sep": "[SEP]", "punctuation": "punctuation", "words": "words"}


def sections(measures: Measures) -> list[Section]:
    rows = losses(measures)
    columns = ["panel", "layer", "to", "per_weight", "summed", "attention"]
    return [
        _section(
            rows,
            "per_weight",
            "C3: gradient of one weight",
            "The mean absolute gradient of the loss with respect to a weight of attention: what a "
            "small change of attention to such a token would do. Near 0, attending there more or "
            "less does nothing. Losses are of tasks and, where the checkpoint has an MLM head, of "
            "masked words; random weights stand beside the encoder.",
            (
                Table(
                    "gradients",
                    "Layer by layer",
                    "Mean over heads and texts: the gradient of one weight, all gradients of a "
                    "text added up, and the share of attention that the kind gets.",
                    rows[columns],
                ),
            ),
        ),
        _section(
            rows,
            "summed",
            "All weights to a kind of token together",
            "The same, added up over all weights of a text: there are many more words than special "
            "tokens.",
            (),
        ),
    ]


def losses(measures: Measures) -> pd.DataFrame:
    """The rows of the tasks' losses and, where there is an MLM head, of the loss of masked words.

    Raises:
        NotMeasured: there are neither.
    """
    tables = []
    for declared, label in ((MASKED, _masked), (TASKS, _task)):
        try:
            rows = measures.frame(declared)
        except NotMeasured:
            continue
        if len(rows):
            tables.append(label(rows))
    if not tables:
        raise NotMeasured("no gradients")
    rows = pd.concat(tables, ignore_index=True)
    return rows.assign(**{"to": rows["kind"].map(KIND_TITLES)})


def _masked(rows: pd.DataFrame) -> pd.DataFrame:
    panel = rows["corpus"] + ", masked words, " + rows["encoder"]
    return rows.assign(panel=panel, weights=rows["encoder"])


def _task(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(panel=rows["task"] + ", " + rows["arm"], weights=rows["arm"])


def in_largest(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """Values and intervals as shares of the largest value of their panel.

    Losses have units of their own, so that only shares of one loss can stand on one scale.
    """
    value, low, high = interval_names(column)
    limits = {low: "low", high: "high", value: "value"}
    points = rows[["panel", "weights", "kind", "to", "layer", *limits]].rename(columns=limits)
    largest = points.groupby("panel")["value"].transform("max")
    for name in ("value", "low", "high"):
        points[name] = points[name] / largest
    return points


def in_short(measures: Measures) -> list[str]:
    points = in_largest(losses(measures), "per_weight")
    own = points[points["weights"] != RANDOM_WEIGHTS].head(1)
    # The first loss, and the same of random weights.
    panels = [
        panel.removesuffix(weights) + whose
        for panel, weights in zip(own["panel"], own["weights"], strict=True)
        for whose in (weights, RANDOM_WEIGHTS)
    ]
    first = points[points["panel"].isin(panels)]
    said = [said_of_separators(points), *said_of_layers(first)]
    return [sentence for sentence in said if sentence]


def _section(
    rows: pd.DataFrame, column: str, title: str, text: str, tables: tuple[Table, ...]
) -> Section:
    points = in_largest(rows, column)
    return Section(
        title,
        text,
        (
            Figure(
                f"gradients-{column.replace('_', '-')}",
                title.partition(": ")[2].capitalize() or title,
                "One line a kind of token, one panel a loss; shares of the panel's largest value, "
                "with 95% intervals over texts.",
                curves(points, "layer", "layer", "share of the largest", group="to", panel="panel"),
                finding=said_of_separators(points),
            ),
            *tables,
        ),
    )


PAGE = Page(
    order=21,
    group="Where heads look",
    title="Is attention to [SEP] a no-op?",
    summary="Gradients of the loss with respect to attention, by what is attended to.",
    studies=("C3",),
    sections=sections,
    in_short=in_short,
)
