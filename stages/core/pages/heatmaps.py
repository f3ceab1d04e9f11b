"""Heatmaps layer x head: how far their colours reach, and how their panels stand."""

import math
from textwrap import wrap

import altair
import pandas as pd

from stages.core.pages.charts import CELL, INK, PLACES, checked_rows
from stages.core.pages.titles import in_words

# Pixels: the text beside a panel, the width of a page.
AXIS_WIDTH, PAGE_WIDTH = 60, 980
LETTER = 6.6  # pixels of a letter of a panel's label, on the average
LINE = 26  # letters of a legend's title
# White is 0, or the least: of changes from red to blue, of amounts to blue.
CHANGES = ["#8c0d1c", "#d6604d", "#fddbc7", "#ffffff", "#d1e5f0", "#4393c3", "#08366b"]
AMOUNTS = ["#ffffff", "#c6dbef", "#6baed6", "#2171b5", "#08306b"]
# A few cells farther out than so many times the others' end do not set the scale of all.
OUTLYING, OTHERS = 3, 0.98


def heatmap(
    cells: pd.DataFrame,
    value: str,
    title: str,
    *,
    panel: str = "panel",
    diverging: bool = False,
    tooltip: list[str] | None = None,
    marked: str | None = None,
    format: str = ".2f",
    abreast: int = 1,
) -> altair.FacetChart:
    """Layer x head, one panel a value of the column `panel`, all panels on one colour scale.

    Args:
        cells: one row a cell with layer, head, `panel` and `value`.
        title: of the colour scale, with the unit.
        diverging: put white at 0, and give both sides the same range.
        marked: a column of booleans; where it is true the cell carries a dot.
        abreast: so many panels that follow each other are to be compared, and stand in one row.
    """
    cells, note = cells.round(PLACES), []
    if diverging:
        limit, clipped = colour_limit(cells[value])
        scale = altair.Scale(
            range=CHANGES, domain=[-limit, limit], domainMid=0, clamp=True, interpolate="rgb"
        )
        if clipped:
            note = [f"(beyond ±{limit:{format}}: {clipped})"]
    else:
        scale = altair.Scale(range=AMOUNTS, domain=amounts_domain(cells[value]), interpolate="rgb")
    base = altair.Chart().encode(
        x=altair.X("head:O", title="head", axis=altair.Axis(labelAngle=0, grid=False)),
        y=altair.Y("layer:O", title="layer", axis=altair.Axis(grid=False)),
    )
    rect = base.mark_rect(stroke="white", strokeWidth=1).encode(
        color=altair.Color(
            f"{value}:Q",
            scale=scale,
            legend=altair.Legend(title=[*wrap(title, LINE), *note], format=format),
        ),
        tooltip=tooltip or [panel, "layer", "head", value],
    )
    layers = [rect]
    if marked:
        dot = base.mark_circle(size=26, color=INK)
        layers.append(dot.transform_filter(f"datum.{marked}"))
    panels = list(dict.fromkeys(cells[panel]))
    size = {"width": CELL * cells["head"].nunique(), "height": CELL * cells["layer"].nunique()}
    return (
        altair.layer(*layers)
        .properties(**size)
        .facet(
            altair.Facet(f"{panel}:N", title=None, sort=panels),
            columns=columns_of([in_words(str(name)) for name in panels], size["width"], abreast),
            data=checked_rows(cells),
        )
        .resolve_axis(x="independent", y="independent")
    )


def colour_limit(values: pd.Series) -> tuple[float, int]:
    """How far a diverging scale reaches on either side of 0, and how many values lie beyond.

    It reaches to the value farthest from 0, but where that is an outlier only as far as the others.
    """
    sizes = values.abs().dropna()
    farthest = float(sizes.max()) if len(sizes) else 0.0
    others = float(sizes.quantile(OTHERS)) if len(sizes) else 0.0
    limit = others if 0 < OUTLYING * others < farthest else farthest
    limit = limit or 1.0
    return limit, int((sizes > limit).sum())


def amounts_domain(values: pd.Series) -> list[float]:
    """From 0 to the most; from the least where all lie far from 0, as they would look alike."""
    least, most = float(values.min()), float(values.max())
    if not (math.isfinite(least) and math.isfinite(most)):
        return [0.0, 1.0]
    start = 0.0 if 0 <= least <= most / 2 else least
    return [start, most if most > start else start + 1.0]


def columns_of(labels: list[str], width: int, abreast: int = 1) -> int:
    """As many panels side by side as fit on a page, with rows of equal length.

    Args:
        labels: of the panels, in their order; no panel is narrower than its label.
        width: of a panel, in pixels.
        abreast: no row separates panels of a group of so many, where a row has room for them.
    """
    if not labels:
        return 1
    longest = max((LETTER * len(label) for label in labels), default=0.0)
    fitting = max(1, int(PAGE_WIDTH // (max(width, longest) + AXIS_WIDTH)))
    if abreast > 1:
        whole = fitting // abreast * abreast
        divisors = [number for number in range(1, abreast) if abreast % number == 0]
        most = whole or max(number for number in divisors if number <= fitting)
        return min(most, len(labels)) or 1
    return math.ceil(len(labels) / math.ceil(len(labels) / fitting))
