"""Heads that match equal terms across a pair (query-title study, 2.1 and 2.4)."""

import pandas as pd

from stages.core.pages.declared import HeadColumn, Page, Section
from stages.core.pages.joined import joined
from stages.core.pages.kinds import Dots, Grid, HeadGrid
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.tables import interval_of
from stages.core.verdicts.measures import Measures
from stages.matching.tables import (
    ABLATED,
    ALL,
    DRAWS,
    GROUPS,
    HEADS,
    LOWER_HALF,
    MATCHING,
    NONE,
    OTHERS,
    RANDOM,
    READING,
    REST,
    REST_RANDOM,
    SCORE,
    SHARES,
    STRONGEST,
    UPPER,
    UPPER_HALF,
)

ABLATED_WORDS = {
    NONE: "no head",
    MATCHING: "the matching heads",
    RANDOM: "random heads of the same layers",
    LOWER_HALF: "the lower half",
    UPPER_HALF: "the upper half",
    REST: "the lower half except the matching heads",
    REST_RANDOM: "the lower half except random heads",
}
GROUP_WORDS = {
    MATCHING: "matching heads",
    STRONGEST: "strongest heads of the lower half",
    OTHERS: "other heads of the lower half",
    UPPER: "strongest heads of the upper half",
}
FIGURE_WORDS = {SCORE: HEADS.values[SCORE].title} | {
    name: value.title for name, value in SHARES.items()
}
# The table of section 2.4: the change of accuracy as a share of itself.
PUBLISHED = {MATCHING: -0.524, RANDOM: 0.0, LOWER_HALF: -0.865, REST: -0.181}
SCORES_OF_GROUPS = GROUPS.where(figure=SCORE).without(group=[MATCHING])


def effects_over_seeds(measures: Measures) -> pd.DataFrame:
    """The effects over seeds: of random heads on the examples of the draws, of others on all."""
    rows = joined(measures, ABLATED, "relative")
    random = rows["ablated"].isin([RANDOM, REST_RANDOM])
    return rows[random | (rows["sample"] == ALL)]


def changes_by_tuning(measures: Measures) -> pd.DataFrame:
    """Shares of attention before and after tuning, over seeds, with the change."""
    wanted = GROUPS.where(arm=[TUNED, TUNED_FROM_RANDOM]).without(
        figure=["place", "key"], group=[STRONGEST]
    )
    rows = joined(measures, wanted, "before", "share")
    columns = [name for value in ("before", "share") for name in (value, *interval_of(value))]
    shares = rows["figure"] != SCORE  # what is beyond chance may be below 0
    rows.loc[shares, columns] = rows.loc[shares, columns].clip(lower=0)
    change = rows["share"] - rows["before"]
    return rows[["data", "arm", "group", "figure", *columns]].assign(change=change)


def of_seeds(scores: pd.Series) -> str:
    """The score of each fine-tuning, as "+0.52, -0.10"; empty if there is one alone."""
    return ", ".join(f"{score:+.2f}" for score in scores) if len(scores) > 1 else ""


def scores_of_heads(measures: Measures) -> pd.DataFrame:
    """The score of each head over seeds, that of each seed, and how often the head matches."""
    keys = ["data", "arm", "layer", "head"]
    heads = measures.rows(HEADS).groupby(keys)
    extra = pd.DataFrame({"matching": heads["matches"].mean(), "each": heads[SCORE].agg(of_seeds)})
    return joined(measures, HEADS, SCORE).join(extra, on=keys)


PAGE = Page(
    title="Heads that match terms",
    summary="Which heads link equal words across a pair, and what depends on them.",
    group="Heads turned off",
    order=10,
    studies=("T7", "T8", "T10"),
    content=(
        Section(
            "T7: which heads match equal terms across the pair?",
            "A term is a word of few texts (setting matching.frequent). The score of a head is its "
            "attention from a term to the equal term of the other text, beyond chance. Chance is "
            "the attention between tokens at the same distance, or the attention from other tokens "
            "of the text to that term; the larger one is subtracted. Training examples select the "
            "strongest heads of the lower half. Those of them beyond chance match. Validation "
            "examples score them. Each arm selects its own heads.",
            (
                HeadGrid("matching-scores", "Score of every head", HEADS, SCORE),
                Dots(
                    "matching-groups",
                    "Scores of groups of heads",
                    SCORES_OF_GROUPS,
                    "share",
                    label=("group",),
                    words=lambda group: GROUP_WORDS[group],
                ),
                Grid(
                    "matching-groups",
                    "Every fine-tuning",
                    SCORES_OF_GROUPS,
                    columns=(
                        *("data", "seed", "arm", "group", "heads"),
                        *("share", "share_low", "share_high", "examples"),
                    ),
                    words={"group": GROUP_WORDS},
                ),
                Grid(
                    "matching-heads",
                    "Heads that match",
                    HEADS.where(matches=True),
                    columns=(
                        *("data", "seed", "arm", "layer", "head", "training_score"),
                        *(SCORE, f"{SCORE}_low", f"{SCORE}_high", *SHARES, "examples"),
                    ),
                ),
            ),
        ),
        Section(
            "T7: what the task loses without them",
            "The output of ablated heads is set to zero, as in the source. The change is that of "
            "accuracy, or of the correlation of scores, as a share of itself. Random heads are of "
            "the same layers, the same number in each, and never match. They are ablated on "
            "fewer examples (setting matching.draw_examples); on these the table has the matching "
            "heads a second time.",
            (
                Dots(
                    "matching-ablated",
                    "Change without heads",
                    effects_over_seeds,
                    "relative",
                    label=("ablated",),
                    words=lambda ablated: ABLATED_WORDS[ablated],
                    published=PUBLISHED,
                    source="query-title study",
                    of=ABLATED.values["relative"],
                ),
                Grid(
                    "matching-ablated",
                    "Every fine-tuning",
                    ABLATED,
                    words={
                        "ablated": ABLATED_WORDS,
                        "sample": {ALL: "all", DRAWS: "those of random draws"},
                    },
                ),
            ),
        ),
        Section(
            "T8: how tuning changes them",
            "Shares of attention from terms with an equal term in the other text, before and after "
            "tuning. The heads were selected after tuning, so they look stronger then. The model "
            "tuned from random weights selected its heads in the same way. The claims have the "
            "intervals of the change.",
            (
                Grid(
                    "matching-tuning",
                    "Attention before and after tuning",
                    changes_by_tuning,
                    titles={"share": "after", "share_low": "after_low", "share_high": "after_high"},
                    words={"group": GROUP_WORDS, "figure": FIGURE_WORDS},
                ),
            ),
        ),
        Section(
            "T10: the high head that reads them",
            "Candidates are heads of the upper half whose [CLS] row gives shared terms more than "
            "other terms, and more than an even spread over tokens. The candidate whose ablation "
            "raises the loss on training examples most reads them. Its [CLS] row is measured on "
            "validation examples.",
            (
                Grid(
                    "matching-reading",
                    "[CLS] row of the head that reads",
                    READING,
                    words={"ablated": ABLATED_WORDS},
                ),
            ),
        ),
    ),
    head_columns=(
        HeadColumn(
            "equal term across",
            scores_of_heads,
            SCORE,
            join="each",
            show={
                "each": "each fine-tuning",
                "matching": "share of fine-tunings in which it matches",
            },
            text="Attention from a term to the equal term of the other text, beyond chance, on "
            "examples that selected no head.",
            of=HEADS.values[SCORE],
        ),
    ),
)
