"""A report made of hostile, right-to-left and Chinese text, clicked and checked."""

from pathlib import Path

import pandas as pd
import pytest

from stages.core.pages.charts import dots
from stages.core.pages.declared import Page
from stages.core.pages.page import Figure, Section, Table, heads_figure
from stages.report.head_pages import ModelHeads
from stages.report.measured_pages import MeasuredPage
from stages.report.model_facts import ModelFacts
from stages.report.origins import Origin
from stages.report.overview import by_paper, by_reason, certainty, headline, paper_tallies, tallies
from stages.report.site import write_site
from tests.browser.checked import assert_sound, checked
from tests.browser.test_report import CHROMIUM
from tests.report.test_bars import finding
from tests.report.test_overview import findings

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on PATH")

SCRIPT = "<script>globalThis.hostile = true</script>"
CLOSING = '"></title></script><img src=x onerror="globalThis.hostile = true">'
HEBREW, CHINESE = "ראש אחד מסתכל לאחור", "注意力头看上一个词"
LABELS = [SCRIPT, CLOSING, HEBREW, CHINESE]


def sections() -> list[Section]:
    rows = pd.DataFrame({"label": LABELS, "value": [3.0, 1.0, 2.0, 0.0]})
    rows = rows.assign(low=rows["value"] - 0.5, high=rows["value"] + 0.5)
    cells = pd.DataFrame({"layer": [0, 0, 1, 1], "head": [0, 1, 0, 1], "task": SCRIPT})
    cells = cells.assign(value=[0.1, 0.2, 0.3, 0.4])
    table = pd.DataFrame({SCRIPT: [*LABELS, "z"], "number": [2.5, 10.5, float("nan"), -1.5, 0.5]})
    said = f"{SCRIPT} {CLOSING} `{SCRIPT}`"
    items = (
        Figure("made-dots", SCRIPT, said, dots(rows, "label", CLOSING), finding=said),
        heads_figure("made-heads", CHINESE, said, cells, "value", SCRIPT, finding=HEBREW),
        Table("made", CLOSING, said, table),
    )
    return [Section(SCRIPT, said, items)]


@pytest.fixture(scope="module")
def reports(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("hostile") / "reports"
    folder.mkdir()
    (folder / "findings.json").write_text("{}")
    page = Page(SCRIPT, CLOSING, "Models and tasks", 1, ("A",), ())
    claims = {
        f"A-{number}": finding(statement=label, note=label, paper=label, verdict=verdict)
        for number, (label, verdict) in enumerate(
            zip(LABELS, ("holds", "fails", "undecided", "holds"), strict=True)
        )
    }
    made = findings(
        claims,
        models=[SCRIPT],
        tasks={SCRIPT: "accuracy"},
        seeds={SCRIPT: [0]},
        configuration=SCRIPT,
    )
    top = {
        "models": [ModelFacts(SCRIPT, 2, 2, 4, CLOSING, False)],
        "data": {SCRIPT: CLOSING, HEBREW: CHINESE},
        "seeds_in_words": SCRIPT,
        "libraries": SCRIPT,
        "fingerprint": "0123",
        "headline": headline(made),
        "certainty": certainty(made),
        "tallies": tallies(made),
        "paper_tallies": paper_tallies(made),
        "papers": by_paper(made),
        "reasons": by_reason(made),
        "not_learnt_in_words": SCRIPT,
    }
    heads = pd.DataFrame({"model": [SCRIPT] * 3, "layer": [0, 0, 1], "head": [0, 1, 0]})
    heads = heads.assign(role=[CLOSING, HEBREW, CHINESE])
    shown = MeasuredPage(page, sections(), ["made"])
    origins = {"made": Origin("made", CLOSING, SCRIPT, "stages/made", [SCRIPT], {SCRIPT: HEBREW})}
    texts = pd.DataFrame({"data": [SCRIPT], "texts or pairs": [3]})
    models = [ModelHeads(SCRIPT, [], 2, 2, [], [])]
    columns = pd.DataFrame({"page": ["made"], "columns": ["role"], "what they are": [CLOSING]})
    pages = {"made": shown}
    write_site(folder, made, pages, heads, [SCRIPT], texts, top, models, columns, origins)
    return folder / "site"


@pytest.mark.parametrize(
    "name", ["index.html", "pages/made.html", "pages/heads.html", "pages/origins.html"]
)
@pytest.mark.parametrize(("width", "dark"), [(400, False), (1200, True)])
def test_hostile_text_runs_nothing_and_pages_stay_sound(name, width, dark, reports, tmp_path):
    found = checked(reports / name, tmp_path / "profile", width=width, dark=dark)
    assert not found["script_ran"]
    assert_sound(found)


def test_a_column_sorts_both_ways_with_blanks_last(reports, tmp_path):
    action = """
    const button = document.querySelectorAll("#table-made th button")[1];
    const order = () => [...document.querySelectorAll("#table-made tbody tr")].map(
      (row) => row.cells[1].textContent);
    globalThis.said = [];
    for (let clicks = 0; clicks < 2; clicks += 1) { button.click(); said.push(order()); }
    """
    found = checked(reports / "pages/made.html", tmp_path / "profile", action=action)
    up = ["-1.5", "0.5", "2.5", "10.5"]
    assert found["said"] == [[*up, ""], [*reversed(up), ""]]


def test_claims_are_filtered_by_words_and_verdict_and_empty_papers_go(reports, tmp_path):
    action = """
    const choose = (selector, value) => {
      const control = document.querySelector(selector);
      control.value = value;
      control.dispatchEvent(new Event("input"));
    };
    const rows = () => [...document.querySelectorAll("#claims tbody tr:not([hidden])")].map(
      (row) => row.matches(".group") ? "paper" : row.cells[0].textContent);
    choose("[data-by=verdict]", "holds");
    const first = rows();
    choose("[data-filter=claims]", "注意力");
    globalThis.said = [first, rows(), document.querySelector("[data-count=claims]").textContent];
    """
    found = checked(reports / "index.html", tmp_path / "profile", action=action)
    expected = [["paper", "A-0", "paper", "A-3"], ["paper", "A-3"], "1 of 4 rows"]
    assert found["said"] == expected


def test_charts_have_menus_with_the_name_of_the_chart(reports, tmp_path):
    action = """globalThis.said = [...document.querySelectorAll(".chart summary")].map(
      (menu) => menu.getAttribute("aria-label"));"""
    found = checked(reports / "pages/made.html", tmp_path / "profile", action=action)
    assert found["said"] == [f"Save the chart: {SCRIPT}", f"Save the chart: {CHINESE}"]


def test_groups_of_the_navigation_close_by_escape(reports, tmp_path):
    action = """
    const group = document.querySelector("nav details");
    group.firstElementChild.click();
    const open = group.open;
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
    globalThis.said = [open, group.open, document.activeElement === group.firstElementChild];
    """
    found = checked(reports / "index.html", tmp_path / "profile", action=action)
    assert found["said"] == [True, False, True]
