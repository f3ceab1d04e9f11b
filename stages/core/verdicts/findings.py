"""`reports/findings.json`: the verdict on every claim, and what the verdict rests on."""

import json
import math
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from stages.core.stage.files import InputError
from stages.core.stage.settings import Parameters, checked
from stages.core.verdicts.answers import Answer, Bounds
from stages.core.verdicts.claims import Claim, Kind, Published, Unit
from stages.core.verdicts.estimates import Estimate
from stages.core.verdicts.region import Power, Region, Verdict, power, verdict
from stages.core.verdicts.setting import Setting, departures

FINDINGS_FILE = Path("reports/findings.json")
# How the reason begins for which a configuration says nothing of a claim; others are the ledger's.
NOT_MEASURED = "Not measured in this configuration: "
PLACES = 4  # decimal places in files that git tracks


class Repeated(InputError):
    """A file of findings has one name twice, of which readers would see the last alone."""


class Rounded(Parameters):
    """An estimate as it is written: rounded; null where it could not be computed."""

    value: float | None
    low: float | None
    high: float | None
    n: int

    @classmethod
    def of(cls, estimate: Estimate) -> "Rounded":
        return cls(
            value=rounded(estimate.value),
            low=rounded(estimate.low),
            high=rounded(estimate.high),
            n=int(estimate.n),
        )

    @property
    def estimate(self) -> Estimate:
        """What is written, as an estimate: null is not a number."""
        value, low, high = (
            math.nan if part is None else part for part in (self.value, self.low, self.high)
        )
        return Estimate(value, low, high, self.n)


class Control(Rounded):
    """The same of random weights, and the estimate less it, paired: `beyond`.

    Attributes:
        tasks: of which tasks alone both are, where not of all.
    """

    beyond: Rounded
    tasks: list[str] = []


class MeasuredOn(Parameters):
    """What the source measured on, what stands here, and where the two differ, in words."""

    source: Setting
    here: Setting
    departures: list[str]


class Size(Parameters):
    """Whether the published value lies in the interval, and how far the own value is from it."""

    published: float
    inside: bool | None  # null where the interval is not known
    off: float | None


class Finding(Rounded):
    """A claim with its own value, interval and verdict."""

    study: str
    paper: str
    section: str
    statement: str
    note: str
    kind: Kind
    unit: Unit
    measure: str
    arguments: dict[str, Any]
    module: str = ""  # the file of the measure
    read: list[str] = []  # folders of work/measures that the measure read
    holds: Region
    verdict: Verdict
    bounds: Bounds  # what low and high are: a confidence interval, or the range of a count
    counted: str  # what n counts
    layers_from: int = 0  # the number that the paper gives to the lowest layer; here it is 0
    model: str = ""  # whose heads they are; empty for claims about no encoder's
    decided_on: str = ""  # the tasks whose estimates the verdict rests on, if it is about tasks
    seeds: int | None  # how many fine-tunings it is of; null where none is tuned
    setting: MeasuredOn
    control: Control | None
    uncontrolled: str  # why there is no control
    size: Size | None
    power: Power | None
    tasks: dict[str, Rounded]
    published: Published

    @property
    def counts(self) -> bool:
        """Whether the value is a count with its range."""
        return self.bounds == "range"

    @property
    def in_setting(self) -> bool:
        """Whether the claim was measured in the setting of its source."""
        return not self.setting.departures


class NotShown(Parameters):
    """A claim that this configuration says nothing about, and why."""

    study: str
    paper: str
    section: str
    statement: str
    kind: Kind
    reason: str
    published: Published


class Findings(Parameters):
    """The content of `reports/findings.json`."""

    configuration: str
    level: float  # of every interval
    checkpoint: dict[str, Any]
    models: list[str] = []  # that were measured: the checkpoint, and those recorded elsewhere
    papers: dict[str, list[str]] = {}  # the sources as they are cited: where to read them
    tasks: dict[str, str]  # with the primary metric
    seeds: dict[str, list[int]]  # of each task
    questions: dict[str, list[int]] = {}  # sets of questions, each with the seeds of its readers
    recorded: dict[str, str] = {}  # corpora and sets of attention recorded elsewhere: the model
    not_learnt: list[str] = []  # tasks and questions that claims on the tuned encoder leave out
    claims: dict[str, Finding]
    not_shown: dict[str, NotShown]

    def count(self, verdict: Verdict) -> int:
        return sum(finding.verdict == verdict for finding in self.claims.values())


