"""Heads that mark the ends of words (query-title study, section 2.2)."""

import numpy as np
import pandas as pd

from stages.boundaries.tables import ACCURACY, BEST, F1, HEADS, NESTED, PAIRS, UNIONS
from stages.core.pages.declared import HeadColumn, Page, Section
from stages.core.pages.joined import joined
from stages.core.pages.kinds import Curves, Dots, Grid, HeadGrid, Scatter
from stages.core.tables import Value, interval_of
from stages.core.verdicts.measures import Measures

POINTS = 100
SHARE = Value("share of positions", "share", ".1%")
METRICS = {ACCURACY: SHARE, F1: Value("F1 over words")}
BEYOND_CHANCE = Value("share of stretches beyond chance", "share", "+.1%")


def unions(measures: Measures) -> pd.DataFrame:
    """One row a size and kind of heads: the share of positions at which a union is right."""
    rows = joined(measures, UNIONS, "score", "rival")
    rivals = dict(
        zip(("rival", *interval_of("rival")), ("score", *interval_of("score")), strict=True)
    )
    random = rows.drop(columns=list(rivals.values())).rename(columns=rivals)
    return pd.concat(
        [rows.assign(union="best heads"), random.assign(union="random heads")], ignore_index=True
    )


def pairs(measures: Measures) -> pd.DataFrame:
    """One row a pair: how much more often the finer marks an end, and nesting beyond chance."""
    rows = measures.rows(PAIRS)
    return rows.assign(
        apart=rows["finer_marks"] - rows["coarser_marks"],
        beyond=rows["nested"] - rows["by_chance"],
    )


def over_constant(measures: Measures) -> pd.DataFrame:
    """One row a head: its accuracy minus that of the better constant, in points."""
    rows = measures.rows(HEADS)
    constant = np.maximum(rows["ends"], 1 - rows["ends"])
    return rows.assign(beyond=POINTS * (rows["accuracy"] - constant))


PAGE = Page(
    title="Word boundaries",
    summary="Heads as segmenters of text without spaces, against constants and chance.",
    group="What heads know of language",
    order=31,
    studies=("T5",),
    content=(
        Section(
            "T5: the best head, and all heads together",
            "A token ends a word where a head attends more to [SEP] than to the next token. The "
            "last token of a text and tokens before a space are not counted. Accuracy counts "
            "positions; F1 counts words with both ends marked and nothing between. The head is "
            "selected on one half of the texts and scored on the other, both ways. So is the "
            "better of two constants: every token ends a word, or none does. The regression over "
            "all heads reads each head's weight on [SEP] minus that on the next token. It is "
            "scored on texts that it was not fitted on; its interval does not refit it. The source "
            "reports an accuracy of 70% for one head, on other data, and no constant.",
            (
                *(
                    Dots(
                        f"boundaries-{metric.lower()}",
                        f"{value.title[0].upper()}{value.title[1:]}, held out",
                        BEST.where(metric=metric),
                        "score",
                        label=("reader",),
                        of=value,
                        rival="rival",
                        rival_title="better constant",
                        gain="gain",
                    )
                    for metric, value in METRICS.items()
                ),
                Grid("boundaries", "The best head, and all heads together", BEST),
            ),
        ),
        Section(
            "T5: the union of several heads",
            "A union is right where any of its heads is right, so it rises by chance. Two heads "
            "that always contradict each other are right everywhere together; five coins are right "
            "at 97% of the positions. The heads with the highest accuracy are selected held out "
            "and compared with random heads, the mean over all draws. The source reports 96% for "
            "several heads, without their number.",
            (
                Curves(
                    "boundaries-unions",
                    "Positions at which at least one head is right",
                    unions,
                    "score",
                    "Size is the number of heads.",
                    x="heads",
                    x_title="size",
                    line="union",
                    panel=("data", "arm"),
                    of=SHARE,
                ),
                Dots(
                    "boundaries-unions-gain",
                    "Best heads minus random heads",
                    UNIONS,
                    "gain",
                    label=("heads",),
                    words="{} heads".format,
                    of=Value("share of positions beyond random heads", "share", "+.1%"),
                ),
                Grid("boundaries-unions", "Unions", UNIONS),
            ),
        ),
        Section(
            "T5: how coarsely heads cut",
            "The coarser of two heads marks fewer ends. If its stretches are words of a coarser "
            "kind, each is made of whole stretches of the finer head: the finer head marks both of "
            "its ends too. By chance the finer head marks an end anywhere with its overall rate. "
            "The best heads, and the coarser of each two, are selected on one half of the texts "
            "and scored on the other. Heads that agree are nested beyond chance as well, so "
            "compare with random weights.",
            (
                Scatter(
                    "boundaries-granularity",
                    "Every two of the best heads, on all texts",
                    pairs,
                    "beyond",
                    of=BEYOND_CHANCE,
                    x="apart",
                    x_title="marks of the finer minus the coarser's",
                    panel=("data", "arm"),
                    tooltip=("coarser", "finer", "disagreement", "coarser_alone", "nested"),
                ),
                Dots(
                    "boundaries-nested",
                    "Mean over pairs, held out",
                    NESTED,
                    "gain",
                    of=BEYOND_CHANCE,
                ),
                Grid("boundaries-nested", "Mean over pairs, held out", NESTED),
                Grid("boundaries-pairs", "Every two of the best heads, on all texts", PAIRS),
            ),
        ),
        Section(
            "Every head",
            "Scores on all texts. They are too high for a claim: the best of many heads is "
            "selected on the texts that score it.",
            (
                HeadGrid(
                    "boundaries-heads",
                    "Accuracy of every head minus that of the better constant",
                    over_constant,
                    "beyond",
                    of=Value("accuracy minus that of the better constant", "points", "+.1f"),
                ),
                Scatter(
                    "boundaries-marks",
                    "How often a head marks an end, and how often it is right",
                    HEADS,
                    "accuracy",
                    "The further to the right, the finer a head cuts.",
                    x="marks",
                    x_title="share of positions marked",
                    panel=("data", "arm"),
                    tooltip=("layer", "head", "F1"),
                ),
                Grid("boundaries-heads", "Every head", HEADS),
            ),
        ),
    ),
    head_columns=(
        HeadColumn(
            "ends of words",
            HEADS,
            "accuracy",
            join="first",
            show={"F1": "F1 over words", "marks": "marks an end", "ends": "is an end"},
            text="The head as a segmenter of text without spaces: the share of positions that it "
            "has right, its F1 over words, and the shares of positions that it marks as an end and "
            "that are an end.",
        ),
    ),
)
