"""Patterns of the maps of a corpus (Kovaleva et al. 2019, section 4.1)."""

import pandas as pd

from stages.core.pages.declared import HeadColumn, Page, Section
from stages.core.pages.kinds import Grid, HeadGrid
from stages.core.verdicts.measures import Measures
from stages.patterns.page import corrected_section, sections
from stages.patterns.tables import (
    OUTSIDE_CORRECTED,
    SPECIAL,
    TEXT_BEYOND,
    TEXT_HEADS,
    TEXT_SHARES,
)

STUDIED = TEXT_HEADS.where(rule=SPECIAL, arm=["untuned", "recorded"])


def main_pattern_on_text(measures: Measures) -> pd.DataFrame:
    """One row a corpus, arm and head: the pattern that most of its maps have."""
    rows = measures.rows(STUDIED).reset_index(drop=True)
    return rows.loc[rows.groupby(["data", "arm", "layer", "head"], sort=False)["share"].idxmax()]


PAGE = Page(
    title="Patterns on text",
    summary="The five patterns of the maps of corpora.",
    group="Where heads look",
    order=22,
    studies=("K3",),
    content=(
        *sections(TEXT_SHARES, TEXT_BEYOND, "text-patterns"),
        corrected_section(
            OUTSIDE_CORRECTED,
            "The labelled maps were drawn by chance from the same recording.",
            "text-patterns",
        ),
        Section(
            "Patterns of each head",
            "How the maps of each head divide among the patterns (rule special).",
            (
                HeadGrid(
                    "text-patterns-heads",
                    "Share of each head's maps with each pattern",
                    STUDIED,
                    "share",
                    panel=("pattern",),
                ),
                Grid("text-patterns-heads", "Every head", TEXT_HEADS),
            ),
        ),
    ),
    head_columns=(
        HeadColumn(
            "share of its main pattern on text",
            main_pattern_on_text,
            "share",
            join="first",
            show={"pattern": "pattern on text"},
            of=TEXT_HEADS.values["share"],
            text="The pattern that most of the head's maps have on the corpus (rule special).",
        ),
    ),
)
