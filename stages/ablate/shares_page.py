"""Random shares of heads that are off (query-title study, section 2.1)."""

import pandas as pd

from stages.core.outcomes.deciding import deciding
from stages.core.outcomes.tables import CURVES
from stages.core.pages.charts import curves
from stages.core.pages.page import Figure, Page, Section, Table
from stages.core.pages.shared_figures import CHANGE
from stages.core.verdicts.estimates import rows_over_seeds
from stages.core.verdicts.measures import Measures

BANDS = {"all": "all layers", "lower": "lower half", "upper": "upper half"}
PERCENT = 100


def sections(measures: Measures) -> list[Section]:
    points = relative_changes(measures)
    # The study's own mode first.
    modes = sorted(points["mode"].unique(), key=lambda mode: (mode != "zero", mode))
    return [_section(points[points["mode"] == mode], mode) for mode in modes]


def relative_changes(measures: Measures) -> pd.DataFrame:
    """One row a task, mode, band and share of heads, in percent; change in percent of the baseline.

    Changes are means over fine-tunings; `draws` are the same sets in each of the `fine_tunings`.
    """
    rows = deciding(measures.frame(CURVES))
    columns = {"relative": "value", "relative_low": "low", "relative_high": "high"}
    changes = {new: PERCENT * rows[old] for old, new in columns.items()}
    rows = rows.assign(**changes, band=rows["band"].map(BANDS), share=PERCENT * rows["share"])
    keys = ["task", "mode", "band", "share"]
    table = rows_over_seeds(rows, keys, [("value", "low", "high")])
    counts = rows.groupby(keys, sort=False).agg(
        draws=("draws", "max"), fine_tunings=("seed", "count")
    )
    return table.merge(counts.reset_index(), on=keys, validate="one_to_one")


def _section(points: pd.DataFrame, mode: str) -> Section:
    name = f"shares-{mode}"
    return Section(
        f"T2, T3: a random share of heads, {mode}",
        "The share is of the heads of the band: all layers, the lower half or the upper half of "
        "them. The band around each line speaks of other draws of heads, other examples and, where "
        "there are several, other fine-tunings.",
        (
            Figure(
                name,
                f"{CHANGE} with a random share off ({mode}, relative)",
                "Lines are means over the draws, bands their 95% interval; 0 is the metric with "
                "all heads on.",
                curves(
                    points,
                    "share",
                    "share of the band's heads off, %",
                    "change, %",
                    group="band",
                    panel="task",
                ),
            ),
            Table(
                name,
                "Points of the curves",
                "Share of heads and change of the metric, both in percent.",
                points,
            ),
        ),
    )


PAGE = Page(
    order=7,
    group="Heads turned off",
    title="Random shares of heads off",
    summary="How many heads can go, and whether the lower or the upper layers matter more.",
    studies=("T2", "T3"),
    sections=sections,
)
