"""The check of rebuilt findings, and the findings of a whole configuration."""

import json
import math
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import Result
from typer.testing import CliRunner

from stages.core.stage.files import InputError
from stages.core.verdicts.answers import Answer
from stages.core.verdicts.claims import Claim, Published
from stages.core.verdicts.estimates import Estimate
from stages.core.verdicts.findings import judged, parse_findings, read_findings, rounded
from stages.core.verdicts.measures import open_measures
from stages.core.verdicts.setting import Setting
from stages.findings.command import app
from stages.findings.compared import differences

LEDGER = """\
papers:
  paper: {cited: Somebody, layers: 12, layers_from: 1}
studies:
  A1: {text: natural}
claims:
- id: A
  study: A1
  paper: paper
  section: "1"
  statement: Something is so.
  kind: words
  unit: points
  measure: anything
  arguments: {of: this}
  holds: {above: 0}
  published: {where: nowhere}
"""
CLAIM = Claim.model_validate(yaml.safe_load(LEDGER)["claims"][0])


def findings(low: float, high: float, control: tuple[float, float] | None = None) -> dict:
    answer = Answer(Estimate((low + high) / 2, low, high, 10), {})
    if control is not None:
        below, above = control
        beyond = Estimate((below + above) / 2, below, above, 10)
        value = answer.pooled.value - beyond.value
        answer = replace(answer, control=Estimate(value, value, value, 10), beyond=beyond)
    here = Setting(text="template")
    source = Setting(text="natural", training="masked words", layers=12)
    finding = judged(CLAIM, "Somebody", answer, source, here, layers_from=1)
    return {
        "configuration": "test",
        "level": 0.95,
        "checkpoint": {},
        "tasks": {"one": "accuracy"},
        "seeds": {"one": [0]},
        "claims": {"A": finding.model_dump()},
        "not_shown": {},
    }


def without_claims() -> dict:
    return findings(0, 1) | {"claims": {}}


def edited(content: dict, **changes: Any) -> dict:
    """The findings with parts of the claim changed by hand."""
    return content | {"claims": {"A": content["claims"]["A"] | changes}}


