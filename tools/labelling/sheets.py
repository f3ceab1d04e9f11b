"""Pictures of attention maps: the labelling sheets and the pictures of the guideline."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import typer

from stages.core.recordings.tokens import SEP_TOKENS
from stages.core.stage.files import atomic
from stages.patterns.map_file import Map
from stages.patterns.special import special_tokens
from stages.patterns.views import BRIGHTEST, DIM, VISIBLE

SHADES = ("black", "#7a7a7a", "#ffb000")


# Pixels that a token needs beside an axis to be read; below, special tokens alone are named.
READABLE = 6


@dataclass(frozen=True)
class Layout:
    """How maps are shown on a sheet."""

    columns: int  # pictures in a row
    rows: int
    side: int  # pixels of one map
    shades: bool  # show a second picture of each map, in three shades
    tokens: bool = False  # name the tokens on the axes, as the rule `special` asks

    @property
    def maps(self) -> int:
        return self.columns * self.rows


FIRST_LAYOUT = Layout(columns=5, rows=4, side=240, shades=False)
CLOSER_LAYOUT = Layout(columns=2, rows=3, side=288, shades=True)
TOKENS_LAYOUT = Layout(columns=2, rows=3, side=336, shades=True, tokens=True)


def picture(weights: Map, title: str, tokens: list[str], layout: Layout) -> alt.Chart:
    """One map as square cells: rows are the tokens that look, columns the tokens looked at.

    Dark is 0, yellow is the map's 99th percentile and above. Red ticks on the axes are [SEP]; where
    the layout names tokens, they are [CLS] and [SEP], whose names are red too. In shades, a second
    picture shows which cells are dim (grey) and which are visible (orange).
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
            x=alt.X("left:Q", axis=top, scale=alt.Scale(domain=[0, length], nice=False)),
            x2="right:Q",
            y=alt.Y("top:Q", axis=side, scale=alt.Scale(domain=[length, 0], nice=False)),
            y2="bottom:Q",
            color=alt.Color("weight:Q", legend=None, scale=scale),
        )
        for scale, (top, side) in zip(scales, _axes(tokens, pixels, layout), strict=False)
    ]
    return alt.hconcat(*panels).resolve_scale(color="independent") if layout.shades else panels[0]


def _axes(tokens: list[str], pixels: int, layout: Layout) -> list[tuple[alt.Axis, alt.Axis]]:
    """The axes over and beside the coloured picture, and those of the shades."""
    if not layout.tokens:
        places = np.flatnonzero(np.isin(tokens, SEP_TOKENS)).tolist()
        ticks = _ticks(places, labels=False)
        return [(ticks, ticks)] * 2
    special = np.flatnonzero(special_tokens(tokens, ())).tolist()
    each = pixels / len(tokens)
    named = list(range(len(tokens))) if each >= READABLE else special
    # Vega takes a whole string like "if" for a signal's name; a space before it makes it text.
    names = json.dumps([f" {token}" for token in tokens])
    options = {
        "labelExpr": f"{names}[floor(datum.value)]",
        "labelFontSize": min(11, max(READABLE, each)),
        "labelOverlap": False,
        "labelColor": _red_at(special, "#333333"),
        "tickColor": _red_at(special, "#cccccc"),
    }
    over = _ticks(named, orient="top", labelAngle=-90, **options)
    ticks = _ticks(special, labels=False)
    return [(over, _ticks(named, **options)), (_ticks(special, labels=False, orient="top"), ticks)]


def _ticks(places: list[int], **options: Any) -> alt.Axis:
    return alt.Axis(
        **{"title": None, "grid": False, "domain": False, "tickColor": "red", "tickSize": 5}
        | {"values": [place + 0.5 for place in places]}
        | options
    )


def _red_at(places: list[int], other: str) -> dict:
    test = f"indexof({json.dumps(places)}, floor(datum.value)) >= 0"
    return {"condition": {"test": test, "value": "red"}, "value": other}


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
    pictures = [
        picture(maps[row], title, table.at[row, "tokens"].split(), layout)
        for row, title in zip(rows, titles, strict=True)
    ]
    sheet(pictures, layout.columns, path)


def write_sheets(
    table: pd.DataFrame, maps: list[Map], rows: list[int], out: Path, layout: Layout
) -> None:
    """Draw the maps at `rows`, a sheet named by its first map."""
    with typer.progressbar(range(0, len(rows), layout.maps), label="sheets") as starts:
        for start in starts:
            some = rows[start : start + layout.maps]
            titles = [str(table.at[row, "map"]) for row in some]
            path = out / f"sheet-{table.at[some[0], 'map']:04d}.png"
            draw_sheet(table, maps, some, titles, path, layout)
