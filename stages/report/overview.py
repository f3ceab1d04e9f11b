"""What the overview says at its top: tallies, fine-tunings, and what was not measured."""

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from platform import python_version
from typing import get_args

from stages.core.pages.said import listed, of_all
from stages.core.verdicts.findings import Finding, Findings, NotShown
from stages.core.verdicts.region import Verdict

KINDS = {
    "number": "published number",
    "words": "published in words",
    "own": "question of this project, not published",
}
SETTINGS = {True: "the source's setting", False: "another setting"}
# Settings in fewer words than a reader needs.
DIFFERENCES = {"both": "single texts as well as pairs of texts"}
LIBRARIES = ("torch", "transformers", "numpy", "pandas", "scipy", "scikit-learn", "altair", "dvc")
PREFIX = "Not measured in this configuration: "
IN_WORDS: dict[Verdict, tuple[str, str]] = {
    "holds": ("holds", "hold"),
    "fails": ("fails", "fail"),
    "undecided": ("is undecided", "are undecided"),
    "not decidable here": ("is not decidable here", "are not decidable here"),
}


@dataclass(frozen=True)
class Tally:
    """How many claims got each verdict: of one kind in one setting, or of one paper."""

    of: str
    setting: str
    counts: dict[str, int]


def of_verdicts(some: Iterable[Finding]) -> dict[str, int]:
    """How many of the claims have each verdict."""
    verdicts = [finding.verdict for finding in some]
    return {verdict: verdicts.count(verdict) for verdict in get_args(Verdict)}


def tallies(findings: Findings) -> list[Tally]:
    """Verdicts by kind of claim and setting; kinds and settings without a claim are left out.

    Own questions have no source, so no setting of one.
    """
    rows = []
    for kind, words in KINDS.items():
        if kind == "own":
            some = [finding for finding in findings.claims.values() if finding.kind == kind]
            rows += [Tally(words, "", of_verdicts(some))] if some else []
            continue
        for in_setting, setting in SETTINGS.items():
            some = [
                finding
                for finding in findings.claims.values()
                if finding.kind == kind and finding.in_setting == in_setting
            ]
            if some:
                rows.append(Tally(words, setting, of_verdicts(some)))
    return rows


def by_paper(findings: Findings) -> dict[str, dict[str, Finding]]:
    """The measured claims of each paper; those that this project asks stand last, apart."""
    papers: dict[str, dict[str, Finding]] = {}
    own = {name: finding for name, finding in findings.claims.items() if finding.kind == "own"}
    for name, finding in findings.claims.items():
        if finding.kind != "own":
            papers.setdefault(finding.paper, {})[name] = finding
    return papers | ({"Questions of this project": own} if own else {})


def paper_tallies(findings: Findings) -> list[Tally]:
    """Verdicts by paper."""
    return [
        Tally(paper, "", of_verdicts(some.values())) for paper, some in by_paper(findings).items()
    ]


def headline(findings: Findings) -> list[str]:
    """How many published claims hold, in their source's setting and elsewhere, and what differs."""
    published = _published(findings)
    if not published:
        return ["No published claim was measured here."]
    were = "were" if len(published) > 1 else "was"
    measured = f"{_claims(len(published), 'published ')} {were} measured here"
    said = [f"{measured}: {_verdicts(published)}."]
    inside = [finding for finding in published if finding.in_setting]
    if len(inside) == len(published):
        return [*said, f"{_all_of(published)} in the setting of its source."]
    if inside:
        one, its = ("was", "its source") if len(inside) == 1 else ("were", "their sources")
        measured = f"{len(inside)} of them {one} measured in the setting of {its}"
        said.append(f"{measured}: {_verdicts(inside)}.")
    else:
        none, verdicts = ("It was not", "verdict speaks")
        if len(published) > 1:
            none, verdicts = ("None was", "verdicts speak")
        said.append(
            f"{none} measured in exactly the setting of its source; the {verdicts} of the model "
            "and the text named above."
        )
    differing = Counter(one for finding in published for one in finding.setting.departures)
    parts = [f"{difference_in_words(one)} ({_claims(n)})" for one, n in differing.most_common()]
    if parts:
        settings = "the sources' settings" if len(published) > 1 else "the setting of its source"
        several = ", of which a claim can have several" if len(published) > 1 < len(parts) else ""
        departures = "Departure" if len(parts) == 1 else "Departures"
        said.append(f"{departures} from {settings}{several}: {listed(parts)}.")
    return said


def difference_in_words(difference: str) -> str:
    """What stands in place of a source's setting, as `departures` says it, in full."""
    return DIFFERENCES.get(difference, difference)


def certainty(findings: Findings) -> list[str]:
    """What the intervals and controls of the published claims that were measured are of."""
    published = _published(findings)
    if not published:
        return []
    of_several = sum((finding.seeds or 0) > 1 for finding in published)
    of_one = sum(finding.seeds == 1 for finding in published)
    of_none = len(published) - of_several - of_one
    # Of one fine-tuning is what has one alone on some task; recorded attention was tuned elsewhere.
    models = {
        "on several fine-tunings of every task involved": of_several,
        "on a single fine-tuning of some task": of_one,
        "on the model as it came, without a fine-tuning here": of_none,
    }
    (first, words), *others = ((number, words) for words, number in models.items() if number)
    rest = f"{_claims(first)} {'rests' if first == 1 else 'rest'} {words}"
    parts = [rest, *(f"{number} {words}" for number, words in others)]
    spread = "Intervals are over examples or texts, and over fine-tunings where there are several"
    return [
        f"{spread}. {listed(parts)}.",
        _controlled(published)
        + _beyond([finding for finding in published if finding.verdict == "holds"]),
        "Each claim is judged by itself, without a correction for how many there are.",
    ]


