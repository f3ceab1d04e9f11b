"""Findings held against other findings: of a commit, or decided again from measures."""

import math
from collections.abc import Collection, Iterator

from stages.core.verdicts.findings import NOT_MEASURED, Finding, Findings, Rounded
from stages.findings.check import FIGURES_MAY_DIFFER_BY, Difference, plain

# What an interval keeps of its width at least on another processor, with as many cases. One rebuild
# on another kept 0.83 in all claims whose verdicts stayed, and 0.35 where the spread of three
# fine-tunings makes the width.
KEEPS = 0.7
KEEPS_OVER_SEEDS = 1 / 3
# Intervals of single tasks and of the control itself, on which no verdict rests: 0.54 there, in
# claims whose verdicts stayed.
KEEPS_BESIDE = 0.5
CASES_MAY_DIFFER_BY = 0.05  # there, where they are counted by predictions; 0.03 in that rebuild
# The two intervals on which a verdict rests; others stand beside them.
ITSELF, BEYOND = "", "beyond its control: "
DECIDING = (ITSELF, BEYOND)
# Parts of a finding that are compared as figures, or follow from others.
FIGURES = {"value", "low", "high", "n", "verdict", "control", "tasks", "size", "power"}
# Of a file: compared claim by claim, or with the ledger.
OF_CLAIMS = ("claims", "not_shown", "papers")
# Words that the ledger is asked for, and where a figure comes from: it may be written anew.
WORDS = {"study", "paper", "section", "statement", "note", "module", "read"}


def run_differences(before: Findings, after: Findings, name: str) -> Iterator[Difference]:
    """What two files say of the whole run, as its model, tasks and seeds, and differs."""
    for part in Findings.model_fields:
        if part in OF_CLAIMS:
            continue
        old, new = getattr(before, part), getattr(after, part)
        if old != new:
            yield Difference(f"`{part}`", True, f"it was {old} in {name} and is {new}")


def differences(
    before: Findings,
    after: Findings,
    name: str = "the commit",
    exact: bool = False,
    turned: Collection[str] = (),
) -> Iterator[Difference]:
    """Compare the claims of a file with those of another, which is called `name`.

    Values may differ within the other's interval, widths and numbers of cases as they do on another
    processor. Everything else that is no wording fails, and so does a verdict that turned.

    Args:
        exact: whether figures may differ in their last digit alone.
        turned: claims whose verdict may have turned while the value stayed inside.
    """
    for claim, old in before.claims.items():
        new = after.claims.get(claim)
        if new is None:
            reason = after.not_shown[claim].reason if claim in after.not_shown else "it is gone"
            yield Difference(claim, True, f"{old.verdict} in {name}, no verdict now: {reason}")
            continue
        differs = new.verdict != old.verdict
        tolerated = differs and claim in turned and not exact and _inside(old, new.value)
        if differs:
            where = "" if exact else f"; the value {new.value} lies {_place(old, new)}"
            words = f"{old.verdict} in {name}, {new.verdict} now{where}"
            yield Difference(claim, not tolerated, words)
        for part, one, other in _estimates(old, new):
            decides = part in DECIDING
            keeps = KEEPS if decides else KEEPS_BESIDE
            if (old.seeds or 0) > 1:
                keeps = KEEPS_OVER_SEEDS
            if tolerated and not decides:  # the figures of other heads or examples may stand there
                keeps = 0
            compared = _exactly(one, other) if exact else _about(one, other, keeps, decides)
            for fails, words in compared:
                yield Difference(claim, fails, f"{part}{words}, by {name}")
        for part, one, other in _others(old, new):
            if one != other:
                words = f"`{part}` was {plain(one)} in {name} and is {plain(other)}"
                yield Difference(claim, part not in WORDS, words)
    for claim in sorted(before.not_shown.keys() & after.not_shown.keys()):
        was, reason = (one.not_shown[claim].reason for one in (before, after))
        if was != reason:  # two of the ledger are its wording, with which it is compared elsewhere
            fails = any(one.startswith(NOT_MEASURED) for one in (was, reason))
            yield Difference(claim, fails, f"`reason` was {was} in {name} and is {reason}")
    for claim, new in after.claims.items():
        if claim in before.not_shown:
            reason = before.not_shown[claim].reason
            yield Difference(claim, True, f"{new.verdict} now, no verdict in {name}: {reason}")
        elif claim not in before.claims:
            yield Difference(claim, False, f"{new.verdict} now; {name} does not have it")


