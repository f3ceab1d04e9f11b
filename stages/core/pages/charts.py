"""Figures: the theme, and the kinds of chart the report uses.

A chart carries its data, rounded, so that it works offline and its file changes only with them.
"""

from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import Any

import altair
import pandas as pd

MOST_MARKS = 50_000  # a browser draws so many without delay; a page must aggregate above this
PLACES = 4
INK, MUTED, GRID = "#1b1f24", "#59636e", "#e4e7eb"
# Okabe and Ito's colours, which colour-blind readers tell apart.
CATEGORIES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#595959"]
# Behind the Latin fonts stand those of scripts that these lack.
FONT = (
    "Liberation Sans, Arial, Helvetica, Noto Sans CJK SC, Noto Sans SC, PingFang SC, "
    "Microsoft YaHei, WenQuanYi Zen Hei, Noto Sans Thai, sans-serif"
)
CELL = 21  # pixels
TICKS = 5  # of an axis of numbers, more or less: their labels do not meet in a narrow panel
ZERO = "zero"  # column of the line at 0
VegaLite = dict[str, Any]  # a chart as `to_dict` makes it, which takes a quarter of a second


@altair.theme.register("paper", enable=True)
def paper() -> altair.theme.ThemeConfig:
    """Dark on light, one font, no frame, no decoration."""
    text = {"labelColor": MUTED, "titleColor": INK, "labelFontSize": 11, "titleFontSize": 12}
    return altair.theme.ThemeConfig(
        config={
            "background": "white",
            "font": FONT,
            "view": {"stroke": None},
            "axis": {
                **text,
                "gridColor": GRID,
                "domainColor": "#b6bdc5",
                "tickColor": "#b6bdc5",
                "titleFontWeight": "normal",
                "labelLimit": 300,
                "labelOverlap": "greedy",
                # The labels at both ends stand at their ticks, as all others do.
                "labelFlush": False,
            },
            "legend": {**text, "titleFontWeight": "normal", "gradientThickness": 12},
            "header": {**text, "labelColor": INK, "labelFontSize": 12, "labelFontWeight": "bold"},
            "title": {"color": INK, "fontSize": 13, "anchor": "start"},
            "range": {"category": CATEGORIES},
        }
    )


def whole_ticks(values: pd.Series) -> altair.Axis:
    """An axis of numbers; of whole ones, as of layers, it has no tick between two of them."""
    numbers = values.dropna()
    if len(numbers) and (numbers % 1 == 0).all():
        return altair.Axis(tickMinStep=1, format="d")
    return altair.Axis(tickCount=TICKS)


def dots(
    rows: pd.DataFrame, label: str, title: str, *, group: str | None = None, zero: bool = True
) -> altair.LayerChart:
    """A dot with its interval for each row: columns `label`, value, low, high, perhaps `group`."""
    rows = rows.round(PLACES)
    # The labels say what they are; numbers of layers do not.
    heading = label if label == "layer" else None
    order = list(dict.fromkeys(rows[label]))
    encoding = {"y": altair.Y(f"{label}:N", sort=order, title=heading)}
    if group:
        order = list(dict.fromkeys(rows[group]))
        encoding["color"] = altair.Color(f"{group}:N", title=group, sort=order)
        encoding["yOffset"] = altair.YOffset(f"{group}:N", sort=order)
    tooltip = [name for name in (label, group, "value", "low", "high") if name]
    base = altair.Chart(checked_rows(rows)).encode(**encoding, tooltip=tooltip)
    x = altair.X("low:Q", title=title, axis=altair.Axis(tickCount=TICKS))
    layers = [
        base.mark_rule(strokeWidth=2).encode(x=x, x2="high:Q"),
        base.mark_circle(size=60, opacity=1).encode(x="value:Q"),
    ]
    if zero:
        layers.insert(0, _zero_line("x"))
    step = 16 if group else 24
    return altair.layer(*layers).properties(width=460, height=altair.Step(step))


