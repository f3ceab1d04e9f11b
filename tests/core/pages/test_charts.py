import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from stages.core.pages import charts, heatmaps, saving

LAYERS, HEADS = 3, 4
# Of an x axis: anchor, place, opacity, text.
AXIS_LABEL = (
    r'<text text-anchor="(\w+)" transform="translate\(([-\d.]+),16\)"[^>]*opacity="(.)">(.+?)<'
)
LETTER = 6.1  # pixels of a digit beside a tick


@pytest.fixture
def cells() -> pd.DataFrame:
    layer, head = (place.ravel() for place in np.indices((LAYERS, HEADS)))
    effect = np.linspace(-0.2, 0.1, LAYERS * HEADS)
    one = pd.DataFrame({"layer": layer, "head": head, "effect": effect, "found": layer == 0})
    return pd.concat([one.assign(task=task) for task in ("relevance", "sentiment")])


def drawn(chart, path) -> str:
    saving.save_svg(chart.to_dict(), path)
    return path.read_text(encoding="utf-8")


def marks(svg: str, kind: str) -> int:
    """How many marks of a kind an image has, without those of its legends."""
    groups = re.findall(f'<g class="mark-{kind} role-mark[^>]*>(.*?)</g>', svg)
    return sum(len(re.findall("<(?:path|text)", group)) for group in groups)


def test_a_heatmap_has_a_cell_a_head_and_a_dot_where_marked(cells, tmp_path):
    chart = heatmaps.heatmap(
        cells, "effect", "points", panel="task", diverging=True, marked="found"
    )
    svg = drawn(chart, tmp_path / "heatmap.svg")
    assert marks(svg, "rect") == 2 * LAYERS * HEADS
    assert marks(svg, "symbol") == 2 * HEADS


def colours(chart) -> dict:
    return chart.to_dict()["spec"]["layer"][0]["encoding"]["color"]