def _estimates(old: Finding, new: Finding) -> Iterator[tuple[str, Rounded | None, Rounded | None]]:
    """The figures of a finding in two files; None where one has none."""
    yield ITSELF, old, new
    if old.control or new.control:
        yield "its control: ", old.control, new.control
        yield BEYOND, *(one.control.beyond if one.control else None for one in (old, new))
    for task in {**old.tasks, **new.tasks}:
        yield f"on {task}: ", old.tasks.get(task), new.tasks.get(task)


def _exactly(old: Rounded | None, new: Rounded | None) -> Iterator[tuple[bool, str]]:
    """Figures that differ by more than their last digit."""
    if old is None or new is None:
        yield True, _missing(new)
        return
    for part in Rounded.model_fields:
        one, other = getattr(old, part), getattr(new, part)
        missing = None in (one, other) and one != other
        if missing or (one != other and abs(one - other) > FIGURES_MAY_DIFFER_BY):
            yield True, f"`{part}` is {other} and should be {one}"


def _about(
    old: Rounded | None, new: Rounded | None, keeps: float, decides: bool
) -> Iterator[tuple[bool, str]]:
    """Figures that differ by more than they do on another processor.

    Args:
        keeps: which share of its width the interval keeps.
        decides: whether a verdict rests on them.
    """
    if old is None or new is None:
        yield True, _missing(new)
        return
    if not _inside(old, new.value):
        yield decides or old.low != old.high, f"the value {new.value} lies {_place(old, new)}"
    if old.n != new.n:
        moved = any(getattr(old, part) != getattr(new, part) for part in ("value", "low", "high"))
        few = abs(new.n - old.n) <= CASES_MAY_DIFFER_BY * old.n
        yield not (moved and few), f"`n` is {new.n} and was {old.n}"
    before, now = _width(old), _width(new)
    if before is None or now is None:
        if before != now:
            yield True, f"its interval is [{new.low}, {new.high}] and was [{old.low}, {old.high}]"
        return
    fewer = math.sqrt(old.n / new.n) if new.n > old.n > 0 else 1
    least = before * fewer * keeps
    if now + 2 * FIGURES_MAY_DIFFER_BY < least:
        interval = f"the interval [{new.low}, {new.high}] is narrower than so many cases make it"
        yield True, f"{interval}; it was [{old.low}, {old.high}]"


def _missing(new: Rounded | None) -> str:
    return "there are no figures any more" if new is None else "there were no figures"


def _width(figures: Rounded) -> float | None:
    return None if None in (figures.low, figures.high) else figures.high - figures.low


def _others(old: Finding, new: Finding) -> Iterator[tuple[str, object, object]]:
    """The parts of a finding in two files that are no figures."""
    for part in Finding.model_fields:
        if part not in FIGURES and part != "setting":
            yield part, getattr(old, part), getattr(new, part)
    for part in ("source", "here"):
        yield f"setting.{part}", getattr(old.setting, part), getattr(new.setting, part)
    if old.control and new.control:
        yield "control.tasks", old.control.tasks, new.control.tasks


def _place(before: Rounded, after: Rounded) -> str:
    where = "inside" if _inside(before, after.value) else "outside of"
    return f"{where} the committed interval [{before.low}, {before.high}]"


def _inside(before: Rounded, value: float | None) -> bool:
    """Whether the value lies in the committed interval; one not known holds itself alone."""
    if None in (before.value, before.low, before.high, value):
        return value == before.value
    low, high = min(before.low, before.value), max(before.high, before.value)
    return low - FIGURES_MAY_DIFFER_BY <= value <= high + FIGURES_MAY_DIFFER_BY
