import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from stages.core.pages import charts

LAYERS, HEADS = 3, 4


@pytest.fixture
def cells() -> pd.DataFrame:
    layer, head = (place.ravel() for place in np.indices((LAYERS, HEADS)))
    effect = np.linspace(-0.2, 0.1, LAYERS * HEADS)
    one = pd.DataFrame({"layer": layer, "head": head, "effect": effect, "found": layer == 0})
    return pd.concat([one.assign(task=task) for task in ("relevance", "sentiment")])


def drawn(chart, path) -> str:
    charts.save_svg(chart, path)
    return path.read_text(encoding="utf-8")


def marks(svg: str, kind: str) -> int:
    return len(re.findall(f'aria-roledescription="{kind}"', svg))


def test_a_heatmap_has_a_cell_a_head_and_a_dot_where_marked(cells, tmp_path):
    chart = charts.heatmap(cells, "effect", "points", panel="task", diverging=True, marked="found")
    svg = drawn(chart, tmp_path / "heatmap.svg")
    assert marks(svg, "rect mark") == 2 * LAYERS * HEADS
    assert marks(svg, "circle") == 2 * HEADS


def test_a_diverging_scale_is_symmetric(cells):
    chart = charts.heatmap(cells, "effect", "points", panel="task", diverging=True)
    color = chart.to_dict()["spec"]["layer"][0]["encoding"]["color"]
    assert color["scale"]["domain"] == [-0.2, 0.2]


def test_dots_and_curves_draw_every_row(tmp_path):
    rows = pd.DataFrame({"name": ["a", "b"], "value": [1.0, 2.0], "low": [0.5, 1], "high": [2, 3]})
    assert marks(drawn(charts.dots(rows, "name", "points"), tmp_path / "dots.svg"), "circle") == 2
    points = pd.concat([rows.assign(share=share, task="t") for share in (0.0, 0.5)])
    chart = charts.curves(points, "share", "share", "change", group="name", panel="task")
    svg = drawn(chart, tmp_path / "curves.svg")
    assert (marks(svg, "circle"), marks(svg, "line mark")) == (4, 2)


def test_stacked_shares_and_matrix_draw_every_row(tmp_path):
    rows = pd.DataFrame(
        {"model": ["x", "x"], "task": "t", "share": [0.25, 0.75], "pattern": ["p", "q"]}
    )
    chart = charts.shares(rows, "model", "share", "pattern", panel="task")
    assert marks(drawn(chart, tmp_path / "shares.svg"), "bar") == 2
    counts = pd.DataFrame(
        {"label": ["p", "p", "q", "q"], "predicted": ["p", "q"] * 2, "maps": [3, 1, 0, 4]}
    )
    chart = charts.matrix(counts, "predicted", "label", "maps")
    assert marks(drawn(chart, tmp_path / "matrix.svg"), "text mark") == 4


def test_a_chart_is_written_to_the_same_bytes(cells, tmp_path):
    first, second = (
        drawn(charts.heatmap(cells, "effect", "points", panel="task"), tmp_path / name)
        for name in ("first.svg", "second.svg")
    )
    assert first == second


def test_panels_stand_in_rows_of_equal_length():
    assert charts._columns(panels=4, width=264) == 2
    assert charts._columns(panels=3, width=264) == 2
    assert charts._columns(panels=2, width=264) == 2
    assert charts._columns(panels=5, width=2000) == 1


def test_too_many_marks_are_refused(cells):
    many = pd.concat([cells] * (charts.MOST_MARKS // len(cells) + 1))
    with pytest.raises(ValueError, match="aggregate"):
        charts.heatmap(many, "effect", "points", panel="task")


def test_a_specification_carries_its_description(cells):
    chart = charts.heatmap(cells, "effect", "points", panel="task")
    made = charts.specification(chart, "what is seen")
    assert made["description"] == "what is seen"
    assert made["config"]["font"] == charts.FONT


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
