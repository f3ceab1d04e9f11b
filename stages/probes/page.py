"""Syntax in all heads together (Clark et al. 2019, section 5, Table 3)."""

import numpy as np
import pandas as pd

from stages.core.pages.charts import dots
from stages.core.pages.page import Figure, Page, Section, Table
from stages.core.stage.arms import RANDOM_WEIGHTS, UNTUNED
from stages.core.stage.tables import interval_names
from stages.core.verdicts.measures import Measures
from stages.probes.said import said_of_each, said_of_first
from stages.probes.tables import (
    ATTENTION,
    ATTENTION_AND_WORDS,
    DISTANCES_AND_WORDS,
    RIGHT_BRANCHING,
    SCORES,
    SOUND,
)

PERCENT = 100
# Clark et al. 2019, Table 3 (with GloVe vectors): unlabelled attachment in percent, of the encoder
# or of random weights; what reads no attention is the same for both.
PUBLISHED = {
    (UNTUNED, RIGHT_BRANCHING): 26,
    (UNTUNED, DISTANCES_AND_WORDS): 58,
    (UNTUNED, ATTENTION): 61,
    (UNTUNED, ATTENTION_AND_WORDS): 77,
    (RANDOM_WEIGHTS, RIGHT_BRANCHING): 26,
    (RANDOM_WEIGHTS, DISTANCES_AND_WORDS): 58,
    (RANDOM_WEIGHTS, ATTENTION_AND_WORDS): 30,
}
SOURCE = "Clark et al., untuned"


def sections(measures: Measures) -> list[Section]:
    rows = in_percent(measures.frame(SCORES))
    plain = rows[~rows["punctuation"]].rename(columns={"uas": "value"})
    variant = (" (" + plain["variant"] + ")").where(plain["variant"] != SOUND, "")
    plain = plain.assign(label=plain["corpus"] + ": " + plain["probe"] + variant)
    drawn = pd.concat([plain, published_marks(plain)], ignore_index=True)
    return [
        Section(
            "C7: dependency trees from attention",
            "p(i is the head of j) is an exponential of attention between them, in both "
            "directions, weighted by head; with words, the weights depend on the vectors of both. "
            "Trained on one half of the texts and scored on the other, both ways, or trained on "
            "the corpus that the setting probes.train_on names. The attention of each head is "
            "divided by its spread in what is trained on; linear probes are fitted to the maximum "
            "of their penalised likelihood, and 'converged' says whether a fit got there. "
            "Right-branching takes the next word for the head. All probes have the same word "
            "vectors: the checkpoint's embeddings, unless a file was given. In brackets what "
            "differs from the first of the setting probes.choices, on which claims are decided.",
            (
                Figure(
                    "probes",
                    "Unlabelled attachment score without punctuation",
                    "Percent of words whose head is found, a dot with its 95% interval over groups "
                    "of texts; beside it what Clark et al. print of BERT-base, untuned, on English "
                    "news.",
                    dots(drawn, "label", "words whose head is found, %", group="encoder"),
                    finding=said_of_each(measures.drawn(SCORES)),
                ),
                Table(
                    "probes",
                    "Every probe",
                    "With and without punctuation; scores, their 95% intervals and the published "
                    "ones (Clark et al., Table 3, on English news, without punctuation) in percent "
                    "of the words.",
                    table(rows),
                ),
            ),
        )
    ]


def in_short(measures: Measures) -> list[str]:
    """What all heads together know of syntax, beside baselines and random weights."""
    return [
        *said_of_first(measures.drawn(SCORES)),
        f"Clark et al. print {PUBLISHED[UNTUNED, ATTENTION]}% for attention and "
        f"{PUBLISHED[UNTUNED, ATTENTION_AND_WORDS]}% with words, of BERT-base on English news.",
    ]


def in_percent(rows: pd.DataFrame) -> pd.DataFrame:
    """Scores in the unit of the published ones, which stand beside those that they are of."""
    decisive = (rows["variant"] == SOUND) & ~rows["punctuation"]
    published = [
        PUBLISHED.get(place, np.nan) for place in zip(rows["encoder"], rows["probe"], strict=True)
    ]
    names = list(interval_names(value="uas"))
    return rows.assign(
        **{name: PERCENT * rows[name] for name in names},
        published=pd.Series(published, rows.index, dtype=float).where(decisive),
    )


def published_marks(rows: pd.DataFrame) -> pd.DataFrame:
    """The published scores of the encoder as dots without an interval."""
    marks = rows[rows["published"].notna() & (rows["encoder"] == UNTUNED)]
    value = marks["published"]
    return marks.assign(value=value, low=value, high=value, encoder=SOURCE)


def table(rows: pd.DataFrame) -> pd.DataFrame:
    """The table as readers see it: what it is of, scores with their unit, and what they rest on."""
    named = {"uas": "score, %", "low": "low, %", "high": "high, %", "published": "published, %"}
    first = ["corpus", "encoder", "probe", "variant", "punctuation", *named]
    others = [name for name in SCORES.columns if name not in first]
    return rows[[*first, *others]].rename(columns=named)


PAGE = Page(
    order=28,
    group="What heads know of language",
    title="Probes",
    summary="How much of a dependency tree is in the attention of all heads together.",
    studies=("C7",),
    sections=sections,
    in_short=in_short,
)
