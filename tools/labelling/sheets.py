"""Pictures of attention maps: the labelling sheets and the pictures of the guideline."""

from dataclasses import dataclass
from pathlib import Path

import altair as alt
import numpy as np
import pandas as pd

from stages.core.stage.files import atomic
from stages.patterns.labelled_maps import Map
from stages.patterns.views import BRIGHTEST, DIM, VISIBLE

SHADES = ("black", "#7a7a7a", "#ffb000")


@dataclass(frozen=True)
class Layout:
    """How maps are shown on a sheet."""

    columns: int  # pictures in a row
    rows: int
    side: int  # pixels of one map
    shades: bool  # show a second picture of each map, in three shades

    @property
    def maps(self) -> int:
        return self.columns * self.rows


FIRST_LAYOUT = Layout(columns=5, rows=4, side=240, shades=False)
CLOSER_LAYOUT = Layout(columns=2, rows=3, side=288, shades=True)


def picture(weights: Map, title: str, separators: list[int], layout: Layout) -> alt.Chart:
    """One map as square cells: rows are the tokens that look, columns the tokens looked at.

    Dark is 0, yellow is the map's 99th percentile and above. Red ticks on the axes are [SEP]. In
    shades, a second picture shows which cells are dim (grey) and which are visible (orange).
    """
    length = len(weights)
    query, key = np.indices(weights.shape)
    cells = pd.DataFrame(
        {
            "left": key.ravel(),
            "right": key.ravel() + 1,
            "top": query.ravel(),
            "bottom": query.ravel() + 1,
            "weight": weights.ravel().astype(float).round(5),
        }
    )
    ticks = alt.Axis(
        title=None,
        values=[position + 0.5 for position in separators],
        labels=False,
        grid=False,
        domain=False,
        tickColor="red",
        tickSize=5,
    )
    pixels = length * max(1, layout.side // length)
    brightest = max(float(np.quantile(weights, BRIGHTEST)), 1e-6)
    scales = [alt.Scale(scheme="viridis", domain=[0, brightest], clamp=True)]
    if layout.shades:
        edges = [DIM * brightest, VISIBLE * brightest]
        scales.append(alt.Scale(type="threshold", domain=edges, range=list(SHADES)))
    panels = [
        alt.Chart(cells, title=title, width=pixels, height=pixels)
        .mark_rect(strokeWidth=0)
        .encode(
            x=alt.X("left:Q", axis=ticks, scale=alt.Scale(domain=[0, length], nice=False)),
            x2="right:Q",
            y=alt.Y("top:Q", axis=ticks, scale=alt.Scale(domain=[length, 0], nice=False)),
            y2="bottom:Q",
            color=alt.Color("weight:Q", legend=None, scale=scale),
        )
        for scale in scales
    ]
    return alt.hconcat(*panels).resolve_scale(color="independent") if layout.shades else panels[0]


def sheet(pictures: list[alt.Chart], columns: int, path: Path) -> None:
    """Write some pictures side by side as one PNG file."""
    chart = (
        alt.concat(*pictures, columns=columns)
        .resolve_scale(color="independent", x="independent", y="independent")
        .configure_view(strokeWidth=0)
    )
    with atomic(path) as partial, alt.data_transformers.enable(max_rows=None):
        chart.save(partial, format="png")


def draw_sheet(
    table: pd.DataFrame,
    maps: list[Map],
    rows: list[int],
    titles: list[str],
    path: Path,
    layout: Layout,
) -> None:
    """Write the maps at `rows` of the table as one sheet."""
    separators = table["separators"].astype(str).str.split()
    pictures = [
        picture(maps[row], title, [int(position) for position in separators[row]], layout)
        for row, title in zip(rows, titles, strict=True)
    ]
    sheet(pictures, layout.columns, path)