def rounded(value: float) -> float | None:
    """Rounded for a file that git tracks; None instead of not-a-number, which JSON lacks."""
    return round(float(value), PLACES) + 0.0 if math.isfinite(value) else None


def judged(
    claim: Claim,
    paper: str,
    found: Answer,
    source: Setting,
    here: Setting,
    model: str = "",
    layers_from: int = 0,
    **origin: Any,
) -> Finding:
    """The claim with what its measure found and the verdict that follows.

    The verdict is that of the figures as they are written, so that whoever reads the file can work
    it out again.

    Args:
        origin: `module` and `read` of the finding.
    """
    written = Rounded.of(found.pooled)
    control = None
    if found.control is not None and found.beyond is not None:
        beyond, tasks = Rounded.of(found.beyond), list(found.controlled)
        control = Control(**Rounded.of(found.control).model_dump(), beyond=beyond, tasks=tasks)
    counts = found.bounds == "range"
    published = claim.published.nearest(claim.holds)
    shown = None if counts else power(found.pooled, claim.holds, published)
    return Finding(
        **written.model_dump(),
        **definition(claim, paper, layers_from),
        verdict=verdict_of(written, claim.holds, control, counts, shown),
        bounds=found.bounds,
        counted=found.counted,
        model=model,
        decided_on=found.decided_on or ", ".join(found.tasks),
        seeds=found.seeds,
        setting=MeasuredOn(source=source, here=here, departures=departures(source, here)),
        control=control,
        uncontrolled=found.uncontrolled,
        size=size_of(written, claim.published.value),
        power=None if shown is None else _rounded_power(shown),
        tasks={task: Rounded.of(estimate) for task, estimate in found.tasks.items()},
        **origin,
    )


def definition(claim: Claim, paper: str, layers_from: int) -> dict[str, Any]:
    """The parts of a finding that data/claims.yaml says, whatever was measured."""
    layers = {"layers": claim.layers.model_dump()} if claim.layers else {}
    texts = {"study", "section", "statement", "note", "kind", "unit", "measure"}
    return {
        **claim.model_dump(include=texts),
        "arguments": claim.arguments | layers,
        "paper": paper,
        "layers_from": layers_from,
        "holds": claim.holds,
        "published": claim.published,
    }


def verdict_of(
    written: Rounded,
    holds: Region,
    control: Control | None,
    counts: bool,
    shown: Power | None,
) -> Verdict:
    """The verdict that follows from the figures of a finding.

    What these data could not have shown, were it as the source has it, is `not decidable here`
    where it is not decided all the same.
    """
    beyond = None if control is None else control.beyond.estimate
    found = verdict(written.estimate, holds, beyond, counts)
    if found == "undecided" and shown is not None and shown.needed is not None:
        return "not decidable here"
    return found


def _rounded_power(found: Power) -> Power:
    parts = {
        name: None if (number := getattr(found, name)) is None else rounded(number)
        for name in ("smallest_shown", "published")
    }
    return found.model_copy(update=parts)


def size_of(written: Rounded, published: float | None) -> Size | None:
    """Where the published value lies, seen from the measured one; None where either is missing."""
    if published is None or written.value is None:
        return None
    inside = None
    if written.low is not None and written.high is not None:
        inside = written.low <= published <= written.high
    return Size(published=published, inside=inside, off=rounded(written.value - published))


def read_findings(path: Path = FINDINGS_FILE) -> Findings:
    """Read a file of findings.

    Raises:
        InputError: there is no such file, or it holds something else.
    """
    try:
        return parse_findings(path.read_text(encoding="utf-8"), str(path))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; run `dvc repro findings`") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 ({error}); run `dvc repro findings`") from None


def parse_findings(text: str, source: str) -> Findings:
    """Parse the text of a file of findings; errors name `source`.

    Raises:
        InputError: it is no JSON, or of another form.
        Repeated: a name stands twice.
    """
    try:
        from_json(text)  # which refuses what lies too deep
        content = json.loads(text, object_pairs_hook=partial(_once, source))
    except Repeated:
        raise
    except ValueError as error:
        raise InputError(f"{source}: not JSON ({error}); run `dvc repro findings`") from None
    return checked(Findings, content, source)


def _once(source: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The pairs of a JSON object as a dictionary, which keeps the last of two of one name."""
    for name, count in Counter(name for name, _ in pairs).items():
        if count > 1:
            raise Repeated(f"{source}: `{name}` stands {count} times; run `dvc repro findings`")
    return dict(pairs)
