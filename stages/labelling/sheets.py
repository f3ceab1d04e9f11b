"""Pictures of attention maps: the labelling sheets and the pictures of the guideline."""

from pathlib import Path

import altair as alt
import numpy as np
import pandas as pd

from stages.core.files import atomic
from stages.core.pattern_data import Map

# The colour scale ends here: one outlying cell must not make the whole map dark.
BRIGHTEST = 0.99
SIDE = 240  # pixels of one map


def picture(weights: Map, title: str, separators: list[int], side: int = SIDE) -> alt.Chart:
    """One map as square cells: rows are the tokens that look, columns the tokens looked at.

    Dark is 0, yellow is the map's 99th percentile and above. Red ticks on the axes are [SEP].
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
    pixels = length * max(1, side // length)
    brightest = max(float(np.quantile(weights, BRIGHTEST)), 1e-6)
    return (
        alt.Chart(cells, title=title, width=pixels, height=pixels)
        .mark_rect(strokeWidth=0)
        .encode(
            x=alt.X("left:Q", axis=ticks, scale=alt.Scale(domain=[0, length], nice=False)),
            x2="right:Q",
            y=alt.Y("top:Q", axis=ticks, scale=alt.Scale(domain=[length, 0], nice=False)),
            y2="bottom:Q",
            color=alt.Color(
                "weight:Q",
                legend=None,
                scale=alt.Scale(scheme="viridis", domain=[0, brightest], clamp=True),
            ),
        )
    )


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
    table: pd.DataFrame, maps: list[Map], rows: list[int], titles: list[str], path: Path
) -> None:
    """Write the maps at `rows` of the table as one sheet, five in a row."""
    pictures = [
        picture(maps[row], title, [int(k) for k in str(table.at[row, "separators"]).split()])
        for row, title in zip(rows, titles, strict=True)
    ]
    sheet(pictures, 5, path)
