"""The check of rebuilt findings, and the findings of a whole configuration."""

import json
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stages.core.stage.files import InputError
from stages.core.verdicts.answers import Answer
from stages.core.verdicts.claims import Claim
from stages.core.verdicts.estimates import Estimate
from stages.core.verdicts.findings import flips, judged, parse_findings, rounded
from stages.core.verdicts.measures import open_measures
from stages.findings.__main__ import app
from tests.synthetic_measures import write_measures

CLAIM = Claim(
    id="A",
    study="A1",
    paper="paper",
    section="1",
    statement="Something is so.",
    unit="points",
    measure="anything",
    holds={"above": 0},
    published={"where": "nowhere"},
)


def findings(low: float, high: float, **claims: Estimate) -> dict:
    finding = judged(CLAIM, "Somebody", Answer(Estimate((low + high) / 2, low, high, 10), {}))
    return {
        "configuration": "test",
        "level": 0.95,
        "checkpoint": {},
        "tasks": {"one": "accuracy"},
        "seeds": [0],
        "claims": {"A": finding.model_dump()},
        "not_shown": {},
    }


def without_claims() -> dict:
    return findings(0, 1) | {"claims": {}}


def test_check_says_that_the_runs_are_not_alike(tmp_path):
    committed, now = tmp_path / "committed.json", tmp_path / "rebuilt.json"
    committed.write_text(json.dumps(findings(1, 3)))
    now.write_text(json.dumps(findings(1, 3) | {"tasks": {"two": "accuracy"}}))
    result = CliRunner().invoke(app, ["check", "--against", str(committed), "--rebuilt", str(now)])
    assert "note: `tasks` differs" in result.output
    assert "`checkpoint` differs" not in result.output


@pytest.mark.parametrize(
    ("rebuilt", "status", "said"),
    [
        (findings(1, 3), 0, "0 verdicts flipped"),  # the same
        (findings(2, 3), 0, "0 verdicts flipped"),  # another value, the same verdict
        (findings(-0.5, 3), 0, "moved A: holds before, undecided now"),
        (findings(-3, -1), 1, "FLIPPED A: holds before, fails now"),
        (findings(-2, 3), 1, "FLIPPED A: holds before, undecided now"),
        (without_claims(), 1, "FLIPPED A: holds before, no verdict now"),
    ],
)
def test_check_names_the_claim_that_flipped_beyond_its_interval(tmp_path, rebuilt, status, said):
    committed, now = tmp_path / "committed.json", tmp_path / "rebuilt.json"
    committed.write_text(json.dumps(findings(1, 3)))
    now.write_text(json.dumps(rebuilt))
    result = CliRunner().invoke(app, ["check", "--against", str(committed), "--rebuilt", str(now)])
    assert (result.exit_code, said in result.output) == (status, True), result.output


def test_check_reads_a_revision_of_git(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = Path("reports/findings.json")
    path.parent.mkdir()
    path.write_text(json.dumps(findings(1, 3)))
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "findings"]):
        subprocess.run([*git, *command], check=True)
    path.write_text(json.dumps(findings(-3, -1)))
    result = CliRunner().invoke(app, ["check", "--against", "HEAD"])
    assert (result.exit_code, "FLIPPED A" in result.output) == (1, True)
    result = CliRunner().invoke(app, ["check", "--against", "no-such-revision"])
    assert isinstance(result.exception, InputError)
    assert "neither a file nor a revision" in str(result.exception)


def test_a_new_claim_is_no_flip():
    before, after = (
        parse_findings(json.dumps(content), "test")
        for content in (without_claims(), findings(1, 3))
    )
    assert list(flips(before, after)) == []


def test_a_broken_file_of_findings_is_named():
    with pytest.raises(InputError, match="old.json: not JSON"):
        parse_findings("{", "old.json")


def test_values_that_json_lacks_become_null():
    assert [rounded(value) for value in (0.123456, -0.00001, float("nan"))] == [0.1235, 0, None]


def test_a_whole_configuration_gets_its_verdicts(tmp_path, monkeypatch):
    write_measures(tmp_path)
    (tmp_path / "data").symlink_to(Path(__file__).resolve().parents[2] / "data")
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, [], catch_exceptions=False).exit_code == 0
    written = parse_findings(Path("reports/findings.json").read_text(), "findings.json")
    assert written.claims["T1-single"].verdict == "holds"
    assert set(written.claims["T1-single"].tasks) == {"relevance", "sentiment"}
    assert written.not_shown["T1-lstm"].reason == "No LSTM interaction model is trained here."
    figures = json.loads(Path("reports/metrics.json").read_text())
    assert sum(figures["verdicts"].values()) == len(written.claims)
    assert open_measures().primary == {"relevance": "accuracy", "sentiment": "accuracy"}
