"""Heads that find antecedents (Clark et al. 2019, section 4.3, Table 2)."""

import numpy as np
import pandas as pd

from stages.core.pages.declared import HeadColumn, Page, Section
from stages.core.pages.kinds import Dots, Grid, HeadGrid
from stages.core.stage.arms import RANDOM_WEIGHTS
from stages.core.verdicts.measures import Measures
from stages.coreference.tables import ALL_KINDS, BEST, HEADS

PERCENT = 100
BEST_HEAD = "best head"
# Clark et al. 2019, Table 2, in percent of the mentions, on OntoNotes with BERT-base.
PUBLISHED = pd.DataFrame(
    {
        "all": [27, 52, 69, 65],
        "pronoun": [29, 47, 70, 64],
        "proper": [29, 67, 77, 73],
        "nominal": [19, 40, 60, 58],
    },
    index=["nearest", "head match", "rules", BEST_HEAD],
)


def without_doubles(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows without those of all mentions if one kind has them all: they repeat its rows."""
    kinds = rows[rows["kind"] != ALL_KINDS]
    whole = kinds.groupby(["data", "arm"])["cases"].max()
    keys = zip(rows["data"], rows["arm"], strict=True)
    largest = pd.Series([whole.get(key, -1) for key in keys], index=rows.index)
    return rows[(rows["kind"] != ALL_KINDS) | (rows["cases"] != largest)]


def with_published(measures: Measures) -> pd.DataFrame:
    """The best head and each rule, with both accuracies that Clark et al. print, as shares.

    If one half of the texts has no mention, the head has no score and no row. Random weights have
    no published accuracy of a head.
    """
    rows = without_doubles(measures.rows(BEST).dropna(subset="score"))
    shares = PUBLISHED / PERCENT
    known = rows["kind"].isin(list(shares))
    rules = [
        shares.loc[rule, kind] if kind in shares else np.nan
        for kind, rule in zip(rows["kind"], rows["rule"], strict=True)
    ]
    heads = rows["kind"].map(shares.loc[BEST_HEAD])
    return rows.assign(
        published=heads.where(known & (rows["arm"] != RANDOM_WEIGHTS)), published_rule=rules
    )


def by_kind(measures: Measures) -> pd.DataFrame:
    """The accuracy of every head for each kind of mention."""
    return without_doubles(measures.rows(HEADS))


PAGE = Page(
    title="Coreference",
    summary="Which heads link a mention to its antecedent, against rules.",
    group="What heads know of language",
    order=24,
    studies=("C6",),
    content=(
        Section(
            "C6: the antecedent of a mention",
            "A head's antecedent is the earlier mention to whose head word the mention's own head "
            "word attends most. Mentions with an antecedent in the same window are counted. Heads "
            "and rules choose among the same candidates. The head is selected on all mentions of "
            "one half of the texts and scored on the other, both ways. The rules are: the nearest "
            "mention, the nearest with the same head word ('head match'), and a sieve of full "
            "string, head word, number, gender and person, nearest ('rules'). Claims are decided "
            "on natural text alone. Sentences written here follow a few templates, in which random "
            "weights can do better than the nearest mention.",
            (
                Dots(
                    "coreference",
                    "Accuracy of the best head and of each rule, held out",
                    with_published,
                    "score",
                    of=BEST.values["score"],
                    label=("kind", "rule"),
                    published=(PUBLISHED.loc[BEST_HEAD] / PERCENT).to_dict(),
                    source="best head in Clark et al., Table 2",
                    rival="rival",
                    rival_title="rule",
                    gain="gain",
                ),
                Grid(
                    "coreference",
                    "Share of mentions whose antecedent is found",
                    with_published,
                    columns=(
                        *("data", "arm", "kind", "cases", "layer", "head"),
                        *("score", "score_low", "score_high", "published"),
                        *("rule", "rival", "published_rule", "gain", "gain_low", "gain_high"),
                        "same",
                    ),
                    titles={
                        "cases": "mentions",
                        "score": "accuracy",
                        "published": "accuracy in Clark et al.",
                        "rival": "accuracy of the rule",
                        "published_rule": "accuracy of the rule in Clark et al.",
                        "same": "same head in all halves",
                    },
                    height=40,
                    caption="The gain is the accuracy of the best head minus that of the rule, "
                    "with the 95% interval of the difference over groups of texts. If all mentions "
                    "are of one kind, only this kind has rows.",
                ),
                HeadGrid(
                    "coreference-heads",
                    "Accuracy of every head, by kind of mention",
                    by_kind,
                    "accuracy",
                    of=HEADS.values["accuracy"],
                    panel=("kind",),
                    caption="On all texts.",
                ),
            ),
        ),
    ),
    head_columns=tuple(
        HeadColumn(
            "coreference" if kind == ALL_KINDS else f"coreference, {kind}",
            HEADS.where(kind=kind),
            "accuracy",
            join="first",
            text="How often the mention to which the head attends most is the antecedent.",
        )
        for kind in PUBLISHED
    ),
)
