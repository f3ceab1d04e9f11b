"""Which heads are alike (Clark et al. 2019, section 6, Figure 6)."""

from collections.abc import Callable

import pandas as pd

from stages.clusters.tables import HEADS, PURITY
from stages.core.pages.declared import HeadColumn, Page, Section
from stages.core.pages.gather import head_column
from stages.core.pages.kinds import Dots, Grid, Scatter
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.of_data import STUDIED

PLACE = ["layer", "head"]
HOW = (
    "Heads that attend alike lie close. Distances are Jensen-Shannon divergences, drawn by metric "
    "multidimensional scaling: the axes mean nothing."
)


def beside_column(page: str, column: str, name: str) -> Callable[[Measures], pd.DataFrame]:
    """A function that returns the heads of the first corpus, with a column of another page."""

    def rows(measures: Measures) -> pd.DataFrame:
        known = head_column(page, column, measures).rename(name).reset_index()
        heads = measures.rows(HEADS.where(arm=list(STUDIED)))
        arm = next(arm for arm in STUDIED if (heads["arm"] == arm).any())
        heads = heads[heads["arm"] == arm]
        return heads[heads["data"] == heads["data"].iloc[0]].merge(known, on=PLACE)

    return rows


PAGE = Page(
    title="Which heads are alike",
    summary="Distances between heads, and whether those of a layer lie together.",
    group="Where heads look",
    order=29,
    studies=("C8",),
    content=(
        Section(
            "C8: do heads of a layer lie together?",
            "Purity is the share of a head's nearest heads that are of its own layer, mean over "
            "heads. It comes from the divergences and not from the picture. Chance and p come from "
            "shuffled layers. The interval of the difference resamples groups of texts and "
            "shuffles anew.",
            (
                Dots("clusters-purity", "Purity above chance", PURITY, "above"),
                Scatter(
                    "clusters-layer",
                    "Heads coloured by layer",
                    HEADS,
                    "y",
                    HOW,
                    x="x",
                    panel=("data", "arm"),
                    colour="layer",
                ),
                *(
                    Scatter(
                        f"clusters-{name}",
                        f"Heads coloured by {column}",
                        beside_column(page, column, name),
                        "y",
                        HOW,
                        HEADS.values["y"],
                        x="x",
                        panel=("data", "arm"),
                        colour=name,
                    )
                    for name, page, column in (
                        ("pattern", "text_patterns", "pattern on text"),
                        ("role", "surface", "surface role"),
                    )
                ),
                Grid("clusters-purity", "Heads of a layer among the nearest", PURITY),
            ),
        ),
    ),
    head_columns=tuple(
        HeadColumn(
            HEADS.values[axis].title,
            HEADS,
            axis,
            join="first",
            text="Heads that attend alike lie close.",
        )
        for axis in ("x", "y")
    ),
)
