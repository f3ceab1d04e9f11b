"""Clicks that lead to a head: from a cell of a chart to its maps, from a token to its lines."""

import json
import re

import pandas as pd
import pytest

from tests.browser.test_report import CHROMIUM
from tests.examples.planted import TEXTS
from tests.synthetic_measures import PLANTED
from tests.view.chromium import Browser

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on PATH")
LAYER, HEAD = PLANTED
ADDRESS = f"#of=0&layer={LAYER}&head={HEAD}"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    opened = Browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


@pytest.fixture
def pages(synthetic_reports):
    return synthetic_reports / "reports/site/pages"


def ready(browser: Browser) -> None:
    """Wait until the page shows a head."""
    browser.wait_for("document.body.getAttribute('aria-busy') === 'false'")


def choose(browser: Browser, beginning: str) -> None:
    """Choose the first example whose text begins so."""
    wanted = json.dumps(beginning)
    browser.ask(
        "(() => { const list = document.querySelector('#example'); list.value = [...list.options]"
        f".find((one) => one.textContent.startsWith({wanted})).value;"
        "list.dispatchEvent(new Event('change')); })()"
    )
    browser.wait_for(f"document.querySelector('#why').textContent.includes({wanted})")
    ready(browser)


def test_the_page_of_a_head_shows_its_facts_and_lines(pages, browser):
    browser.open(pages / "head.html", ADDRESS)
    ready(browser)
    assert browser.text("#name") == f"Head {LAYER}-{HEAD} of tiny"
    assert browser.complaints == []
    assert "attention to [CLS]" in browser.text("#facts")
    # The planted head attends to the token before: the third token to the second.
    browser.click('.tokens.from [data-unit="2"]')
    tokens = json.loads(
        browser.ask(
            "JSON.stringify([...document.querySelectorAll('.tokens.from button')]"
            ".slice(0, 3).map((one) => one.textContent))"
        )
    )
    assert f"“{tokens[2]}” in head {LAYER}-{HEAD} of tuned attends to “{tokens[1]}” 100.0%" in (
        browser.text("#reading")
    )


def test_a_cell_leads_to_the_page_of_its_head(pages, browser):
    browser.open(pages / "drift.html")
    browser.wait_for("document.querySelectorAll('.chart [role=link]').length > 0")
    selector = (
        "[...document.querySelectorAll('#drift-cropped path')].find((one) =>"
        f" one.__data__?.datum?.layer === {LAYER} && one.__data__.datum.head === {HEAD})"
    )
    browser.ask(f"{selector}.setAttribute('id', 'wanted')")
    browser.click("#wanted")
    browser.wait_for("location.pathname.endsWith('head.html')")
    ready(browser)
    assert browser.text("#name").startswith(f"Head {LAYER}-{HEAD} ")
    browser.wait_for("document.querySelectorAll('.tokens.from button').length > 0")


def test_every_cell_of_every_chart_of_heads_leads_to_its_head(pages, browser):
    """Of each figure that `dvc plots` draws, too: one link a row, to that row's head."""
    charts = 0
    for page in sorted(pages.glob("*.html")):
        named = re.findall(r'data-chart="([^"]+)"', page.read_text(encoding="utf-8"))
        plots = {name: pages.parents[1] / f"plots/{name}.csv" for name in named}
        plots = {name: pd.read_csv(path) for name, path in plots.items() if path.is_file()}
        if not plots:
            continue
        browser.open(page)
        for name, cells in plots.items():
            marks = f"[...document.querySelectorAll('#{name} .chart [role=link]')]"
            cells = cells.dropna(subset="value")
            browser.wait_for(f"{marks}.length >= {len(cells)}")
            found = browser.ask(
                f"JSON.stringify({marks}.map((one) => one.__data__.datum).map("
                "({layer, head}) => [Number(layer), Number(head)]))"
            )
            places = {tuple(place) for place in json.loads(found)}
            wanted = set(zip(cells["layer"], cells["head"], strict=True))
            assert places == wanted, (page.name, name)
            charts += 1
    assert charts > 10


def test_a_cell_is_reached_and_opened_by_keys(pages, browser):
    browser.open(pages / "drift.html")
    browser.wait_for("document.querySelectorAll('.chart [role=link]').length > 0")
    browser.ask("document.querySelector('.chart [role=link]').focus()")
    browser.press("ArrowDown", "ArrowRight")
    found = browser.ask("JSON.stringify(document.activeElement.__data__.datum)")
    assert (json.loads(found)["layer"], json.loads(found)["head"]) == (1, 1)
    browser.press("Enter")
    browser.wait_for("location.pathname.endsWith('head.html')")
    ready(browser)
    assert browser.text("#name").startswith("Head 1-1 ")


def test_a_row_of_the_table_leads_to_its_head(pages, browser):
    browser.open(pages / "heads.html")
    address = browser.ask("document.querySelectorAll('#heads tbody tr')[4].querySelector('a').href")
    assert address.endswith("head.html#of=0&layer=1&head=1")
    assert "F1 over words" in browser.text(".columns")


def test_a_head_of_the_model_view_opens_and_its_facts_with_it(pages, browser):
    browser.open(pages / "head.html", f"{ADDRESS}&view=model")
    ready(browser)
    browser.click('[data-head="1-2"]')
    browser.wait_for("document.querySelector('#name').textContent.startsWith('Head 1-2 ')")
    assert browser.ask("document.querySelector('[role=tab][aria-selected=true]').id") == "tab-head"
    assert "head=2" in browser.ask("location.hash")


def test_the_map_has_its_class_and_probability(pages, browser):
    browser.open(pages / "head.html", f"{ADDRESS}&view=map")
    ready(browser)
    said = browser.text(".pattern")
    assert said.startswith("diagonal, probability ")


def test_hostile_text_and_other_scripts_are_shown_as_they_are(pages, browser):
    browser.open(pages / "head.html", ADDRESS)
    ready(browser)
    for first, second in TEXTS:
        options = browser.ask("document.querySelector('#example').textContent")
        if first not in options:
            continue  # it has no map of this head
        choose(browser, first)
        shown = browser.ask(
            "[...document.querySelectorAll('.tokens.from button')].map((one) => one.textContent)"
        )
        tokens = ["[CLS]", *first.split(), "[SEP]", *second.split(), "[SEP]"]
        # Some examples have maps of two models, side by side.
        assert shown == tokens * max(1, len(shown) // len(tokens))
    assert browser.ask("document.querySelectorAll('#viewer script').length") == 0
    assert browser.complaints == []


def test_what_the_address_says_wrongly_is_left_out(pages, browser):
    browser.open(pages / "head.html", "#of=7&layer=99&head=-1&text=nowhere&view=neuron")
    ready(browser)
    assert browser.text("#name").startswith("Head 0-0 ")
    assert browser.complaints == []


def test_nothing_needs_sideways_scroll_on_a_narrow_window(pages, browser):
    browser.open(pages / "head.html", ADDRESS, width=400)
    ready(browser)
    assert browser.ask("document.documentElement.scrollWidth") <= 400
