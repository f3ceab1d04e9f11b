"""Committed findings of which somebody changed a part: each change is wrong, none is as it was."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from stages.core.verdicts.claims import read_claims
from stages.core.verdicts.findings import NOT_MEASURED, Findings, parse_findings
from stages.findings.against import all_differences
from stages.findings.command import app
from tools.pipeline import ROOT

FILES = ("", "configurations/glue", "configurations/reading")
OTHERS = [f"configurations/{name}" for name in ("chinese", "dodrio", "sesame", "text")]
Content = dict[str, Any]


@cache
def committed(folder: str) -> str:
    return (ROOT / folder / "reports/findings.json").read_text(encoding="utf-8")


@cache
def ledger():
    return read_claims(ROOT / "data/claims.yaml")


@cache
def parsed(folder: str) -> Findings:
    return parse_findings(committed(folder), "committed")


def wrong(folder: str, now: Content, turned: tuple[str, ...] = ()) -> list[str]:
    """What the check calls wrong of a file beside the committed one."""
    findings = Findings.model_validate(now)
    names = ("committed", "forged")
    found = all_differences(parsed(folder), findings, ledger(), names, turned)
    return [f"{one.claim}: {one.words}" for one in found if one.fails]


def first(content: Content, fits: Callable[[Content], object]) -> Content:
    """The first claim of the file that fits."""
    return next(claim for claim in content["claims"].values() if fits(claim))


def with_control(content: Content) -> Content:
    return first(content, lambda claim: claim["control"] and claim["bounds"] == "interval")


def narrowed(claim: Content) -> None:
    """The interval is put into the claim's region, and all that follows from it is put right."""
    holds, value = claim["holds"], claim["value"]
    bound = holds["above"] if holds["above"] is not None else holds["below"]
    sign = 1 if holds["above"] is not None else -1
    ends = sorted((bound + sign * 0.001, max(sign * value, sign * bound + 0.002) * sign))
    claim |= {"low": ends[0], "high": ends[1], "verdict": "holds", "control": None, "power": None}


def undecided(claim: Content) -> bool:
    """Whether its value lies in the region, and its interval across the one bound."""
    holds = claim["holds"]
    if claim["verdict"] != "undecided" or None not in (holds["above"], holds["below"]):
        return False
    low, high = (claim[end] for end in ("low", "high"))
    bound = holds["above"] if holds["above"] is not None else holds["below"]
    return low < bound < high


def changed(part: str, value: Any) -> Callable[[Content], None]:
    def change(content: Content) -> None:
        place, *names = with_control(content), *part.split(".")
        for name in names[:-1]:
            place = place[name]
        assert place[names[-1]] != value
        place[names[-1]] = value

    return change


def other_name(content: Content) -> None:
    name, claim = next(iter(content["claims"].items()))
    content["claims"][f"{name}-again"] = claim


def both(content: Content) -> None:
    name, claim = next(iter(content["claims"].items()))
    parts = ("study", "paper", "section", "statement", "kind", "published")
    content["not_shown"][name] = {part: claim[part] for part in parts} | {"reason": "none"}


def as_another(content: Content) -> None:
    """One claim's figures stand under the name of another."""
    one, other = list(content["claims"])[:2]
    content["claims"][one] = content["claims"][other]


def not_shown_any_more(content: Content) -> None:
    both(content)
    content["claims"].pop(next(iter(content["claims"])))


def shown_now(content: Content) -> None:
    name, missing = next(iter(content["not_shown"].items()))
    claim = dict(next(iter(content["claims"].values())))
    content["claims"][name] = claim | {part: missing[part] for part in missing if part != "reason"}
    del content["not_shown"][name]


def without_control(content: Content) -> None:
    with_control(content).update(control=None, uncontrolled="there can be none")


def other_width(of: Callable[[Content], list[Content]], share: float) -> Callable[[Content], None]:
    """The first interval of some has another width around its value."""

    def change(content: Content) -> None:
        figures = next(
            one
            for claim in content["claims"].values()
            for one in of(claim)
            if one and one["low"] is not None and one["high"] - one["low"] > 0.1
        )
        for end in ("low", "high"):
            figures[end] = figures["value"] + share * (figures[end] - figures["value"])

    return change


def task_of(claim: Content) -> list[Content]:
    return list(claim["tasks"].values())


def control_of(claim: Content) -> list[Content]:
    return [claim["control"]]


def other_reason(content: Content) -> None:
    """In place of one that this configuration has, not the ledger."""
    named = (one for one in content["not_shown"].values() if one["reason"].startswith(NOT_MEASURED))
    next(named)["reason"] = f"{NOT_MEASURED}nobody asked."


def other_ground(content: Content) -> None:
    first(content, lambda claim: claim["uncontrolled"])["uncontrolled"] = "nobody asked"


def more_seeds(content: Content) -> None:
    first(content, lambda claim: claim["seeds"])["seeds"] += 1


def other_cases(by: float) -> Callable[[Content], None]:
    def change(content: Content) -> None:
        claim = with_control(content)
        claim["n"] = int(claim["n"] * by) + 1

    return change