def _controlled(some: list[Finding]) -> str:
    """How many of the claims have a control, and what one is."""
    controlled = sum(finding.control is not None for finding in some)
    if len(some) == 1:
        said = f"The only claim has {'a' if controlled else 'no'} control"
    else:
        verb = "has" if controlled < 2 else "have"
        said = _capital(f"{of_all(controlled, len(some), 'claim')} {verb} a control")
    return f"{said} (the same measured on random weights, or on an encoder tuned from them)."


def _beyond(holding: list[Finding]) -> str:
    """How many of the claims that hold had to be beyond their control; empty where none holds."""
    if not holding:
        return ""
    if len(holding) == 1:
        (finding,) = holding
        if finding.control is None:
            return " The one that holds has none, and says why."
        if not finding.holds.direction:
            return " The one that holds is of a range, which needs no control."
        return " The one that holds also passes its control, which holding requires."
    bare = sum(finding.control is None for finding in holding)
    ranged = sum(finding.control is not None and not finding.holds.direction for finding in holding)
    beyond = len(holding) - bare - ranged
    passes = "passes its" if beyond == 1 else "pass their"
    parts = {
        f"also {passes} control, which holding requires": beyond,
        f"{'has none and says' if bare == 1 else 'have none and say'} why": bare,
        f"{'is' if ranged == 1 else 'are'} of a range, which needs no control": ranged,
    }
    said = listed([f"{number} {words}" for words, number in parts.items() if number])
    return f" Of the {len(holding)} that hold, {said}."


def _published(findings: Findings) -> list[Finding]:
    return [finding for finding in findings.claims.values() if finding.kind != "own"]


def _all_of(some: list[Finding]) -> str:
    return "Each of them was measured" if len(some) > 1 else "It was measured"


def _capital(said: str) -> str:
    return f"{said[0].upper()}{said[1:]}"


def _claims(number: int, what: str = "") -> str:
    return f"{number} {what}claim{'' if number == 1 else 's'}"


def _verdicts(some: list[Finding]) -> str:
    """How many claims have each verdict."""
    return listed([f"{n} {IN_WORDS[name][n != 1]}" for name, n in of_verdicts(some).items() if n])


def seeds_in_words(findings: Findings) -> str:
    """How many fine-tunings there are of each task and set of questions; empty where none is."""
    parts = [
        f"{task}: {len(seeds)} (seed{'s' if len(seeds) > 1 else ''} {', '.join(map(str, seeds))})"
        for task, seeds in (findings.seeds | findings.questions).items()
    ]
    return "; ".join(parts)


def fine_tunings_in_words(finding: Finding, findings: Findings) -> str:
    """Of how many fine-tunings a claim is.

    `seeds` of a finding is the smallest number over the tasks that its measure took. That is exact
    where no task that decides was tuned more often; else it is a least number, and is called one.
    """
    least, decide = finding.seeds, finding.decided_on.split(", ")
    tuned = {
        name: len(seeds)
        for name, seeds in (findings.seeds | findings.questions).items()
        if name in decide
    }
    of_each = " of each task" if len(tuned) > 1 else ""
    if set(tuned.values()) == {least}:
        if least == 1:
            these = "these models, one a task" if of_each else "this one model"
            return f"1{of_each}: the interval is of {these}"
        return f"{least}{of_each}"
    there = [f"{number} on {name}" for name, number in tuned.items()]
    return f"at least {least}{of_each}" + (f"; trained were {listed(there)}" if there else "")


def not_learnt_in_words(findings: Findings) -> str:
    """On what the tuned encoder is no better than its baseline; empty where there is no such data.

    Tasks and sets of questions have baselines of their own; only those concerned are spoken of.
    """
    names = findings.not_learnt
    if not names:
        return ""
    questions = [name for name in names if name in findings.questions]
    tasks = [name for name in names if name not in findings.questions]
    parts = []
    if tasks:
        parts.append(f"on {listed(tasks)} the tuned encoder is no better than the majority class")
    if questions:
        parts.append(
            f"on {listed(questions)} the reader is no better than a guess or the longest option"
        )
    said = ", and ".join(parts)
    these = "these" if len(names) > 1 else "this"
    return (
        f"{_capital(said)}. No claim about the tuned encoder or its heads counts "
        f"{these}: tune longer, with another learning rate or with more examples."
    )


def libraries() -> str:
    """The versions of Python and of the libraries that measure and draw, as installed."""
    found = [f"Python {python_version()}"]
    for name in LIBRARIES:
        with suppress(PackageNotFoundError):
            found.append(f"{name} {version(name)}")
    return ", ".join(found)


def by_reason(findings: Findings) -> dict[str, dict[str, NotShown]]:
    """What was not measured, by its reason: reasons of most claims come first."""
    reasons: dict[str, dict[str, NotShown]] = {}
    for name, claim in findings.not_shown.items():
        words = claim.reason.removeprefix(PREFIX)
        reasons.setdefault(words[:1].upper() + words[1:], {})[name] = claim
    return dict(sorted(reasons.items(), key=lambda item: -len(item[1])))
