"""How heads compute their patterns (Vig 2019, part two)."""

from collections.abc import Callable

import pandas as pd

from stages.core.pages.declared import HeadColumn, Page, Section
from stages.core.pages.joined import with_rival
from stages.core.pages.kinds import Dots, Grid, HeadGrid
from stages.core.pages.titles import PATTERN_TITLES
from stages.core.stage.arms import RANDOM_WEIGHTS
from stages.core.tables import Value, interval_of
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.of_data import STUDIED, studied_rows
from stages.neurons.tables import CHOSEN, NEURONS, REMOVED, SHARE, STRENGTH, WITHOUT

OF_SCORES = {"unit": "share", "format": ".0%", "bounds": (0, 1)}
COLUMNS = {
    f"{SHARE}_1": Value("share of the largest neuron", **OF_SCORES),
    f"{SHARE}_4": Value("share of the 4 largest neurons", **OF_SCORES),
    "sign_consistency": NEURONS.values["sign_consistency"],
}
MEASURES = {
    STRENGTH: "strength",
    f"{WITHOUT}_position": "strength without position",
    f"{WITHOUT}_segment": "strength without segment",
    **{column: value.title for column, value in COLUMNS.items()},
    "positive_within": "positive products within a segment",
    "positive_across": "positive products across segments",
    "sep_to_cls": "from [SEP] to [CLS]",
}


def heads_with(column: str) -> Callable[[Measures], pd.DataFrame]:
    """A function that returns one row a head: a column of `NEURONS` with its interval."""

    def rows(measures: Measures) -> pd.DataFrame:
        heads = measures.rows(NEURONS)
        if column not in heads:
            raise NotMeasured(f"`neurons.most_neurons` is too small for {column}")
        return heads[[*NEURONS.key_columns, column, *interval_of(column)]]

    return rows


def removed_in_words(measures: Measures) -> pd.DataFrame:
    """The changes of the encoder; those of a pattern without either embedding are neighbours."""
    rows = measures.rows(REMOVED.where(arm=list(STUDIED)))
    ranks = rows[["data", "pattern", "removed"]].apply(lambda column: pd.factorize(column)[0])
    rows = rows.loc[ranks.sort_values(list(ranks), kind="stable").index]
    return rows.assign(pattern=rows["pattern"].map(PATTERN_TITLES) + " without " + rows["removed"])


def beside_random_weights(measures: Measures) -> pd.DataFrame:
    """Shares of the 4 largest neurons; the rival is the share in random weights' same heads."""
    rows = measures.rows(CHOSEN.where(measure=f"{SHARE}_4"), drawn=True)
    random = rows[rows["arm"] == RANDOM_WEIGHTS]
    return with_rival(studied_rows(rows), random, "score", ["data", "pattern"])


def without(removed: str) -> Callable[[Measures], pd.DataFrame]:
    """A function that returns strengths without an embedding; the rival is the strength with it."""

    def rows(measures: Measures) -> pd.DataFrame:
        after, before = (
            measures.rows(CHOSEN.where(measure=measure), drawn=True)
            for measure in (f"{WITHOUT}_{removed}", STRENGTH)
        )
        return with_rival(after, before, "score", ["data", "arm", "pattern"])

    return rows


PAGE = Page(
    title="Neurons",
    summary="How many neurons carry a head's scores, and what position and segment do.",
    group="Where heads look",
    order=30,
    studies=("V3",),
    content=(
        Section(
            "V3: how few neurons carry a head's scores",
            "The score of a query and a key is the sum over neurons of query x key. It is taken "
            "for each token and the token that it attends to most, above the mean over all keys. "
            "Shares are of the absolute values of the parts. Signs are constant (1) if the part of "
            "each neuron has the same sign at every token.",
            (
                *(
                    HeadGrid(
                        f"neurons-{column}",
                        f"{value.title[0].upper()}{value.title[1:]}",
                        heads_with(column),
                        column,
                        of=value,
                    )
                    for column, value in COLUMNS.items()
                ),
                Grid(
                    "neurons-heads",
                    "Every head",
                    NEURONS,
                    titles={column: value.title for column, value in COLUMNS.items()},
                ),
            ),
        ),
        Section(
            "V3: heads that follow a pattern, on texts that did not select them",
            "The heads that follow each pattern most on one half of the texts are measured on the "
            "other half. The setting neurons.pattern_heads says how many. Rows of random weights "
            "are of the same layers and heads. These heads need not follow their pattern far: the "
            "strength says how far. Positive products are of queries and keys of two words at the "
            "head's largest neurons (setting neurons.few_neurons), with their biases.",
            (
                Dots(
                    "neurons-few",
                    "Share of the 4 largest neurons",
                    beside_random_weights,
                    "score",
                    of=COLUMNS[f"{SHARE}_4"],
                    label=("pattern",),
                    words=lambda pattern: PATTERN_TITLES[pattern],
                    rival="rival",
                    rival_title="share with random weights",
                    gain="gain",
                ),
                *(
                    Dots(
                        f"neurons-without-{removed}",
                        f"Strength without {removed} embeddings",
                        without(removed),
                        "score",
                        f"The mean embedding replaces the embedding of each {removed}.",
                        Value(f"strength without {removed}", format=".3f", bounds=(None, 1)),
                        label=("pattern",),
                        words=lambda pattern: PATTERN_TITLES[pattern],
                        rival="rival",
                        rival_title="strength with them",
                        gain="gain",
                    )
                    for removed in ("position", "segment")
                ),
                Grid(
                    "neurons-chosen",
                    "Heads of each pattern",
                    CHOSEN.where(measure=list(MEASURES)),
                    words={"pattern": PATTERN_TITLES, "measure": MEASURES},
                ),
            ),
        ),
        Section(
            "Without position or segment embeddings",
            "The mean embedding replaces that of each position or segment. Below 0 the head "
            "follows the pattern less far.",
            (
                HeadGrid(
                    "neurons-removed",
                    "Change of strength",
                    removed_in_words,
                    "change",
                    of=REMOVED.values["change"],
                    panel=("pattern",),
                ),
                Grid(
                    "neurons-removed",
                    "Every head and pattern",
                    REMOVED,
                    words={"pattern": PATTERN_TITLES},
                ),
            ),
        ),
    ),
    head_columns=tuple(
        HeadColumn(value.title, heads_with(column), column, join="first", of=value)
        for column, value in COLUMNS.items()
    ),
)
