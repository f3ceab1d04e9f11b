"""Findings recomputed from their own figures, and held against other findings."""

from collections.abc import Iterator
from typing import NamedTuple

from stages.core.verdicts.claims import Claim, ClaimsFile
from stages.core.verdicts.findings import Finding, Findings, Rounded, verdict_of

FIGURES_MAY_DIFFER_BY = 1.5e-4  # figures are written with four places


class Difference(NamedTuple):
    """What is wrong with a claim's finding, or differs; whether that fails the check."""

    claim: str
    fails: bool
    words: str


def mismatches(findings: Findings, name: str) -> Iterator[Difference]:
    """Verdicts that do not follow from the figures that stand beside them."""
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


def _difference_fits(finding: Finding) -> bool:
    """Whether value, control and their difference fit, where all of one task or corpus."""
    parts = (finding.value, finding.control.value, finding.control.beyond.value)
    if None in parts or (len(finding.tasks) > 1 and "," in finding.decided_on):
        return True
    return abs(parts[0] - parts[1] - parts[2]) <= FIGURES_MAY_DIFFER_BY


def ledger_differences(findings: Findings, content: ClaimsFile, name: str) -> Iterator[Difference]:
    """Claims whose region, measure, unit or kind is not that of data/claims.yaml."""
    ledger = {claim.id: claim for claim in content.claims}
    for claim, finding in findings.claims.items():
        if claim not in ledger:
            yield Difference(claim, True, f"{name} has it, data/claims.yaml does not")
            continue
        for part, wanted, found in _definitions(ledger[claim], finding):
            if wanted != found:
                yield Difference(
                    claim, True, f"`{part}` is {found} in {name}, {wanted} in data/claims.yaml"
                )


def _definitions(claim: Claim, finding: Finding) -> Iterator[tuple[str, object, object]]:
    layers = {"layers": claim.layers.model_dump()} if claim.layers else {}
    yield "holds", claim.holds, finding.holds
    yield "measure", claim.measure, finding.measure
    yield "arguments", claim.arguments | layers, finding.arguments
    yield "unit", claim.unit, finding.unit
    yield "kind", claim.kind, finding.kind
    yield "published", claim.published, finding.published


def differences(committed: Findings, rebuilt: Findings) -> Iterator[Difference]:
    """Compare two files claim by claim.

    A verdict flips where it changed and the rebuilt value lies outside of the committed interval,
    which chance would seldom do; a verdict that changed while the value stayed inside is said and
    tolerated. A value outside of the committed interval fails also where the verdict is the same,
    and so does another region, and a claim that has no verdict any more. Another measure, setting
    or number of cases is said. A new claim is no difference.
    """
    for name, before in committed.claims.items():
        after = rebuilt.claims.get(name)
        if after is None:
            reason = rebuilt.not_shown[name].reason if name in rebuilt.not_shown else "it is gone"
            yield Difference(name, True, f"{before.verdict} before, no verdict now: {reason}")
            continue
        if before.holds != after.holds:
            yield Difference(
                name,
                True,
                f"its region was {before.holds.model_dump(exclude_none=True)} and is "
                f"{after.holds.model_dump(exclude_none=True)}",
            )
        yield from _of_values(name, before, after)
        for part in ("measure", "arguments", "unit", "kind", "setting", "n", "seeds", "decided_on"):
            old, new = getattr(before, part), getattr(after, part)
            if old != new:
                yield Difference(name, False, f"`{part}` was {_plain(old)} and is {_plain(new)}")


def _of_values(name: str, before: Finding, after: Finding) -> Iterator[Difference]:
    inside = _inside(before, after.value)
    place = f"{'inside' if inside else 'outside of'} the committed interval"
    where = f"the value {after.value} lies {place} [{before.low}, {before.high}]"
    if after.verdict != before.verdict:
        words = f"{before.verdict} before, {after.verdict} now; {where}"
        yield Difference(name, not inside, words)
    elif not inside:
        yield Difference(name, True, where)


def _inside(before: Rounded, value: float | None) -> bool:
    """Whether the value lies in the committed interval; one not known holds itself alone."""
    if before.low is None or before.high is None or value is None:
        return value == before.value
    low, high = min(before.low, before.value), max(before.high, before.value)
    return low - FIGURES_MAY_DIFFER_BY <= value <= high + FIGURES_MAY_DIFFER_BY


def _plain(part: object) -> object:
    return part.model_dump(exclude_none=True) if hasattr(part, "model_dump") else part