def test_a_diverging_scale_is_symmetric_and_white_at_0(cells):
    chart = heatmaps.heatmap(cells, "effect", "points", panel="task", diverging=True)
    scale = colours(chart)["scale"]
    assert scale["domain"] == [-0.2, 0.2]
    assert scale["interpolate"] == "rgb"  # by hue, the neighbours of white are of another colour
    assert len(scale["range"]) % 2 and scale["range"][len(scale["range"]) // 2] == "#ffffff"


def test_an_outlier_does_not_set_the_scale_of_all_and_is_said():
    values = [1.0, -1.0] * 100
    assert heatmaps.colour_limit(pd.Series([*values, -50.0])) == (1.0, 1)
    assert heatmaps.colour_limit(pd.Series([*values, -2.9])) == (2.9, 0)  # no outlier yet
    assert heatmaps.colour_limit(pd.Series([0.0] * 200 + [5.0])) == (5.0, 0)  # all but one are 0
    for nothing in ([], [0.0], [float("nan")]):
        assert heatmaps.colour_limit(pd.Series(nothing, dtype=float)) == (1.0, 0)
    rows = pd.DataFrame({"layer": 0, "head": range(201), "panel": "t", "x": [*values, -50.0]})
    legend = colours(heatmaps.heatmap(rows, "x", "points", diverging=True))["legend"]
    assert legend["title"] == ["points", "(beyond ±1.00: 1)"]


@pytest.mark.parametrize(
    ("values", "domain"),
    [
        ([0.1, 0.8], [0.0, 0.8]),
        ([0.7, 0.8], [0.7, 0.8]),
        ([-0.5, 0.8], [-0.5, 0.8]),
        ([0.0, 0.0], [0.0, 1.0]),
        ([float("nan")], [0.0, 1.0]),
    ],
)
def test_amounts_begin_at_0_where_that_tells_them_apart(values, domain):
    assert heatmaps.amounts_domain(pd.Series(values)) == domain


def test_axes_of_layers_have_no_tick_between_two_of_them():
    assert charts.whole_ticks(pd.Series([0.0, 1.0, 5.0])).to_dict()["tickMinStep"] == 1
    assert "tickMinStep" not in charts.whole_ticks(pd.Series([0.0, 0.5])).to_dict()


@pytest.mark.parametrize(("least", "most"), [(0, 0.3), (0, 0.55), (-0.005, 0.006), (-120, 20)])
def test_every_tick_of_numbers_has_its_label_and_these_do_not_meet(least, most, tmp_path):
    rows = pd.DataFrame({"name": ["a", "b"], "panel": "t", "x": [least, most + 1e-4]})
    rows = rows.assign(value=rows["x"], low=rows["x"], high=rows["x"])
    drawings = [
        charts.dots(rows, "name", "points"),
        charts.scatter(rows, "x", "value", ("x", "y"), panel="panel", tooltip=[]),
        charts.curves(rows, "x", "x", "y", group="name", panel="panel"),
    ]
    for chart in drawings:
        svg = drawn(chart, tmp_path / "chart.svg")
        labels = re.findall(AXIS_LABEL, svg)
        assert len(labels) > 2
        assert {(anchor, opacity) for anchor, _, opacity, _ in labels} == {("middle", "1")}
        ends = [(float(x), LETTER * len(label) / 2) for _, x, _, label in labels]
        for (x, half), (following, other) in pairwise(ends):
            assert x + half + LETTER < following - other


def test_a_name_has_one_colour_in_all_figures_of_a_page():
    points = pd.DataFrame({"x": [0, 1], "value": 0.5, "low": 0.4, "high": 0.6, "panel": "t"})
    page = ["untuned", "the first one", "any word"]
    colours_of = []
    for name in ("the first one", "any word"):
        rows = points.assign(whose=["untuned", name])
        chart = charts.curves(rows, "x", "x", "y", group="whose", panel="panel", of_page=page)
        scale = chart.to_dict()["spec"]["layer"][1]["encoding"]["color"]["scale"]
        assert scale["domain"] == ["untuned", name]  # the legend has no others
        colours_of.append(scale["range"])
    assert colours_of[0][0] == colours_of[1][0] == charts.CATEGORIES[0]
    assert colours_of[0][1] != colours_of[1][1] == charts.CATEGORIES[2]


def test_shares_end_at_all_of_it_also_where_rounding_adds_up_to_more():
    rows = pd.DataFrame({"model": "x", "share": [0.50004, 0.50004], "pattern": ["p", "q"]})
    axis = charts.shares(rows, "model", "share", "pattern", title="share of texts").to_dict()
    assert axis["encoding"]["x"]["scale"]["domain"] == [0, 1]
    assert axis["encoding"]["x"]["title"] == "share of texts"


def test_panels_that_can_be_compared_have_one_scale():
    points = pd.DataFrame({"x": [0.0, 1.0], "y": [1.0, 9.0], "panel": ["a", "b"]})
    for comparable, scales in ((True, "shared"), (False, "independent")):
        chart = charts.scatter(
            points, "x", "y", ("x", "y"), panel="panel", tooltip=[], comparable=comparable
        )
        assert chart.to_dict()["resolve"]["scale"] == {"x": scales, "y": scales}


def test_dots_and_curves_draw_every_row(tmp_path):
    rows = pd.DataFrame({"name": ["a", "b"], "value": [1.0, 2.0], "low": [0.5, 1], "high": [2, 3]})
    assert marks(drawn(charts.dots(rows, "name", "points"), tmp_path / "dots.svg"), "symbol") == 2
    points = pd.concat([rows.assign(share=share, task="t") for share in (0.0, 0.5)])
    chart = charts.curves(points, "share", "share", "change", group="name", panel="task")
    svg = drawn(chart, tmp_path / "curves.svg")
    assert (marks(svg, "symbol"), marks(svg, "line")) == (4, 2)


def test_stacked_shares_and_matrix_draw_every_row(tmp_path):
    rows = pd.DataFrame(
        {"model": ["x", "x"], "task": "t", "share": [0.25, 0.75], "pattern": ["p", "q"]}
    )
    chart = charts.shares(rows, "model", "share", "pattern", panel="task")
    assert marks(drawn(chart, tmp_path / "shares.svg"), "rect") == 2
    counts = pd.DataFrame(
        {"label": ["p", "p", "q", "q"], "predicted": ["p", "q"] * 2, "maps": [3, 1, 0, 4]}
    )
    chart = charts.matrix(counts, "predicted", "label", "maps")
    assert marks(drawn(chart, tmp_path / "matrix.svg"), "text") == 4


def test_a_matrix_names_every_column_however_long_the_names(tmp_path):
    names = ["vertical", "diagonal", "vertical+diagonal", "block", "heterogeneous"]
    counts = pd.DataFrame([(row, column) for row in names for column in names])
    counts = counts.set_axis(["label", "predicted"], axis=1).assign(maps=1)
    svg = drawn(charts.matrix(counts, "predicted", "label", "maps"), tmp_path / "matrix.svg")
    assert {name: svg.count(f">{name}<") for name in names} == dict.fromkeys(names, 2)


def test_a_chart_is_written_to_the_same_bytes(cells, tmp_path):
    first, second = (
        drawn(heatmaps.heatmap(cells, "effect", "points", panel="task"), tmp_path / name)
        for name in ("first.svg", "second.svg")
    )
    assert first == second


def test_panels_stand_in_rows_of_equal_length():
    of_twelve_heads = 12 * charts.CELL
    for panels, columns in ((1, 1), (2, 2), (3, 3), (4, 2), (5, 3), (6, 3)):
        assert heatmaps.columns_of(["x"] * panels, of_twelve_heads) == columns, panels
    assert heatmaps.columns_of(["x"] * 5, width=2000) == 1


def test_panels_with_long_labels_stand_farther_apart():
    assert heatmaps.columns_of(["x" * 20] * 6, 12 * charts.CELL) == 3
    assert heatmaps.columns_of(["x" * 60] * 6, 12 * charts.CELL) == 2


def test_panels_to_compare_stand_in_one_row():
    for fitting, abreast, columns in ((4, 2, 4), (3, 2, 2), (4, 3, 3), (3, 4, 2), (2, 3, 1)):
        width = heatmaps.PAGE_WIDTH // fitting - heatmaps.AXIS_WIDTH
        assert heatmaps.columns_of(["x"] * 12, width, abreast) == columns, (fitting, abreast)
    assert heatmaps.columns_of(["x"], 100, abreast=2) == 1


def test_too_many_marks_are_refused(cells):
    many = pd.concat([cells] * (charts.MOST_MARKS // len(cells) + 1))
    with pytest.raises(ValueError, match="aggregate"):
        heatmaps.heatmap(many, "effect", "points", panel="task")


def test_a_specification_carries_its_description(cells):
    chart = heatmaps.heatmap(cells, "effect", "points", panel="task")
    made = saving.specification(chart.to_dict(), "what is seen")
    assert made["description"] == "what is seen"
    assert made["config"]["font"] == charts.FONT


def test_a_specification_has_no_column_that_is_not_drawn_nor_leads_to_a_head(cells):
    cells = cells.assign(corpus="texts", other=1.5, found=True)
    chart = heatmaps.heatmap(cells, "effect", "points", panel="task", marked="found")
    (rows,) = saving.specification(chart.to_dict(), "other").pop("datasets").values()
    assert len(rows) == 2 * LAYERS * HEADS
    assert set(rows[0]) == {"layer", "head", "task", "effect", "found", "corpus"}
    assert rows[1]["effect"] == pytest.approx(cells["effect"].iloc[1], abs=1e-4)


def test_marks_of_an_image_are_not_described_one_by_one(cells, tmp_path):
    svg = drawn(heatmaps.heatmap(cells, "effect", "points", panel="task"), tmp_path / "one.svg")
    cells = re.findall('<g class="mark-rect role-mark[^>]*>(.*?)</g>', svg)
    assert len(cells) == 2 and not any("aria-" in part or "role=" in part for part in cells)


def test_latin_text_is_set_as_before_and_chinese_has_a_font(tmp_path):
    """Fonts of other scripts stand behind the Latin ones, which measure and draw Latin text."""
    css = Path("stages/report/static/report.css").read_text(encoding="utf-8")
    (of_page,) = re.findall(r"font: 16px/1\.5 ([^;]+);", css)
    for fonts in (charts.FONT, of_page):
        names = [name.strip().strip('"') for name in fonts.split(",")]
        assert names[:3] == ["Liberation Sans", "Arial", "Helvetica"] and names[-1] == "sans-serif"
        assert {"Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei"} <= {*names}
    rows = pd.DataFrame({"name": ["head of a subject"], "value": [1.0], "low": 0.0, "high": 2.0})
    sizes = []
    for font in (charts.FONT, "Liberation Sans, Arial, Helvetica, sans-serif"):
        chart = charts.dots(rows, "name", "points").configure(font=font)
        sizes.append(re.search(r'viewBox="[^"]+"', drawn(chart, tmp_path / "dots.svg"))[0])
    assert sizes[0] == sizes[1]


def test_the_data_of_a_chart_are_its_rows_without_the_line_at_0(cells):
    one = cells[cells["task"] == "relevance"]
    rows = one.assign(
        label=[f"head {place}" for place in range(len(one))],
        value=one["effect"],
        low=one["effect"] - 1,
        high=one["effect"] + 1,
    )
    data = saving.data_of(charts.dots(rows, "label", "points").to_dict())
    assert len(data) == len(rows)
    assert data["label"].tolist() == rows["label"].tolist()
    assert np.allclose(data["low"], rows["low"].round(charts.PLACES))
    heat = saving.data_of(heatmaps.heatmap(cells, "effect", "points", panel="task").to_dict())
    assert np.allclose(heat["effect"], cells["effect"].round(charts.PLACES))