def curves(
    points: pd.DataFrame,
    x: str,
    x_title: str,
    y_title: str,
    *,
    group: str,
    panel: str,
    of_page: Sequence[str] = (),
) -> altair.FacetChart:
    """Lines with their interval as a band: columns `x`, value, low, high, `group` and `panel`.

    Args:
        of_page: the values of `group` in all figures of the page, where a value of several figures
            is to have one colour in all of them.
    """
    points = points.round(PLACES)
    order = list(dict.fromkeys(points[group]))
    colours = dict(zip(of_page or order, cycle(CATEGORIES), strict=False))
    base = altair.Chart().encode(
        x=altair.X(f"{x}:Q", title=x_title, axis=whole_ticks(points[x])),
        color=altair.Color(
            f"{group}:N",
            title=group,
            scale=altair.Scale(domain=order, range=[colours[name] for name in order]),
            legend=altair.Legend(symbolOpacity=1),
        ),
    )
    tooltip = [panel, group, x, "value", "low", "high"]
    chart = altair.layer(
        _zero_line("y"),
        base.mark_area(opacity=0.18).encode(y=altair.Y("low:Q", title=y_title), y2="high:Q"),
        base.mark_line(strokeWidth=2).encode(y="value:Q"),
        base.mark_circle(size=40, opacity=1).encode(y="value:Q", tooltip=tooltip),
    ).properties(width=300, height=200)
    return chart.facet(
        altair.Facet(f"{panel}:N", title=None, sort=list(dict.fromkeys(points[panel]))),
        columns=2,
        data=checked_rows(points),
    ).resolve_axis(x="independent", y="independent")


def scatter(
    points: pd.DataFrame,
    x: str,
    y: str,
    titles: tuple[str, str],
    *,
    panel: str,
    tooltip: list[str],
    comparable: bool = False,
) -> altair.FacetChart:
    """A dot for each row, one panel a value of the column `panel`.

    Args:
        titles: of the axes x and y, with their units.
        comparable: whether all panels have the same scales, or each its own.
    """
    scales = "shared" if comparable else "independent"
    points = points.round(PLACES)
    base = altair.Chart().encode(
        x=altair.X(f"{x}:Q", title=titles[0], axis=altair.Axis(tickCount=TICKS)),
        y=altair.Y(f"{y}:Q", title=titles[1]),
    )
    dot = base.mark_circle(size=45, opacity=0.75).encode(tooltip=[panel, *tooltip])
    return (
        altair.layer(_zero_line("y"), dot)
        .properties(width=300, height=220)
        .facet(
            altair.Facet(f"{panel}:N", title=None, sort=list(dict.fromkeys(points[panel]))),
            columns=2,
            data=checked_rows(points),
        )
        .resolve_scale(x=scales, y=scales)
        .resolve_axis(x="independent", y="independent")
    )


def plane(
    points: pd.DataFrame, colour: str, *, panel: str, tooltip: list[str]
) -> altair.FacetChart:
    """Places x and y without axes, a dot a row coloured by the column `colour`, panels of `panel`.

    Numbers have a scale of their own, names the colours of categories.
    """
    points = points.round(PLACES)
    if pd.api.types.is_numeric_dtype(points[colour]):
        code = altair.Color(f"{colour}:O", scale=altair.Scale(scheme="viridis"))
    else:
        code = altair.Color(f"{colour}:N", sort=sorted(points[colour].unique()))
    bare = altair.Axis(labels=False, ticks=False, title=None, grid=False)
    dot = altair.Chart().mark_circle(size=70, opacity=0.9)
    encoded = dot.encode(
        x=altair.X("x:Q", axis=bare),
        y=altair.Y("y:Q", axis=bare),
        color=code,
        tooltip=[panel, *tooltip],
    )
    return (
        encoded.properties(width=340, height=300)
        .facet(
            altair.Facet(f"{panel}:N", title=None, sort=list(dict.fromkeys(points[panel]))),
            columns=2,
            data=checked_rows(points),
        )
        .resolve_scale(x="independent", y="independent")
    )


