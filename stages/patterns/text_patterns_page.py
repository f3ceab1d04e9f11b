"""Patterns of the maps of a corpus (Kovaleva et al. 2019, section 4.1)."""

import pandas as pd

from stages.core.pages.charts import shares
from stages.core.pages.page import Figure, Page, Section, Table, heads_figure
from stages.core.verdicts.measures import Measures, named, of_first_corpus, studied
from stages.patterns.tables import ANY, SPECIAL, TEXT_BEYOND, TEXT_HEADS, TEXT_SHARES


def sections(measures: Measures) -> list[Section]:
    table = named(measures.frame(TEXT_SHARES))
    cells = studied(measures.frame(TEXT_HEADS))
    cells = cells[cells["rule"] == SPECIAL]
    cells = cells.assign(panel=cells["corpus"] + ": " + cells["pattern"])
    columns = ["rule", "corpus", "encoder", "pattern", "share", "low", "high", "texts"]
    beyond = measures.frame(TEXT_BEYOND)
    over_heads = beyond.groupby(["corpus", "encoder"], sort=False)["beyond"].mean().reset_index()
    return [
        Section(
            "Share of each pattern",
            "As on the page of the tasks, for texts of a corpus: so attention that was recorded "
            "elsewhere is sorted too. Under the rule any each stripe is Vertical, under the rule "
            "special, the source's, only one on [CLS] or [SEP].",
            (
                *(
                    Figure(
                        f"text-patterns-shares-{rule}",
                        f"Share of each pattern, by corpus (rule {rule})",
                        "Stacked bars of each encoder add up to all maps.",
                        shares(table[table["rule"] == rule], "panel", "share", "pattern"),
                    )
                    for rule in (SPECIAL, ANY)
                ),
                Table(
                    "text-patterns-beyond",
                    "Attention beyond [CLS], [SEP] and neighbours",
                    "Share of attention, mean over heads; it needs no labels and no classifier.",
                    over_heads,
                ),
                Table(
                    "text-patterns-shares",
                    "Shares",
                    "Share of maps with its 95% bootstrap interval over groups of texts.",
                    table[columns],
                ),
                heads_figure(
                    "text-patterns-heads",
                    "Share of each head's maps with each pattern (rule special)",
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
    cells = cells[cells["rule"] == SPECIAL]
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
