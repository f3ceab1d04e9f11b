"""Which heads are alike (Clark et al. 2019, section 6, Figure 6)."""

import pandas as pd

from stages.clusters.said import said_of_kinds, said_of_purity
from stages.clusters.tables import HEADS, PURITY
from stages.core.pages.charts import plane
from stages.core.pages.gather import head_column
from stages.core.pages.page import Figure, Page, Section, Table
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures, named, of_first_corpus

PLACE = ["layer", "head"]
MOST_CORPORA = 3  # at the top of the page
TEXT = (
    "One dot a head; heads that attend alike lie close. Distances are Jensen-Shannon divergences, "
    "drawn by metric multidimensional scaling: the axes mean nothing."
)


def sections(measures: Measures) -> list[Section]:
    rows = named(measures.frame(HEADS))
    table = measures.frame(PURITY)
    figures = [
        Figure(
            "clusters-layer",
            "Heads by what they attend to, coloured by layer",
            TEXT,
            plane(rows, "layer", panel="panel", tooltip=[*PLACE]),
            finding=" ".join(said_of_purity(table)),
        )
    ]
    for name, page, column in (
        ("pattern", "text_patterns", "pattern on text"),
        ("role", "surface", "surface role"),
    ):
        try:
            known = head_column(page, column, measures).rename(name).reset_index()
        except NotMeasured:
            continue
        coloured = of_first_corpus(rows).merge(known, on=PLACE)
        figures.append(
            Figure(
                f"clusters-{name}",
                f"The same, coloured by {column}",
                TEXT,
                plane(coloured, name, panel="panel", tooltip=[*PLACE, name]),
                finding=said_of_kinds(coloured, name),
            )
        )
    return [
        Section(
            "C8: do heads of a layer lie together?",
            "Purity is the share of a head's nearest heads that are of its own layer, mean over "
            "heads, by the divergences themselves and not by the picture. Chance and p are of "
            "shuffled layers; above is purity less chance, its 95% interval draws groups of "
            "texts and shuffles anew. Random weights stand beside the encoder.",
            (
                *figures,
                Table(
                    "clusters-purity",
                    "Heads of a layer among the nearest",
                    "With what chance gives (95% of the shuffles), what lies above it, p, and the "
                    "picture's stress.",
                    table,
                ),
            ),
        )
    ]


def in_short(measures: Measures) -> list[str]:
    return said_of_purity(measures.frame(PURITY))[:MOST_CORPORA]


def heads(measures: Measures) -> pd.DataFrame:
    """Places in the picture, on the first corpus."""
    rows = of_first_corpus(measures.frame(HEADS)).set_index(PLACE)
    return pd.DataFrame({"picture x": rows["x"], "picture y": rows["y"]})


PAGE = Page(
    order=29,
    group="Where heads look",
    title="Which heads are alike",
    summary="Distances between heads, and whether those of a layer lie together.",
    studies=("C8",),
    sections=sections,
    heads=heads,
    in_short=in_short,
)
