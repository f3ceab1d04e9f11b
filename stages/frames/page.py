"""Heads that link predicates and frame elements (Kovaleva et al. 2019, section 4.2)."""

import pandas as pd

from stages.core.intervals.held_out import SCORE
from stages.core.maps.link_tables import CHOSEN_COLUMNS
from stages.core.pages.page import Page, Section, Table, heads_figure
from stages.core.verdicts.measures import Measures, named, of_first_corpus
from stages.frames.said import said_of_best, said_of_heads
from stages.frames.tables import BEST, HEADS

MOST_SENTENCES = 3  # at the top of the page


def sections(measures: Measures) -> list[Section]:
    cells = measures.frame(HEADS)
    best = measures.frame(BEST)
    columns = ["corpus", *CHOSEN_COLUMNS, *SCORE, "cases", "same"]
    return [
        Section(
            "K4: weight between a predicate and its frame elements",
            "For each head the largest weight between two linked tokens of a text, in either "
            "direction, mean over texts. Beside it the same links moved elsewhere in the text: "
            "what a head gives to tokens that are as far apart, linked or not. Frames are "
            "FrameNet's, or (in the texts written here) verbs with their subjects and objects.",
            (
                heads_figure(
                    "frames-heads",
                    "Weight on linked tokens, beyond tokens as far apart",
                    "Layer x head for each corpus and encoder.",
                    named(cells),
                    "gain_weight",
                    "weight",
                    panel="panel",
                    tooltip=["panel", "layer", "head", "weight", "moved_weight", "percentile"],
                    diverging=True,
                    finding=" ".join(said_of_heads(cells)),
                ),
                Table(
                    "frames-best",
                    "The head that links most",
                    "Chosen on one half of the texts; value, with its 95% interval, is of the "
                    "other: weight on links less weight on moved links.",
                    best[columns],
                ),
                Table("frames-heads", "Every head", "Means with 95% intervals.", cells),
            ),
        )
    ]


def in_short(measures: Measures) -> list[str]:
    said = said_of_best(measures.frame(BEST)) + said_of_heads(measures.frame(HEADS))
    return said[:MOST_SENTENCES]


def heads(measures: Measures) -> pd.DataFrame:
    """Weight on links beyond moved ones, on the first corpus."""
    cells = of_first_corpus(measures.frame(HEADS))
    return pd.DataFrame({"frame links": cells.set_index(["layer", "head"])["gain_weight"]})


PAGE = Page(
    order=25,
    group="What heads know of language",
    title="Frames",
    summary="Which heads link a predicate and its frame elements, beyond their distance.",
    studies=("K4",),
    sections=sections,
    heads=heads,
    in_short=in_short,
)