@pytest.fixture
def checked(tmp_path, monkeypatch) -> Callable[[dict, dict], Result]:
    """A function that checks findings against others, in a folder with the ledger."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "claims.yaml").write_text(LEDGER)
    monkeypatch.chdir(tmp_path)

    def check(before: dict, now: dict | str, *options: str) -> Result:
        Path("committed.json").write_text(json.dumps(before))
        Path("rebuilt.json").write_text(now if isinstance(now, str) else json.dumps(now))
        arguments = ["check", "--against", "committed.json", "--rebuilt", "rebuilt.json"]
        return CliRunner().invoke(app, [*arguments, *options])

    return check


def test_runs_that_are_not_alike_are_wrong(checked):
    result = checked(findings(1, 3), findings(1, 3) | {"tasks": {"two": "accuracy"}})
    said = "WRONG `tasks`: it was {'one': 'accuracy'} in committed.json and is {'two': 'accuracy'}"
    assert (result.exit_code, said in result.output) == (1, True), result.output
    assert "`checkpoint`" not in result.output


@pytest.mark.parametrize(
    ("rebuilt", "status", "said"),
    [
        (findings(1, 3), 0, "0 wrong"),  # the same
        (findings(1.5, 4), 0, "0 wrong"),  # another value inside, the same verdict
        (findings(-0.5, 4), 1, "WRONG A: holds in committed.json, undecided now"),
        (findings(-3, -1), 1, "WRONG A: holds in committed.json, fails now"),
        (findings(3.5, 4.5), 1, "WRONG A: the value 4.0 lies outside of the committed interval"),
        (without_claims(), 1, "WRONG A: holds in committed.json, no verdict now: it is gone"),
        (without_claims(), 1, "WRONG A: data/claims.yaml has it, rebuilt.json does not"),
    ],
)
def test_check_names_the_claim_that_moved_beyond_its_interval(checked, rebuilt, status, said):
    result = checked(findings(1, 3), rebuilt)
    assert (result.exit_code, said in result.output) == (status, True), result.output


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"verdict": "fails"}, "says fails, but holds follows from its interval"),
        ({"holds": {"above": 60}}, "but fails follows"),  # the verdict was left as it was
        ({"holds": {"above": 60}, "verdict": "fails"}, "`holds` was"),
        ({"value": 30.0}, "the value 30.0 lies outside of the committed interval"),
        ({"low": -1.0}, "but undecided follows"),
        ({"measure": "another"}, "`measure` is another"),
        ({"arguments": {"of": "that"}}, "`arguments` is {'of': 'that'}"),
        ({"kind": "own"}, "`kind` is own"),
    ],
)
def test_check_refuses_what_was_changed_by_hand(checked, changes, said):
    result = checked(findings(1, 3), edited(findings(1, 3), **changes))
    assert (result.exit_code, said in result.output) == (1, True), result.output


def test_check_refuses_a_committed_file_that_was_changed_by_hand(checked):
    result = checked(edited(findings(-3, 1), verdict="holds"), findings(-3, 1))
    assert (result.exit_code, "but undecided follows" in result.output) == (1, True)


def test_the_control_is_part_of_what_is_worked_out_again(checked):
    good = findings(1, 3, control=(0.5, 1.5))
    assert good["claims"]["A"]["verdict"] == "holds"
    passed = findings(1, 3, control=(-0.5, 1.5))
    assert passed["claims"]["A"]["verdict"] == "undecided"
    result = checked(good, edited(passed, verdict="holds"))
    assert (result.exit_code, "but undecided follows" in result.output) == (1, True)
    assert checked(good, good).exit_code == 0
    moved = good["claims"]["A"]["control"] | {"value": 9.0}
    result = checked(good, edited(good, control=moved))
    assert (result.exit_code, "less the control's 9.0 is not 1.0" in result.output) == (1, True)


def test_a_verdict_may_turn_where_an_option_names_the_claim_and_its_value_stays_inside(checked):
    before = findings(1, 3)
    result = checked(before, findings(-0.5, 4), "--turned", "A")
    said = "note: A: holds in committed.json, undecided now; the value 1.75 lies inside"
    assert (result.exit_code, said in result.output) == (0, True), result.output
    assert checked(before, findings(-2, 3), "--turned", "A").exit_code == 1  # 0.5 lies outside
    result = checked(before, before, "--turned", "B")
    assert "--turned B: data/claims.yaml has no such claim" in str(result.exception)


@pytest.mark.parametrize(
    ("seeds", "width", "wrong"),
    [(None, 1.5, False), (None, 1.3, True), (3, 0.8, False), (3, 0.6, True)],
)
def test_an_interval_keeps_most_of_its_width(checked, seeds, width, wrong):
    """7 tenths; a third where few fine-tunings make it. The committed one has a width of 2."""
    before = edited(findings(1, 3), seeds=seeds)
    now = edited(findings(2 - width / 2, 2 + width / 2), seeds=seeds)
    result = checked(before, now)
    assert (result.exit_code == 1, "is narrower than so many cases make it" in result.output) == (
        (wrong, wrong)
    ), result.output


def test_the_difference_to_the_control_keeps_most_of_its_width(checked):
    before = findings(1, 3, control=(0.5, 1.5))
    result = checked(before, findings(1, 3, control=(0.8, 1.2)))
    said = "WRONG A: beyond its control: the interval [0.8, 1.2] is narrower"
    assert (result.exit_code, said in result.output) == (1, True), result.output
    assert checked(before, findings(1, 3, control=(0.6, 1.4))).exit_code == 0


def test_a_tasks_interval_keeps_half_of_its_width_unless_the_verdict_turned(checked):
    def with_task(low: float, high: float, half: float) -> dict:
        task = {"value": 2.0, "low": 2 - half, "high": 2 + half, "n": 10}
        return edited(findings(low, high), tasks={"one": task})

    before = with_task(1, 3, 1)
    assert checked(before, with_task(1, 3, 0.55)).exit_code == 0
    result = checked(before, with_task(1, 3, 0.45), "--turned", "A")
    said = "WRONG A: on one: the interval [1.55, 2.45] is narrower"
    assert (result.exit_code, said in result.output) == (1, True), result.output
    assert checked(before, with_task(-0.5, 4, 0), "--turned", "A").exit_code == 0


def test_cases_may_differ_a_little_where_the_figures_moved(checked):
    """Another processor predicts another class here and there, and some cases are counted so."""
    before = edited(findings(1, 3), n=100)
    result = checked(before, edited(findings(1.1, 3), n=96))
    assert (result.exit_code, "note: A: `n` is 96 and was 100" in result.output) == (0, True)
    for other in (edited(findings(1.1, 3), n=94), edited(findings(1, 3), n=101)):
        result = checked(before, other)
        assert (result.exit_code, "WRONG A: `n` is" in result.output) == (1, True), result.output


def test_a_name_that_stands_twice_is_wrong(checked):
    content = json.dumps(findings(1, 3))
    forged = content.replace('"claims": {', '"claims": {"A": {}, ')
    assert json.loads(forged) == json.loads(content)  # the last of them is seen
    result = checked(findings(1, 3), forged)
    said = "WRONG rebuilt.json: `A` stands 2 times"
    assert (result.exit_code, said in result.output) == (1, True)
    assert "not JSON" in str(checked(findings(1, 3), "[" * 5000).exception)


def test_a_finding_says_where_it_departs_from_its_source():
    finding = parse_findings(json.dumps(findings(1, 3)), "test").claims["A"]
    assert finding.setting.departures == ["template text"]
    assert not finding.in_setting


def test_what_could_not_have_been_shown_is_not_decidable_here():
    claim = CLAIM.model_copy(update={"published": Published(value=0.5, where="here")})
    wide, narrow = Estimate(1, -2, 4, 10), Estimate(1, -0.1, 2.1, 10)
    source = Setting()
    found = judged(claim, "Somebody", Answer(wide, {}), source, source)
    assert found.verdict == "not decidable here"
    assert found.power.needed == math.ceil(10 * (found.power.smallest_shown / 0.5) ** 2)
    assert (found.size.inside, found.size.off) == (True, 0.5)
    larger = CLAIM.model_copy(update={"published": Published(value=3, where="here")})
    assert judged(larger, "Somebody", Answer(narrow, {}), source, source).verdict == "undecided"
    shown = Answer(Estimate(-3, -4, -2, 10), {})
    assert judged(claim, "Somebody", shown, source, source).verdict == "fails"


@pytest.mark.usefixtures("checked")
def test_check_reads_a_revision_of_git():
    path = Path("reports/findings.json")
    path.parent.mkdir()
    path.write_text(json.dumps(findings(1, 3)))
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["add", "reports"], ["commit", "-qm", "findings"]):
        subprocess.run([*git, *command], check=True)
    path.write_text(json.dumps(findings(-3, -1)))
    result = CliRunner().invoke(app, ["check", "--against", "HEAD"])
    assert (result.exit_code, "WRONG A" in result.output) == (1, True)
    elsewhere = path.rename(Path("elsewhere.json"))  # which the revision does not have
    again = CliRunner().invoke(app, ["check", "--against", "HEAD", "--rebuilt", str(elsewhere)])
    assert (again.exit_code, "WRONG A" in again.output) == (1, True)
    elsewhere.rename(path)
    result = CliRunner().invoke(app, ["check", "--against", "no-such-revision"])
    assert isinstance(result.exception, InputError)
    assert "neither a file nor a revision" in str(result.exception)


def test_a_new_claim_is_no_flip():
    before, after = (
        parse_findings(json.dumps(content), "test")
        for content in (without_claims(), findings(1, 3))
    )
    assert [one.fails for one in differences(before, after)] == [False]


def test_a_broken_file_of_findings_is_named(tmp_path):
    with pytest.raises(InputError, match="old.json: not JSON"):
        parse_findings("{", "old.json")
    (tmp_path / "old.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(InputError, match="old.json: not UTF-8"):
        read_findings(tmp_path / "old.json")


def test_values_that_json_lacks_become_null():
    assert [rounded(value) for value in (0.123456, -0.00001, float("nan"))] == [0.1235, 0, None]


def test_a_whole_configuration_gets_its_verdicts(synthetic_reports, monkeypatch):
    monkeypatch.chdir(synthetic_reports)
    written = parse_findings(Path("reports/findings.json").read_text(), "findings.json")
    assert written.claims["T1-single"].verdict == "holds"
    assert set(written.claims["T1-single"].tasks) == {"relevance", "sentiment"}
    assert set(written.claims["T1-lstm"].tasks) == {"relevance"}
    figures = json.loads(Path("reports/metrics.json").read_text())
    assert sum(figures["verdicts"].values()) == len(written.claims)
    assert open_measures().primary == {"relevance": "accuracy", "sentiment": "accuracy"}
