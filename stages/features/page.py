"""Attention to kinds of tokens before and after tuning (Kovaleva et al. 2019, 4.4 and 4.5)."""

import pandas as pd

from stages.core.pages.charts import dots
from stages.core.pages.page import Figure, Page, Section, Table, heads_figure
from stages.core.stage.arms import TUNED
from stages.core.verdicts.measures import Measures
from stages.features.tables import CLS, CONTRASTS, HEADS

MEANS = ["change", "early_change", "late_change", "share", "early", "late"]


def sections(measures: Measures) -> list[Section]:
    cells = measures.frame(HEADS)
    tuned = cells[cells["arm"] == TUNED]
    # What both tasks' texts have, mean over tasks.
    mean = tuned.groupby(["kind", "layer", "head"], sort=False)["change_share"].mean()
    contrasts = measures.frame(CONTRASTS)
    changes = contrasts.groupby(["task", "kind"], sort=False)[MEANS].mean().reset_index()
    return [
        Section(
            "K6: what tuning changes",
            "Attention that the tokens of a kind get from all tokens, divided by the length; the "
            "largest where a text has several, texts without it left out. Tuned less untuned. "
            "`by spelling` and `as a substring` are the original's ways of finding a kind: any "
            "piece that is spelt alike, any word that has the letters.",
            (
                heads_figure(
                    "features-change",
                    "Change of attention by tuning, mean over tasks",
                    "Layer x head for each kind of token.",
                    mean.reset_index(),
                    "change_share",
                    "share of attention",
                    panel="kind",
                    tooltip=["kind", "layer", "head", "change_share"],
                    diverging=True,
                    format=".3f",
                ),
                Table(
                    "features-change",
                    "How much each kind changes",
                    "Mean over examples and heads: absolute change by tuning, change in the lower "
                    "(early) and upper (late) half of the layers, and what the tuned encoder gives "
                    "to it in all layers, in the lower and in the upper half.",
                    changes,
                ),
                Table(
                    "features-heads",
                    "Every head",
                    "Attention to each kind before and after tuning and with random weights, and "
                    "the change by tuning with its 95% interval.",
                    _table(cells),
                ),
            ),
        ),
        _cls(measures),
    ]


def _table(cells: pd.DataFrame) -> pd.DataFrame:
    """One row a task, kind and head."""
    places = ["task", "kind", "layer", "head"]
    shares = cells.pivot(index=places, columns="arm", values="share")
    tuned = cells[cells["arm"] == TUNED].set_index(places)
    changes = tuned[["change_share", "change_low", "change_high", "examples"]]
    return shares.join(changes.rename(columns={"change_share": "change"})).reset_index()


def _cls(measures: Measures) -> Section:
    rows = measures.frame(CLS)
    rows = rows.assign(model=rows["arm"]).rename(columns={"share": "value"})
    plain = rows[~rows["kind"].str.contains("spelling|substring")]
    tuned = plain[plain["model"] == TUNED]
    return Section(
        "K7: what [CLS] looks at in the last layer",
        "All weights from [CLS] to the tokens of a kind, added up, mean over heads and examples. "
        "Kinds overlap: a subject may be a noun.",
        (
            Figure(
                "features-cls",
                "From [CLS] in the last layer of the tuned encoder",
                "A dot with its 95% interval over examples for each kind.",
                dots(
                    tuned.assign(label=tuned["kind"]), "label", "share of attention", group="task"
                ),
            ),
            Table("features-cls", "Every kind", "Shares of attention.", rows.drop(columns="arm")),
        ),
    )


def heads(measures: Measures) -> pd.DataFrame:
    """What tuning adds to attention to [CLS] and [SEP], mean over tasks."""
    cells = measures.frame(HEADS)
    tuned = cells[(cells["arm"] == TUNED) & cells["kind"].isin(["cls", "sep"])]
    mean = tuned.groupby(["layer", "head", "kind"])["change_share"].mean().unstack()
    return mean.rename(columns={"cls": "tuning: to [CLS]", "sep": "tuning: to [SEP]"})


PAGE = Page(
    order=27,
    title="What tuning changes",
    summary="Attention to special tokens, parts of speech and negation, before and after tuning.",
    studies=("K6", "K7"),
    sections=sections,
    heads=heads,
)
