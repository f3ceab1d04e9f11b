"""Attention to kinds of tokens before and after tuning (Kovaleva et al. 2019, 4.4 and 4.5)."""

import pandas as pd

from stages.core.pages.declared import HeadColumn, Page, Section
from stages.core.pages.kinds import Dots, Grid, HeadGrid
from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED
from stages.core.verdicts.measures import Measures
from stages.features.tables import CHANGES, CLS, HEADS, MATCHES, MAXIMUM, RISES, SHARES

SPELT = "spelling|substring"  # the original's ways of finding a kind
WITH_CONTROL = [TUNED, RANDOM_WEIGHTS]


def mean_changes(measures: Measures) -> pd.DataFrame:
    """One row a kind and head: the change by tuning, mean over the tasks whose texts have both."""
    rows = measures.rows(HEADS.where(arm=TUNED, aggregate=MAXIMUM))
    return rows.groupby(["kind", "layer", "head"], sort=False)["change"].mean().reset_index()


def from_cls(measures: Measures) -> pd.DataFrame:
    """The largest weights of [CLS] by arm and kind, without the original's ways of finding one."""
    rows = measures.rows(CLS.where(arm=WITH_CONTROL, aggregate=MAXIMUM))
    return rows[~rows["kind"].str.contains(SPELT)]


def mean_shares(measures: Measures) -> pd.DataFrame:
    """One row a task, arm, kind and aggregate: shares and changes by tuning, mean over examples."""
    keys = ["data", "arm", "kind", "aggregate"]
    shares, changes = (
        measures.rows(table).groupby(keys, sort=False)[list(table.values)].mean()
        for table in (SHARES, CHANGES)
    )
    return shares.join(changes).reset_index()


PAGE = Page(
    title="What tuning changes",
    summary="Attention to special tokens, parts of speech and negation, before and after tuning.",
    group="What tuning does",
    order=27,
    studies=("K6", "K7", "K8b"),
    content=(
        Section(
            "K6: attention to kinds of tokens",
            "The attention that a token gets from all tokens, divided by the length of the text. "
            "Of several tokens of a kind, `maximum` takes the largest, as the source does; `sum` "
            "adds them. Texts without the kind are left out. A change is tuned minus untuned. "
            "The original finds kinds by spelling (all pieces that are spelt alike) and negation "
            "as a substring (all words with these letters).",
            (
                HeadGrid(
                    "features-change",
                    "Change of attention by tuning",
                    mean_changes,
                    "change",
                    "Mean over tasks; the largest token of a text.",
                    panel=("kind",),
                    of=HEADS.values["change"],
                ),
                Grid(
                    "features-shares",
                    "Attention to each kind",
                    mean_shares,
                    caption="Mean over examples and heads.",
                    values={**SHARES.values, **CHANGES.values},
                ),
                Grid(
                    "features-rises",
                    "The head in which each kind gains most",
                    RISES,
                    caption="One half of the examples selects the head, the other half scores it.",
                ),
                Grid("features-heads", "Every head", HEADS),
            ),
        ),
        Section(
            "K7: attention of [CLS] in the last layer",
            "The largest weight from [CLS] to a token of the kind (`maximum`, as in the source), "
            "or the sum of all; mean over heads and examples. Kinds overlap: a subject may be a "
            "noun.",
            (
                Dots(
                    "features-cls",
                    "From [CLS] in the last layer",
                    from_cls,
                    "share",
                    "The largest weight.",
                    of=CLS.values["share"],
                    label=("kind",),
                ),
                Grid("features-cls", "Every kind", CLS),
            ),
        ),
        Section(
            "K8b: words that stand in both texts",
            "The attention from a word that stands in both texts of a pair to the same word in the "
            "other text, minus the mean attention to the other words there. It is a mean over "
            "words and examples. A head that does not tell words apart has 0.",
            (
                HeadGrid(
                    "features-matches",
                    "Gain of the same word in the other text",
                    MATCHES.where(arm=WITH_CONTROL),
                    "gain",
                ),
                Grid("features-matches", "Every head", MATCHES),
            ),
        ),
    ),
    head_columns=tuple(
        HeadColumn(
            f"tuning: to {token}",
            HEADS.where(arm=TUNED, aggregate=MAXIMUM, kind=kind),
            "change",
            text=f"The change of attention to {token} by tuning.",
        )
        for kind, token in (("cls", "[CLS]"), ("sep", "[SEP]"))
    ),
)
