"""Verdicts of several configurations side by side, of their committed findings, in one file."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from jinja2 import Environment

from stages.core.stage.files import InputError, atomic
from stages.core.stage.targets import target_file
from stages.core.verdicts.findings import FINDINGS_FILE, Finding, Findings, read_findings
from stages.core.verdicts.region import Verdict
from stages.core.verdicts.setting import UNKNOWN, WORDS
from stages.report.model_facts import model_in_words
from stages.report.site import SITE

MARK = "<title>Comparison of "  # as templates/comparison.html has it
POINTS = ("training", "layers", "text", "inputs", "arm")
NAMES = {
    "training": "encoder",
    "layers": "layers",
    "text": "text",
    "inputs": "inputs",
    "arm": "tuned or not",
}


@dataclass(frozen=True)
class Row:
    """A claim, and what each configuration found; None where it did not measure it."""

    name: str
    claim: Finding
    found: dict[str, Finding | None]

    @property
    def measured(self) -> dict[str, Finding]:
        """What those configurations found that measured the claim."""
        return {name: one for name, one in self.found.items() if one is not None}

    @property
    def verdicts(self) -> set[Verdict]:
        return {one.verdict for one in self.measured.values()}

    @property
    def flips(self) -> bool:
        """Whether the claim holds in one configuration and fails in another."""
        return {"holds", "fails"} <= self.verdicts

    @property
    def differs(self) -> bool:
        """Whether not all verdicts are the same."""
        return len(self.verdicts) > 1


def compared(all_findings: Mapping[str, Findings]) -> list[Row]:
    """One row a claim that some configuration measured: flips first, then what differs.

    Within these the order is that of the ledger, as the first configuration that names it has it.
    """
    names = dict.fromkeys(name for one in all_findings.values() for name in one.claims)
    rows = []
    for name in names:
        found = {key: one.claims.get(name) for key, one in all_findings.items()}
        claim = next(one for one in found.values() if one is not None)
        rows.append(Row(name, claim, found))
    return sorted(rows, key=lambda row: (not row.flips, not row.differs))


def differences(row: Row, named: Mapping[str, str] | None = None) -> list[str]:
    """In what those configurations differ that do not agree, in words, a line a point.

    Only points on which they do differ are named; where they differ in none, that is said.

    Args:
        named: what readers call models, where they have another name.
    """
    sides = row.measured
    if row.flips:
        sides = {name: one for name, one in sides.items() if one.verdict in ("holds", "fails")}
    said = []
    models = {name: one.model for name, one in sides.items()}
    if len(set(models.values())) > 1:
        models = {name: (named or {}).get(model, model) for name, model in models.items()}
        said.append("model: " + _by_value(models))
    for point in POINTS:
        values = {name: _in_words(point, one) for name, one in sides.items()}
        if len(set(values.values())) > 1:
            said.append(f"{NAMES[point]}: " + _by_value(values))
    decided = {name: one.decided_on for name, one in sides.items()}
    if len(set(decided.values())) > 1:
        said.append("decided on: " + _by_value(decided))
    return said or ["They differ in none of model, setting and data that decide."]


def _in_words(point: str, finding: Finding) -> str:
    value = getattr(finding.setting.here, point)
    if value is None:
        return "not stated"
    if point == "layers":
        return str(value)
    if value == "single and pairs":
        return "single texts and pairs"
    return WORDS[point].get(value, UNKNOWN)


def _by_value(values: Mapping[str, str]) -> str:
    """As "6 (default, glue), 12 (dodrio)"."""
    where: dict[str, list[str]] = {}
    for name, value in values.items():
        where.setdefault(value or "nothing", []).append(name)
    return "; ".join(f"{value} ({', '.join(names)})" for value, names in where.items())


def nowhere(all_findings: Mapping[str, Findings]) -> int:
    """How many claims none of the configurations measured."""
    measured = {name for one in all_findings.values() for name in one.claims}
    known = {name for one in all_findings.values() for name in one.not_shown}
    return len(known - measured)


def summary(rows: list[Row]) -> str:
    """One sentence: how many claims were measured more than once, and how many agree."""
    several = [row for row in rows if len(row.measured) > 1]
    differ, flip = sum(row.differs for row in several), sum(row.flips for row in several)
    if not several:
        return "No claim was measured in more than one of these configurations."
    of = f"{len(several)} of {len(rows)} claims were measured in more than one configuration"
    if len(several) == 1:
        of = f"1 of {len(rows)} claims was measured in more than one configuration"
    if not differ:
        return f"{of}; no verdict differs."
    turned = "none turns" if not flip else "1 turns" if flip == 1 else f"{flip} turn"
    differing = f"verdicts differ on {f'{differ} of them' if len(several) > 1 else 'it'}"
    return f"{of}; {differing}, and {turned} round between holds and fails."


def read_all(folders: list[Path]) -> dict[str, tuple[Path, Findings]]:
    """The committed findings of configurations, by the name that each gives itself.

    Raises:
        InputError: a folder has none, or two have one name.
    """
    found: dict[str, tuple[Path, Findings]] = {}
    for folder in folders:
        findings = read_findings(folder / FINDINGS_FILE)
        name = findings.configuration
        if name in found:
            raise InputError(
                f"{folder} and {found[name][0]} are both called {name}; give one of them another "
                "`findings.configuration`"
            )
        found[name] = (folder, findings)
    return found


def write_comparison(folders: list[Path], output: Path, templates: Environment) -> None:
    """Write one self-contained page that links the overview of each configuration.

    Raises:
        InputError: findings are missing, or something else than such a page stands at `output`.
    """
    place = target_file(output, "page of a comparison", MARK)
    read = read_all(folders)
    all_findings = {name: findings for name, (_, findings) in read.items()}
    rows = compared(all_findings)
    links = {
        name: _beside(folder / FINDINGS_FILE.parent / SITE / "index.html", place)
        for name, (folder, _) in read.items()
    }
    named = {
        model: model_in_words(model, findings)
        for findings in all_findings.values()
        for model in findings.models
    }
    static = Path(__file__).parent / "static"
    text = templates.get_template("comparison.html").render(
        rows=rows,
        all_findings=all_findings,
        links=links,
        summary=summary(rows),
        nowhere=nowhere(all_findings),
        differences={row.name: differences(row, named) for row in rows if row.differs},
        verdicts=get_args(Verdict),
        style=(static / "report.css").read_text(encoding="utf-8"),
        script=(static / "tables.js").read_text(encoding="utf-8"),
    )
    with atomic(place) as partial:
        partial.write_text(text, encoding="utf-8")


def _beside(page: Path, output: Path) -> str | None:
    """A page's address as seen from the file; None where there is no such page."""
    if not page.is_file():
        return None
    return Path(os.path.relpath(page, output.parent)).as_posix()
