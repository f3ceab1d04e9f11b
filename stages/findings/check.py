"""Findings recomputed from their own figures, and held against data/claims.yaml."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from stages.core.intervals.intervals import LEVEL
from stages.core.verdicts.claims import Claim, ClaimsFile, source_setting
from stages.core.verdicts.findings import (
    Finding,
    Findings,
    NotShown,
    definition,
    size_of,
    verdict_of,
)
from stages.core.verdicts.region import Power, power
from stages.core.verdicts.setting import departures

FIGURES_MAY_DIFFER_BY = 1.5e-4  # figures are written with four places
SMALLEST_MAY_DIFFER_BY = 2.5e-4  # 1.43 of a difference of two such figures


class Difference(NamedTuple):
    """What is wrong with a claim's finding, or differs; whether that fails the check."""

    claim: str
    fails: bool
    words: str


def plain(part: object) -> object:
    """A part of a finding as messages show it."""
    return part.model_dump(exclude_none=True) if hasattr(part, "model_dump") else part


def mismatches(findings: Findings, name: str) -> Iterator[Difference]:
    """What does not follow from the figures that stand beside it."""
    if findings.level != LEVEL:
        yield Difference(
            "`level`", True, f"it is {findings.level} in {name}, and should be {LEVEL}"
        )
    for claim, finding in findings.claims.items():
        found = verdict_of(finding, finding.holds, finding.control, finding.counts, finding.power)
        if found != finding.verdict:
            yield Difference(
                claim,
                True,
                f"{name} says {finding.verdict}, but {found} follows from its interval "
                f"[{finding.low}, {finding.high}], its region and its control",
            )
        if finding.control is not None and not _difference_fits(finding):
            yield Difference(
                claim,
                True,
                f"{name}: {finding.value} less the control's {finding.control.value} is not "
                f"{finding.control.beyond.value}",
            )
        for part, wrong, wanted in _following(finding):
            yield Difference(
                claim, True, f"`{part}` is {wrong} in {name}, but {wanted} follows from its figures"
            )


def _difference_fits(finding: Finding) -> bool:
    """Whether the difference to the control is no better than value and control allow.

    The least of several differences, over tasks or over controls, may lie below the difference of
    the least values, and never above it. Where only some tasks have a control, nothing follows.
    """
    parts = (finding.value, finding.control.value, finding.control.beyond.value)
    if None in parts or finding.control.tasks:
        return True
    beyond = parts[2] - (parts[0] - parts[1])
    if finding.holds.direction:
        return beyond * finding.holds.direction <= FIGURES_MAY_DIFFER_BY
    return len(finding.tasks) > 1 or abs(beyond) <= FIGURES_MAY_DIFFER_BY


def _following(finding: Finding) -> Iterator[tuple[str, object, object]]:
    """What follows from other parts of a finding, and is not as it should be."""
    if finding.value is None and (finding.low, finding.high) != (None, None):
        yield "value", None, "a number, or no interval,"
        return
    differing = departures(finding.setting.source, finding.setting.here)
    if differing != finding.setting.departures:
        yield "setting.departures", finding.setting.departures, differing
    size = size_of(finding, finding.published.value)
    if size != finding.size:
        yield "size", plain(finding.size), plain(size)
    published = finding.published.nearest(finding.holds)
    shown = None if finding.counts else power(finding.estimate, finding.holds, published)
    if not _power_fits(finding, shown):
        yield "power", plain(finding.power), plain(shown)


def _power_fits(finding: Finding, shown: Power | None) -> bool:
    """Whether the power is that of the figures, as far as rounded ones can tell."""
    written = finding.power
    if written is not None and shown is None and not finding.counts:
        # of an interval whose ends are written alike
        return finding.low == finding.high and written.smallest_shown <= SMALLEST_MAY_DIFFER_BY
    if written is None or shown is None:
        return written is shown
    low, high = (shown.smallest_shown + by * SMALLEST_MAY_DIFFER_BY for by in (-1, 1))
    if not low <= written.smallest_shown <= high:
        return False
    if None in (written.published, shown.published):
        return written.published is shown.published and written.needed is None
    if abs(written.published - shown.published) > FIGURES_MAY_DIFFER_BY:
        return False
    least, most = (_needed(finding.n, smallest, shown.published) for smallest in (low, high))
    return least - 1 <= (written.needed or 0) <= most + 1


def _needed(cases: int, smallest: float, distance: float) -> int:
    """As `needed` of a `Power`; 0 where these cases do."""
    return math.ceil(cases * (smallest / distance) ** 2) if 0 < distance < smallest else 0


def ledger_differences(findings: Findings, content: ClaimsFile, name: str) -> Iterator[Difference]:
    """Claims that are not those of data/claims.yaml, or of which it says something else."""
    ledger = {claim.id: claim for claim in content.claims}
    for claim in sorted(findings.claims.keys() & findings.not_shown.keys()):
        yield Difference(claim, True, f"{name} has a verdict on it, and a reason why it has none")
    for claim in ledger:
        if claim not in findings.claims and claim not in findings.not_shown:
            yield Difference(claim, True, f"data/claims.yaml has it, {name} does not")
    for claim, finding in {**findings.not_shown, **findings.claims}.items():
        if claim not in ledger:
            yield Difference(claim, True, f"{name} has it, data/claims.yaml does not")
            continue
        wanted = _definition(ledger[claim], content)
        if isinstance(finding, NotShown):
            wanted = {part: wanted[part] for part in NotShown.model_fields if part in wanted}
            wanted["reason"] = ledger[claim].absent or finding.reason
        for part, value in wanted.items():
            stands = finding.setting.source if part == "setting.source" else getattr(finding, part)
            if stands != value:
                yield Difference(
                    claim,
                    True,
                    f"`{part}` is {plain(stands)} in {name}, {plain(value)} in data/claims.yaml",
                )
    papers = {paper.cited: paper.urls for paper in content.papers.values() if paper.urls}
    if findings.papers != papers:
        yield Difference("`papers`", True, f"{name} has others than data/claims.yaml")


def _definition(claim: Claim, content: ClaimsFile) -> dict[str, Any]:
    paper = content.papers[claim.paper]
    source = {"setting.source": source_setting(claim, content)}
    return definition(claim, paper.cited, paper.layers_from) | source
