"""Clicks on the comparison of configurations: filter, choose, sort, and links to their reports."""

import pytest

from stages.report.comparison import write_comparison
from stages.report.site import environment
from tests.browser.checked import assert_sound, checked
from tests.browser.test_report import CHROMIUM
from tests.report.test_bars import finding
from tests.report.test_comparison import draw_overview, folder_of, of
from tests.report.test_overview import findings

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on PATH")
SCRIPT = "<script>globalThis.ran = true</script>"
ROWS = """
const choose = (selector, value) => {
  const control = document.querySelector(selector);
  control.value = value;
  control.dispatchEvent(new Event("input"));
};
const rows = () => [...document.querySelectorAll("#compared tbody tr:not([hidden])")].map(
  (row) => row.cells[0].firstChild.textContent.trim());
globalThis.said = [];
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    small = {
        "agrees": of("holds", value=1.0),
        "differs": of("holds", value=3.0),
        "flips": of("holds", value=2.0, statement=SCRIPT),
        "once": of("fails", value=-4.0),
    }
    large = {"agrees": of("holds"), "differs": of("undecided"), "flips": of("fails")}
    folder = tmp_path_factory.mktemp("compared")
    folders = [
        folder_of(
            findings({name: finding(**one) for name, one in claims.items()}, configuration=called),
            folder / called,
        )
        for called, claims in (("small", small), ("large", large))
    ]
    draw_overview(folders[0])
    written = folder / "comparison.html"
    write_comparison(folders, written, environment())
    return written


def test_verdicts_that_turn_round_are_chosen_and_words_filter(page, tmp_path):
    action = (
        ROWS
        + """
    said.push(rows());
    for (const value of ["flips", "differs", "agrees", "once", ""]) {
      choose("[data-by=agreement]", value);
      said.push(rows());
    }
    choose("input[data-filter=compared]", "globalThis.ran");
    said.push(rows(), document.querySelector("[data-count=compared]").textContent);
    """
    )
    found = checked(page, tmp_path / "profile", action=action)
    every = ["flips", "differs", "agrees", "once"]
    chosen = [[name] for name in every]
    assert found["said"] == [every, *chosen, every, ["flips"], "1 of 4 rows"]
    assert not found["script_ran"]


def test_a_configuration_sorts_by_its_values_with_what_it_lacks_last(page, tmp_path):
    action = (
        ROWS
        + """
    const button = [...document.querySelectorAll("#compared thead button")].find(
      (one) => one.textContent === "small");
    for (let clicks = 0; clicks < 2; clicks += 1) { button.click(); said.push(rows()); }
    """
    )
    found = checked(page, tmp_path / "profile", action=action)
    up = ["once", "agrees", "flips", "differs"]
    assert found["said"] == [up, up[::-1]]


def test_overviews_are_linked_where_a_configuration_has_a_report(page, tmp_path):
    action = """
    globalThis.said = [...document.querySelectorAll("nav a")].map(
      (link) => [link.textContent, link.getAttribute("href")]);
    """
    found = checked(page, tmp_path / "profile", action=action)
    assert found["said"] == [["Overview of small", "small/reports/site/index.html"]]


@pytest.mark.parametrize("dark", [False, True])
def test_the_comparison_is_sound_on_a_telephone(dark, page, tmp_path):
    assert_sound(checked(page, tmp_path / "profile", width=400, dark=dark))