FORGED: dict[str, Callable[[Content], object]] = {
    "statement": changed("statement", "Something else is so."),
    "note": changed("note", "Another note."),
    "paper": changed("paper", "Somebody 2020"),
    "section": changed("section", "9"),
    "study": changed("study", "Z9"),
    "kind": changed("kind", "own"),
    "unit": changed("unit", "nats"),
    "region": changed("holds.margin", 0.5),
    "measure": changed("measure", "another"),
    "arguments": changed("arguments", {"of": "another"}),
    "published": changed("published.where", "Nowhere."),
    "layers": changed("layers_from", 7),
    "source": changed("setting.source.layers", 6),
    "here": changed("setting.here.layers", 48),
    "departures": changed("setting.departures", []),
    "counted": changed("counted", "books"),
    "decided on": changed("decided_on", "another"),
    "model": changed("model", "another"),
    "bounds": changed("bounds", "range"),
    "difference": changed("control.beyond.value", 1e6),
    "control's cases": changed("control.n", 1),
    "a few more cases": other_cases(1),
    "more cases": other_cases(10),
    "a task's interval is a point": other_width(task_of, 0),
    "a task's interval": other_width(task_of, 0.3),
    "the control's interval is a point": other_width(control_of, 0),
    "the control's interval": other_width(control_of, 0.3),
    "reason": other_reason,
    "why there is no control": other_ground,
    "seeds": more_seeds,
    "no control": without_control,
    "tasks": lambda content: with_control(content)["tasks"].clear(),
    "value alone is null": changed("value", None),
    "level": lambda content: content.update(level=0.9),
    "checkpoint": lambda content: content.update(checkpoint={}),
    "configuration": lambda content: content.update(configuration="another"),
    "models": lambda content: content.update(models=["another"]),
    "what was learnt": lambda content: content.update(not_learnt=["another"]),
    "papers": lambda content: content["papers"].popitem(),
    "unknown": other_name,
    "with and without a verdict": both,
    "as another": as_another,
    "gone": lambda content: content["claims"].popitem(),
    "not shown and gone": lambda content: content["not_shown"].popitem(),
    "not shown any more": not_shown_any_more,
    "shown now": shown_now,
}


@pytest.mark.parametrize("folder", FILES)
def test_every_forged_part_is_wrong_and_the_rest_is_not(folder):
    content = committed(folder)
    assert wrong(folder, json.loads(content)) == []
    passed = []
    for name, forge in FORGED.items():
        forged = json.loads(content)
        forge(forged)
        assert forged != json.loads(content), name
        passed += [] if wrong(folder, forged) else [name]
    assert passed == []


@pytest.mark.parametrize("folder", OTHERS)
def test_nothing_is_wrong_of_a_file_beside_itself(folder):
    assert wrong(folder, json.loads(committed(folder))) == []


@pytest.mark.parametrize("folder", FILES)
def test_an_interval_that_was_put_into_the_region_is_wrong(folder):
    names = [
        name for name, one in json.loads(committed(folder))["claims"].items() if undecided(one)
    ]
    assert names
    forged = json.loads(committed(folder))
    for name in names:
        narrowed(forged["claims"][name])
    said = wrong(folder, forged)
    # An option tolerates that a verdict turned, and nothing else.
    tolerated = wrong(folder, forged, tuple(names))
    for name in names:
        assert any(one.startswith(f"{name}: undecided in committed, holds now") for one in said)
        assert any(one.startswith(f"{name}: ") for one in tolerated)


@pytest.mark.parametrize("folder", FILES)
def test_a_failing_claim_is_wrong_with_another_value_too(folder):
    """A claim that fails has all figures of one that holds, which follow from each other."""
    forged = json.loads(committed(folder))
    claims = forged["claims"]
    good = first(forged, lambda claim: claim["verdict"] == "holds")
    parts = ("value", "low", "high", "verdict", "power", "size", "control", "uncontrolled", "n")
    name = next(name for name, claim in claims.items() if claim["verdict"] == "fails")
    claims[name] |= {part: good[part] for part in parts}
    said = wrong(folder, forged)
    assert any(one.startswith(f"{name}: fails in committed, holds now") for one in said)


@pytest.fixture
def measured(synthetic_reports: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Content:
    """The findings of a configuration whose measures are at hand, in its folder."""
    for name in ("params.yaml", "data", "work"):
        (tmp_path / name).symlink_to(synthetic_reports / name)
    (tmp_path / "reports").mkdir()
    monkeypatch.chdir(tmp_path)
    return json.loads((synthetic_reports / "reports/findings.json").read_text())


def test_findings_are_decided_again_where_measures_are_at_hand(measured):
    """Whoever forges the commit as well is told so by the measures."""

    def check(content: Content) -> tuple[int, str]:
        Path("reports/findings.json").write_text(json.dumps(content))
        Path("committed.json").write_text(json.dumps(content))
        result = CliRunner().invoke(app, ["check", "--against", "committed.json"])
        return result.exit_code, result.output

    status, said = check(measured)
    assert (status, "not decided again" in said) == (0, False), said
    name = next(name for name, one in measured["claims"].items() if undecided(one))
    narrowed(measured["claims"][name])
    status, said = check(measured)
    assert status == 1
    assert f"WRONG {name}: undecided in work/measures, holds now" in said
    value = measured["claims"][name]["low"]
    assert f"WRONG {name}: `low` is {value} and should be" in said


def test_without_measures_it_is_said_that_nothing_was_decided_again(measured):
    Path("work").unlink()
    Path("reports/findings.json").write_text(json.dumps(measured))
    result = CliRunner().invoke(app, ["check", "--against", "reports/findings.json"])
    assert (result.exit_code, "note: not decided again" in result.output) == (0, True)
