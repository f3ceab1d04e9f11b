"""The claims of the studies (`data/claims.yaml`), and the one rule that gives each its verdict."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from pydantic import NonNegativeInt, PositiveInt, model_validator

from stages.core.stage.files import InputError, read_yaml
from stages.core.stage.settings import Parameters, checked
from stages.core.stage.training import Training
from stages.core.verdicts.answers import Answer
from stages.core.verdicts.depth import Band
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.region import Region
from stages.core.verdicts.setting import Setting

CLAIMS_FILE = Path("data/claims.yaml")

Kind = Literal["number", "words", "own"]
Unit = Literal[
    "points", "percent", "share", "F1", "count", "cosine", "nats", "grades", "ratio", "correlation"
]

Measure = Callable[..., Answer]
Summary = Callable[[Measures], dict[str, Any]]
REGISTERED: dict[str, Measure] = {}
SUMMARIES: dict[str, Summary] = {}


class Settings(Parameters, section="findings"):
    """The section `findings` of `params.yaml`."""

    configuration: str  # what the findings call this configuration
    resamples: PositiveInt = 1000
    seed: NonNegativeInt = 0


def measure(function: Measure) -> Measure:
    """Register a function as a measure that `data/claims.yaml` can name.

    It is called with the `Measures`, the `Settings`, and the claim's arguments.
    """
    if function.__name__ in REGISTERED:
        raise ValueError(f"two measures are called {function.__name__}")
    REGISTERED[function.__name__] = function
    return function


def summary(name: str) -> Callable[[Summary], Summary]:
    """Register a function whose nested figures become the part `name` of `reports/metrics.json`."""

    def register(function: Summary) -> Summary:
        SUMMARIES[name] = function
        return function

    return register


class Published(Parameters):
    """The source's result. `value` is in the claim's unit; null where only words are given."""

    value: float | None = None
    low: float | None = None
    high: float | None = None  # low and high: a range that the source gives
    tasks: dict[str, float] = {}
    where: str  # section, figure or table of the source, and what was computed from it

    def nearest(self, region: Region) -> float | None:
        """The value or, of a range, the end that is nearest to the region's one bound."""
        if self.value is not None or not region.direction:
            return self.value
        return self.low if region.direction > 0 else self.high


class Paper(Parameters):
    """A source: how it is cited, the encoder that it studies, and from where it counts layers."""

    training: Training = "masked words"  # of its encoder

    cited: str
    urls: list[str] = []  # where it is to be read
    layers: PositiveInt  # of its encoder
    layers_from: Literal[0, 1]  # the number that it gives to the lowest layer


class Layers(Parameters):
    """Some layers, both ends included, as the claim's source counts them."""

    first: NonNegativeInt
    last: NonNegativeInt


class Claim(Parameters):
    """One claim of one study."""

    id: str
    study: str
    paper: str
    section: str
    statement: str
    kind: Kind  # the source prints the number, says it in words, or this project asks it
    setting: Setting = Setting()  # what departs from the study's
    unit: Unit | None = None
    measure: str | None = None
    arguments: dict[str, Any] = {}
    layers: Layers | None = None  # the measure gets them as a `Band`
    holds: Region | None = None
    published: Published
    note: str = ""  # choices that a reader should know
    absent: str = ""  # why the claim is not measured

    @model_validator(mode="after")
    def _measured_or_absent(self) -> "Claim":
        printed = (self.published.value, self.published.low, self.published.tasks or None)
        if self.kind == "number" and not any(part is not None for part in printed):
            raise ValueError("`kind` is number, but `published` has none")
        if self.kind == "own" and any(part is not None for part in printed):
            raise ValueError("`kind` is own, but `published` has a number")
        complete = self.measure is not None and self.holds is not None and self.unit is not None
        if complete == bool(self.absent):
            raise ValueError("give `measure`, `holds` and `unit`, or say in `absent` why not")
        return self


class ClaimsFile(Parameters):
    """The content of `data/claims.yaml`."""

    papers: dict[str, Paper]
    studies: dict[str, Setting]  # what each study measured on
    claims: list[Claim]


def read_claims(path: str | Path = CLAIMS_FILE) -> ClaimsFile:
    """Read and check the claims.

    Raises:
        InputError: a key is wrong, an id stands twice, or a paper is not listed.
    """
    content = checked(ClaimsFile, read_yaml(path), str(path))
    ids = Counter(claim.id for claim in content.claims)
    if twice := sorted(name for name, count in ids.items() if count > 1):
        raise InputError(f"{path}: the ids {twice} stand twice; give each claim its own")
    for claim in content.claims:
        if claim.paper not in content.papers:
            raise InputError(
                f"{path}: claim {claim.id}: paper {claim.paper!r} is not listed under `papers`; "
                f"there are {', '.join(content.papers)}"
            )
        if claim.study not in content.studies:
            raise InputError(
                f"{path}: claim {claim.id}: study {claim.study!r} is not listed under `studies`; "
                "say there what it measured on"
            )
        if claim.layers is not None:
            _require_layers(claim, content.papers[claim.paper], path)
    return content


def _require_layers(claim: Claim, paper: Paper, path: str | Path) -> None:
    lowest, highest = paper.layers_from, paper.layers_from + paper.layers - 1
    if not lowest <= claim.layers.first <= claim.layers.last <= highest:
        raise InputError(
            f"{path}: claim {claim.id}: layers {claim.layers.first} to {claim.layers.last}, but "
            f"{claim.paper} counts its layers from {lowest} to {highest}; mend `layers`"
        )


def module_of(claim: Claim) -> str:
    """The file of the claim's measure, as `stages/syntax/claims.py`."""
    return f"{REGISTERED[str(claim.measure)].__module__.replace('.', '/')}.py"


def source_setting(claim: Claim, content: ClaimsFile) -> Setting:
    """What the claim's source measured on."""
    paper = content.papers[claim.paper]
    encoder = Setting(training=paper.training, layers=paper.layers)
    return encoder.with_changes(content.studies[claim.study]).with_changes(claim.setting)


def band(layers: Layers, paper: Paper) -> Band:
    """Layers of the source's encoder as a band of depths, which any encoder has."""
    first, last = (layer - paper.layers_from for layer in (layers.first, layers.last))
    return Band(Fraction(first + 1, paper.layers), Fraction(last + 1, paper.layers))


def answer(claim: Claim, paper: Paper, measures: Measures, settings: Settings) -> Answer:
    """Call the claim's measure, which gets the claim's `layers` as a `Band`.

    Raises:
        InputError: no such measure is registered, or it does not take the claim's arguments.
        NotMeasured: this configuration lacks the data.
    """
    if claim.measure not in REGISTERED:
        raise InputError(
            f"{CLAIMS_FILE}: claim {claim.id}: no measure is called {claim.measure!r}; "
            f"there are {', '.join(sorted(REGISTERED))}"
        )
    arguments = dict(claim.arguments)
    if claim.layers is not None:
        arguments["layers"] = band(claim.layers, paper)
    return REGISTERED[claim.measure](measures, settings, **arguments)
