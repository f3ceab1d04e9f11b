"""`reports/findings.json`: the verdict on every claim, and the comparison of two such files."""

import math
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from stages.core.stage.files import InputError
from stages.core.stage.settings import Parameters, checked
from stages.core.verdicts.claims import Claim, Published, Region, Unit, Verdict, verdict
from stages.core.verdicts.estimates import Answer, Estimate

FINDINGS_FILE = Path("reports/findings.json")
PLACES = 4  # decimal places in files that git tracks


class Rounded(Parameters):
    """An estimate as it is written: rounded; null where it could not be computed."""

    value: float | None
    low: float | None
    high: float | None
    n: int

    @classmethod
    def of(cls, estimate: Estimate) -> "Rounded":
        return cls(
            **{
                name: rounded(value) if name != "n" else int(value)
                for name, value in asdict(estimate).items()
            }
        )


class Finding(Rounded):
    """A claim with its own value, interval and verdict."""

    study: str
    paper: str
    section: str
    statement: str
    note: str
    unit: Unit
    holds: Region
    verdict: Verdict
    counted: str  # what n counts
    decided_on: str = ""  # the tasks whose estimates the verdict rests on, if it is about tasks
    tasks: dict[str, Rounded]
    published: Published


class NotShown(Parameters):
    """A claim that this configuration says nothing about, and why."""

    study: str
    paper: str
    section: str
    statement: str
    reason: str
    published: Published


class Findings(Parameters):
    """The content of `reports/findings.json`."""

    configuration: str
    level: float  # of every interval
    checkpoint: dict[str, Any]
    tasks: dict[str, str]  # with the primary metric
    seeds: list[int]
    recorded: dict[str, str] = {}  # corpora whose attention was recorded elsewhere: by which model
    not_learnt: list[str] = []  # tasks that claims about heads that are off leave out
    claims: dict[str, Finding]
    not_shown: dict[str, NotShown]

    def count(self, verdict: Verdict) -> int:
        return sum(finding.verdict == verdict for finding in self.claims.values())


def rounded(value: float) -> float | None:
    """Rounded for a file that git tracks; None instead of not-a-number, which JSON lacks."""
    return round(float(value), PLACES) + 0.0 if math.isfinite(value) else None


def judged(claim: Claim, paper: str, found: Answer) -> Finding:
    """The claim with what its measure found and the verdict that follows."""
    return Finding(
        **Rounded.of(found.pooled).model_dump(),
        **claim.model_dump(include={"study", "section", "statement", "note", "unit"}),
        paper=paper,
        holds=claim.holds,
        verdict=verdict(found.pooled, claim.holds),
        counted=found.counted,
        decided_on=found.decided_on or ", ".join(found.tasks),
        tasks={task: Rounded.of(estimate) for task, estimate in found.tasks.items()},
        published=claim.published,
    )


def read_findings(path: Path = FINDINGS_FILE) -> Findings:
    """Read a file of findings.

    Raises:
        InputError: there is no such file, or it holds something else.
    """
    try:
        return parse_findings(path.read_text(encoding="utf-8"), str(path))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; run `dvc repro findings`") from None


def parse_findings(text: str, source: str) -> Findings:
    """Parse the text of a file of findings; errors name `source`."""
    try:
        content = from_json(text)
    except ValueError as error:
        raise InputError(f"{source}: not JSON ({error}); run `dvc repro findings`") from None
    return checked(Findings, content, source)


def flips(committed: Findings, rebuilt: Findings) -> Iterator[tuple[str, bool, str]]:
    """Compare verdicts: (claim, whether it is a flip, what happened) for each that changed.

    A verdict flips beyond its interval when it changed and the rebuilt value lies outside of the
    committed interval: chance would seldom do that. A verdict that changed while the value stayed
    inside is reported and tolerated. A claim that had a verdict and has none now is a flip; a new
    claim is not.
    """
    for name, before in committed.claims.items():
        after = rebuilt.claims.get(name)
        if after is None:
            reason = rebuilt.not_shown[name].reason if name in rebuilt.not_shown else "it is gone"
            yield name, True, f"{before.verdict} before, no verdict now: {reason}"
        elif after.verdict != before.verdict:
            inside = _inside(before, after.value)
            place = "inside" if inside else "outside of"
            yield (
                name,
                not inside,
                f"{before.verdict} before, {after.verdict} now; the value {after.value} lies "
                f"{place} the committed interval [{before.low}, {before.high}]",
            )


def _inside(before: Finding, value: float | None) -> bool:
    if value is None or before.low is None or before.high is None:
        return False
    return before.low <= value <= before.high
