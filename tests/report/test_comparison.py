"""Configurations side by side, on findings whose differences are known by hand."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stages.__main__ import app as stages
from stages.core.verdicts.findings import Findings
from stages.report.command import app
from stages.report.comparison import compared, differences, nowhere, summary, write_comparison
from stages.report.site import environment
from tests.report.test_bars import finding
from tests.report.test_overview import findings

ROOT = Path(__file__).resolve().parents[2]
# The folders of the committed comparison, in its order.
COMPARED = (
    ".",
    *(
        f"configurations/{name}"
        for name in ("glue", "text", "dodrio", "chinese", "sesame", "reading")
    ),
)
VERDICT = re.compile(r'class="verdict[^"]*">([^<]+)<')
COMPARE_CONFIGURATIONS = f"python -m stages report compare {' '.join(COMPARED)}"  # of README


def of(verdict: str, layers: int = 6, **changes) -> dict:
    setting = {"source": {}, "here": {"layers": layers, "text": "template"}, "departures": []}
    return {"verdict": verdict, "setting": setting, "model": f"bert of {layers}"} | changes


@pytest.fixture
def both() -> dict[str, Findings]:
    """Claims that agree, differ, turn round, and stand in one configuration alone."""
    small = {
        "agrees": of("holds"),
        "differs": of("holds"),
        "flips": of("holds", decided_on="relevance"),
        "once": of("fails"),
    }
    large = {
        "agrees": of("holds", 12),
        "differs": of("undecided"),
        "flips": of("fails", 12, decided_on="relevance"),
        "new": of("holds", 12),
    }
    return {
        name: findings(
            {claim: finding(**changes) for claim, changes in claims.items()}, configuration=name
        )
        for name, claims in (("small", small), ("large", large))
    }


def test_what_turns_round_comes_first_then_what_differs(both):
    rows = compared(both)
    assert [row.name for row in rows] == ["flips", "differs", "agrees", "once", "new"]
    assert [row.flips for row in rows] == [True, False, False, False, False]
    assert [row.differs for row in rows] == [True, True, False, False, False]
    assert rows[3].found["large"] is None and list(rows[3].measured) == ["small"]


def test_only_points_that_differ_are_named(both):
    flips, differs, *_ = compared(both)
    assert differences(flips) == [
        "model: bert of 6 (small); bert of 12 (large)",
        "layers: 6 (small); 12 (large)",
    ]
    assert differences(differs) == ["They differ in none of model, setting and data that decide."]


def test_models_are_called_as_the_world_calls_them(both):
    line, *_ = differences(compared(both)[0], {"bert of 6": "Bert"})
    assert line == "model: Bert (small); bert of 12 (large)"


def test_of_a_flip_only_the_sides_that_disagree_are_held_together(both):
    third = findings({"flips": finding(**of("undecided", 24))}, configuration="third")
    row = compared(both | {"third": third})[0]
    assert row.flips and not any("third" in line for line in differences(row))


def test_the_sentence_counts_claims_that_were_measured_twice(both):
    assert summary(compared(both)) == (
        "3 of 5 claims were measured in more than one configuration; verdicts differ on 2 of them, "
        "and 1 turns round between holds and fails."
    )
    alone = {"small": both["small"]}
    assert summary(compared(alone)) == (
        "No claim was measured in more than one of these configurations."
    )
    same = {"a": both["small"], "b": both["small"]}
    assert summary(compared(same)) == (
        "4 of 4 claims were measured in more than one configuration; no verdict differs."
    )
    assert summary(compared({})).startswith("No claim")
    rows = [row for row in compared(both) if row.name in ("flips", "once")]
    assert summary(rows) == (
        "1 of 2 claims was measured in more than one configuration; verdicts differ on it, and 1 "
        "turns round between holds and fails."
    )


def folder_of(made: Findings, folder: Path) -> Path:
    (folder / "reports").mkdir(parents=True)
    (folder / "reports/findings.json").write_text(json.dumps(made.model_dump()), encoding="utf-8")
    return folder


def draw_overview(folder: Path) -> None:
    """An empty page in place of a configuration's overview."""
    (folder / "reports/site").mkdir()
    (folder / "reports/site/index.html").touch()


def test_the_page_has_a_cell_a_claim_and_configuration_and_links_what_is_there(both, tmp_path):
    folders = [folder_of(made, tmp_path / name) for name, made in both.items()]
    draw_overview(folders[1])
    page = tmp_path / "some/where.html"
    write_comparison(folders, page, environment())
    text = page.read_text(encoding="utf-8")
    body = re.search(r'<table class="compared.*?<tbody>(.*?)</tbody>', text, re.S)[1]
    cells = re.findall(r"<td data-value.*?</td>", body, re.S)
    beside_the_id = re.findall(r"</th>\s*<td class=\"statement\"", body)
    assert len(beside_the_id) == 5
    assert len(cells) == 5 * 2 and sum("not measured" in cell for cell in cells) == 2
    assert re.findall(r'href="([^"#]*html)"', text) == ["../large/reports/site/index.html"]
    assert not re.search(r"<(?:script|link|img)[^>]*src=", text)


def test_claims_that_nobody_measured_are_counted_once():
    missing = {
        "study": "A",
        "paper": "p",
        "section": "1",
        "statement": "so",
        "kind": "words",
        "reason": "no data",
        "published": {"where": "there"},
    }
    one = findings({"a": finding()}, not_shown={"b": missing, "c": missing})
    other = findings({"b": finding()}, not_shown={"a": missing, "c": missing})
    assert nowhere({"one": one, "other": other}) == 1
    assert nowhere({"one": one}) == 2


def test_two_configurations_of_one_name_are_refused(both, tmp_path):
    folders = [folder_of(both["small"], tmp_path / name) for name in ("one", "two")]
    arguments = ["compare", *map(str, folders), "--output", str(tmp_path / "page.html")]
    refused = CliRunner().invoke(app, arguments)
    assert "both called small" in str(refused.exception)
    assert not (tmp_path / "page.html").exists()


def test_the_command_of_docs_shows_each_committed_verdict(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    page = tmp_path / "comparison.html"
    _, _, _, *arguments = COMPARE_CONFIGURATIONS.split()
    assert CliRunner().invoke(stages, [*arguments, "--output", str(page)]).exit_code == 0
    body = re.search(r'<table class="compared.*?<tbody>(.*?)</tbody>', page.read_text(), re.S)[1]
    committed = [
        json.loads((Path(folder) / "reports/findings.json").read_text())["claims"]
        for folder in COMPARED
    ]
    shown = {}
    for row in re.findall(r"<tr.*?</tr>", body, re.S):
        name = re.search(r"<th[^>]*>\s*([\w-]+)", row)[1]
        cells = re.findall(r"<td data-value.*?</td>", row, re.S)
        shown[name] = [VERDICT.search(cell)[1] if VERDICT.search(cell) else None for cell in cells]
    assert shown == {
        name: [claims[name]["verdict"] if name in claims else None for claims in committed]
        for name in {name for claims in committed for name in claims}
    }
