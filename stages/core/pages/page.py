"""Parts of a page. Pages say what to show; `stages.report.site` says how."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import altair
import pandas as pd

from stages.core.pages.charts import VegaLite, rows_of
from stages.core.pages.heatmaps import heatmap
from stages.core.pages.labels import labelled

MOST_ROWS = 1500
# Of the navigation, in its order.
Group = Literal[
    "Models and tasks",
    "Where heads look",
    "What heads know of language",
    "What tuning does",
    "Heads turned off",
]


@dataclass(frozen=True)
class Figure:
    """A chart, written as `figures/NAME.svg` with its data beside it, and drawn in the page.

    `caption` says what is drawn; it is also the description for those who cannot see it. `finding`
    is a sentence under the figure: what is seen, made from its numbers by a rule that no numbers
    can contradict. `plot` is the layer x head table (panel, layer, head, value) that `dvc plots`
    draws, if there is one.
    """

    name: str
    title: str
    caption: str
    chart: altair.TopLevelMixin
    plot: pd.DataFrame | None = None
    finding: str = ""

    @cached_property
    def drawn(self) -> VegaLite:
        """The chart with names as they are measured; its data are written from it."""
        return self.chart.to_dict()

    @property
    def is_empty(self) -> bool:
        """Whether the chart draws no row."""
        return not any(map(len, rows_of(self.chart)))

    @cached_property
    def vega_lite(self) -> VegaLite:
        """The chart as image and page take it, in words; nobody may change it in place."""
        return labelled(self.drawn)


def heads_figure(
    name: str,
    title: str,
    caption: str,
    cells: pd.DataFrame,
    value: str,
    unit: str,
    *,
    panel: str = "task",
    finding: str = "",
    **drawing: Any,
) -> Figure:
    """A heatmap layer x head, with the table of it that `dvc plots` draws.

    Args:
        cells: one row a cell with layer, head and the columns `panel` and `value`.
        unit: title of the colour scale.
        finding: as `Figure.finding`.
        drawing: further arguments of `heatmap`.
    """
    chart = heatmap(cells, value, unit, panel=panel, **drawing)
    plot = cells.rename(columns={panel: "panel", value: "value"})
    return Figure(name, title, caption, chart, plot[["panel", "layer", "head", "value"]], finding)


@dataclass(frozen=True)
class Table:
    """A table, written as `tables/NAME.csv`; the page folds it up when it has more than `rows`.

    A table of more than `MOST_ROWS` stands in its file alone, as a page with it would be slow.
    """

    name: str
    title: str
    caption: str
    frame: pd.DataFrame
    rows: int = 16

    @property
    def is_empty(self) -> bool:
        """Whether the table has no row."""
        return len(self.frame) == 0


@dataclass(frozen=True)
class Section:
    """A heading, a paragraph that says how to read what follows, and the figures and tables."""

    title: str
    text: str
    items: tuple[Figure | Table, ...]


def with_rows(sections: Iterable[Section]) -> list[Section]:
    """The sections without figures and tables of no rows; one that has none left is left out."""
    left = []
    for section in sections:
        items = tuple(item for item in section.items if not item.is_empty)
        if items or not section.items:
            left.append(replace(section, items=items))
    return left
