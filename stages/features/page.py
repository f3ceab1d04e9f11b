"""Attention to kinds of tokens before and after tuning (Kovaleva et al. 2019, 4.4 and 4.5)."""

import pandas as pd

from stages.core.intervals.held_out import SCORE
from stages.core.pages.charts import dots
from stages.core.pages.page import Figure, Page, Section, Table, heads_figure
from stages.core.stage.arms import TUNED
from stages.core.verdicts.measures import Measures
from stages.features.said import said_of_changes, said_of_cls, said_of_heads, said_of_matches
from stages.features.tables import AGGREGATES, CHANGES, CLS, HEADS, MATCHES, RISES, SHARES

MAXIMUM = AGGREGATES[0]


def sections(measures: Measures) -> list[Section]:
    cells = measures.frame(HEADS)
    tuned = cells[(cells["arm"] == TUNED) & (cells["aggregate"] == MAXIMUM)]
    # What both tasks' texts have, mean over tasks.
    mean = tuned.groupby(["kind", "layer", "head"], sort=False)["change_share"].mean()
    return [
        Section(
            "K6: what tuning changes",
            "Attention that the tokens of a kind get from all tokens, divided by the length; of "
            "several in a text the largest (maximum, as in the source) or all together (sum), "
            "texts without any left out. Tuned less untuned. "
            "By spelling and as a substring are the original's ways of finding a kind: any "
            "piece that is spelt alike, any word that has the letters.",
            (
                heads_figure(
                    "features-change",
                    "Change of attention by tuning, mean over tasks",
                    "Layer x head for each kind of token; the largest of a text.",
                    mean.reset_index(),
                    "change_share",
                    "share of attention",
                    panel="kind",
                    tooltip=["kind", "layer", "head", "change_share"],
                    diverging=True,
                    format=".3f",
                    finding=said_of_heads(mean.reset_index()),
                ),
                Table(
                    "features-shares",
                    "What each kind gets",
                    "Mean over examples and heads: in all layers, in the lower (early) and in the "
                    "upper half of the layers (late).",
                    _means(measures.frame(SHARES), ["task", "kind", "aggregate", "arm"]),
                ),
                Table(
                    "features-change",
                    "How much each kind changes",
                    "Mean over examples and heads: absolute change by tuning, and change in the "
                    "lower (early) and upper (late) half of the layers.",
                    _means(measures.frame(CHANGES), ["task", "kind", "aggregate"]),
                ),
                Table(
                    "features-rises",
                    "Where each kind gains most",
                    "The head in which tuning adds most attention to the kind, chosen on one half "
                    "of the examples; value, with its 95% interval, is what it adds there on the "
                    "other half. Same says whether all halves chose the same head.",
                    _rises(measures.frame(RISES)),
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
        _matches(measures.frame(MATCHES)),
    ]


def in_short(measures: Measures) -> list[str]:
    changes = _means(measures.frame(CHANGES), ["task", "kind", "aggregate"])
    cls = measures.frame(CLS).rename(columns={"share": "value", "arm": "model"})
    said = [
        said_of_changes(changes[changes["aggregate"] == MAXIMUM]),
        said_of_cls(cls[cls["aggregate"] == MAXIMUM]),
        *said_of_matches(measures.frame(MATCHES))[:1],
    ]
    return [sentence for sentence in said if sentence]


def _means(rows: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """The mean over examples of every other column."""
    return rows.drop(columns="id").groupby(keys, sort=False).mean().reset_index()


def _rises(rows: pd.DataFrame) -> pd.DataFrame:
    columns = ["task", "kind", "aggregate", "layer", "head", *SCORE, "cases", "same"]
    return rows[columns].rename(columns={"cases": "examples"})


def _table(cells: pd.DataFrame) -> pd.DataFrame:
    """One row a task, kind, aggregate and head."""
    places = ["task", "kind", "aggregate", "layer", "head"]
    shares = cells.pivot(index=places, columns="arm", values="share")
    tuned = cells[cells["arm"] == TUNED].set_index(places)
    changes = tuned[["change_share", "change_low", "change_high", "examples"]]
    return shares.join(changes.rename(columns={"change_share": "change"})).reset_index()


def _cls(measures: Measures) -> Section:
    rows = measures.frame(CLS)
    rows = rows.assign(model=rows["arm"]).rename(columns={"share": "value"})
    plain = rows[~rows["kind"].str.contains("spelling|substring")]
    tuned = plain[(plain["model"] == TUNED) & (plain["aggregate"] == MAXIMUM)]
    return Section(
        "K7: what [CLS] looks at in the last layer",
        "The largest weight from [CLS] to a token of the kind (maximum, as in the source), or "
        "all of them together (sum); mean over heads and examples. Kinds overlap: a subject may "
        "be a noun.",
        (
            Figure(
                "features-cls",
                "From [CLS] in the last layer of the tuned encoder",
                "A dot with its 95% interval over examples for each kind; the largest weight.",
                dots(
                    tuned.assign(label=tuned["kind"]), "label", "share of attention", group="task"
                ),
                finding=said_of_cls(plain[plain["aggregate"] == MAXIMUM]),
            ),
            Table("features-cls", "Every kind", "Shares of attention.", rows.drop(columns="arm")),
        ),
    )


def _matches(rows: pd.DataFrame) -> Section:
    tuned = rows[rows["arm"] == TUNED]
    return Section(
        "K8b: words that stand in both texts",
        "From a word that stands in both texts of a pair to the same word in the other text, less "
        "what the other words there get from it on average; mean over words and examples. A head "
        "that tells no words apart has 0. Tasks of single texts are left out.",
        (
            heads_figure(
                "features-matches",
                "What the same word in the other text gains, tuned encoder",
                "Layer x head for each task, as shares of attention.",
                tuned,
                "gain",
                "share of attention",
                tooltip=["task", "layer", "head", "gain", "low", "high"],
                diverging=True,
                format=".3f",
                finding=" ".join(said_of_matches(rows)),
            ),
            Table(
                "features-matches",
                "Every head",
                "Shares of attention with their 95% interval over examples, before and after "
                "tuning and with random weights.",
                rows[["task", *rows.columns.drop("task")]],
            ),
        ),
    )


def heads(measures: Measures) -> pd.DataFrame:
    """What tuning adds to attention to [CLS] and [SEP], mean over tasks."""
    cells = measures.frame(HEADS)
    tuned = cells[(cells["arm"] == TUNED) & (cells["aggregate"] == MAXIMUM)]
    tuned = tuned[tuned["kind"].isin(["cls", "sep"])]
    mean = tuned.groupby(["layer", "head", "kind"])["change_share"].mean().unstack()
    return mean.rename(columns={"cls": "tuning: to [CLS]", "sep": "tuning: to [SEP]"})


PAGE = Page(
    order=27,
    group="What tuning does",
    title="What tuning changes",
    summary="Attention to special tokens, parts of speech and negation, before and after tuning.",
    studies=("K6", "K7", "K8b"),
    sections=sections,
    heads=heads,
    in_short=in_short,
)
