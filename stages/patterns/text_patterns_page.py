"""Patterns of the maps of a corpus (Kovaleva et al. 2019, section 4.1)."""

import pandas as pd

from stages.core.pages.charts import shares
from stages.core.pages.page import Figure, Page, Section, Table, heads_figure
from stages.core.verdicts.measures import Measures, named, of_first_corpus, studied
from stages.patterns.tables import TEXT_HEADS, TEXT_SHARES


def sections(measures: Measures) -> list[Section]:
    table = named(measures.frame(TEXT_SHARES))
    cells = studied(measures.frame(TEXT_HEADS))
    cells = cells.assign(panel=cells["corpus"] + ": " + cells["pattern"])
    columns = ["corpus", "encoder", "pattern", "share", "low", "high", "texts"]
    return [
        Section(
            "Share of each pattern",
            "As on the page of the tasks, for texts of a corpus: so attention that was recorded "
            "elsewhere is sorted too.",
            (
                Figure(
                    "text-patterns-shares",
                    "Share of each pattern, by corpus",
                    "Stacked bars of each encoder add up to all maps.",
                    shares(table, "panel", "share", "pattern"),
                ),
                Table(
                    "text-patterns-shares",
                    "Shares",
                    "Share of maps with its 95% bootstrap interval over groups of texts.",
                    table[columns],
                ),
                heads_figure(
                    "text-patterns-heads",
                    "Share of each head's maps with each pattern",
                    "Layer x head for each pattern.",
                    cells,
                    "share",
                    "share of maps",
                    panel="panel",
                    tooltip=["panel", "layer", "head", "share"],
                ),
            ),
        )
    ]


def heads(measures: Measures) -> pd.DataFrame:
    """The pattern that most of a head's maps have on the first corpus."""
    cells = of_first_corpus(measures.frame(TEXT_HEADS))
    best = cells.loc[cells.groupby(["layer", "head"])["share"].idxmax()]
    return pd.DataFrame({"pattern on text": best.set_index(["layer", "head"])["pattern"]})


PAGE = Page(
    order=22,
    title="Patterns on text",
    summary="The five patterns of the maps of corpora.",
    studies=("K3",),
    sections=sections,
    heads=heads,
)
