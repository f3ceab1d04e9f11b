"""Random shares of heads ablated (query-title study, section 2.1)."""

from collections.abc import Callable

import pandas as pd

from stages.core.outcomes.deciding import deciding_rows
from stages.core.outcomes.tables import CURVES, GAPS
from stages.core.pages.declared import Page, Section
from stages.core.pages.joined import joined
from stages.core.pages.kinds import Curves, Dots, Grid
from stages.core.stage.arms import TUNED
from stages.core.tables import Table, Value
from stages.core.verdicts.measures import Measures

BANDS = {"all": "all layers", "lower": "lower half", "upper": "upper half"}
CHANGE = Value("change", unit="percent", format="+.0f", interval=True)
GAP = Value("lower half minus upper half", unit="percent", format="+.0f", interval=True)


def relative_changes(table: Table, mode: str) -> Callable[[Measures], pd.DataFrame]:
    """A function that returns the rows of one mode over fine-tunings, in percent.

    `band` names the layers, and whether the weights were random.
    """

    def rows(measures: Measures) -> pd.DataFrame:
        changes = joined(measures, deciding_rows(table, mode=mode), "relative", scale=100)
        bands = changes["band"] if "band" in changes else pd.Series("all", index=changes.index)
        control = changes["arm"].map(lambda arm: "" if arm == TUNED else ", random weights")
        columns = ["data", "arm", "share", "draws", "relative", "relative_low", "relative_high"]
        changes = changes.assign(share=100 * changes["share"])[columns]
        return changes.assign(band=bands.map(BANDS) + control)

    return rows


def section(mode: str) -> Section:
    """The curves of one mode, and the difference of the halves."""
    curves, gaps = relative_changes(CURVES, mode), relative_changes(GAPS, mode)
    return Section(
        f"T2, T3: a random share of heads, {mode}",
        "The share is of the heads of all layers, of the lower half or of the upper half. Change "
        "of accuracy, or of the correlation of scores, in percent of the metric with all heads. "
        "Intervals are over draws of heads, examples and fine-tunings.",
        (
            Curves(
                f"shares-{mode}",
                f"Change with a random share ablated ({mode})",
                curves,
                "relative",
                of=CHANGE,
                x="share",
                x_title="share of heads ablated, %",
                line="band",
            ),
            Grid(f"shares-{mode}", "Points of the curves", curves),
            Dots(
                f"shares-gaps-{mode}",
                f"Change of the lower half minus that of the upper half ({mode})",
                gaps,
                "relative",
                "Below 0 the lower layers matter more.",
                of=GAP,
                label=("share",),
                words=lambda share: f"{float(share):g}% of each half",
            ),
        ),
    )


PAGE = Page(
    title="Random shares of heads ablated",
    summary="How many heads can go, and whether the lower or the upper layers matter more.",
    group="Heads turned off",
    order=7,
    studies=("T2", "T3"),
    content=tuple(section(mode) for mode in ("zero", "uniform", "mean")),
)