def shares(
    rows: pd.DataFrame,
    label: str,
    share: str,
    kind: str,
    panel: str | None = None,
    title: str = "share of maps",
) -> altair.Chart:
    """Stacked bars that add up to 100%: one bar a `label`, one colour a `kind`.

    Args:
        title: of the axis: of what they are shares.
    """
    rows = rows.round(PLACES)
    # Rounded shares may add up to a little more than all.
    whole = altair.Scale(domain=[0, 1], nice=False, clamp=True)
    order = list(dict.fromkeys(rows[kind]))
    encoding = {
        "x": altair.X(f"{share}:Q", title=title, scale=whole, axis=altair.Axis(format="%")),
        "y": altair.Y(f"{label}:N", title=None, sort=list(dict.fromkeys(rows[label]))),
        "color": altair.Color(f"{kind}:N", title=kind, sort=order),
        "order": altair.Order("place:Q"),
        "tooltip": [*([panel] if panel else []), label, kind, share],
    }
    if panel:
        encoding["row"] = altair.Row(
            f"{panel}:N",
            title=None,
            sort=list(dict.fromkeys(rows[panel])),
            header=altair.Header(labelAngle=0, labelAlign="left", labelAnchor="middle"),
        )
    rows = rows.assign(place=rows[kind].map(order.index))
    chart = altair.Chart(checked_rows(rows)).mark_bar(stroke="white").encode(**encoding)
    return chart.properties(width=460, height=altair.Step(24))


def matrix(
    cells: pd.DataFrame, x: str, y: str, value: str, panel: str | None = None
) -> altair.LayerChart | altair.FacetChart:
    """Counts of `x` against `y` as a square of numbered cells; columns `x`, `y` and `value`.

    Args:
        panel: a column; each value has a square with names of its own.
    """
    order = list(dict.fromkeys(cells[y]))
    limit = int(cells[value].max())
    base = altair.Chart(checked_rows(cells)).encode(
        # Slanted names do not meet, though the boxes around them do: none is left out.
        x=altair.X(f"{x}:N", sort=order, axis=altair.Axis(labelAngle=-30, labelOverlap=False)),
        y=altair.Y(f"{y}:N", sort=order),
    )
    dark = altair.datum[value] > limit / 2
    square = altair.layer(
        base.mark_rect(stroke="white").encode(
            color=altair.Color(f"{value}:Q", scale=altair.Scale(scheme="blues"), legend=None),
            tooltip=[y, x, value],
        ),
        base.mark_text(fontSize=12).encode(
            text=f"{value}:Q",
            color=altair.when(dark).then(altair.value("white")).otherwise(altair.value(INK)),
        ),
    ).properties(width=altair.Step(2.4 * CELL), height=altair.Step(1.6 * CELL))
    if panel is None or cells[panel].nunique() < 2:
        return square
    names = altair.Facet(f"{panel}:N", title=None, sort=list(dict.fromkeys(cells[panel])))
    return square.facet(names, columns=1).resolve_scale(x="independent", y="independent")


def _zero_line(axis: str) -> altair.Chart:
    """A thin line at 0, where nothing changes."""
    data = pd.DataFrame({ZERO: [0]})
    return altair.Chart(data).mark_rule(color="#9aa3ad").encode(**{axis: f"{ZERO}:Q"})


def rows_of(chart: altair.TopLevelMixin) -> Iterator[pd.DataFrame]:
    """The tables that a chart and its parts draw, but for those of lines at 0."""
    data = getattr(chart, "data", None)
    if isinstance(data, pd.DataFrame) and list(data) != [ZERO]:
        yield data
    for name in ("layer", "spec", "hconcat", "vconcat", "concat"):
        parts = chart._get(name)
        if parts is not altair.Undefined:
            for part in parts if isinstance(parts, list) else [parts]:
                yield from rows_of(part)


def checked_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of a figure, unless there are more than a browser draws without delay."""
    if len(rows) > MOST_MARKS:
        raise ValueError(f"a figure of {len(rows)} marks; aggregate to {MOST_MARKS} or fewer")
    return rows
