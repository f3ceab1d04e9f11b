"""The tasks of `params.yaml`: where the examples come from, what is predicted, how it is scored."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    NonNegativeInt,
    PositiveInt,
    model_validator,
)

from stages.core.stage.files import InputError
from stages.core.stage.settings import PARAMETER_FILE, Parameters, section
from stages.core.stage.targets import require_plain_name
from stages.core.tasks.labels import label_name
from stages.core.tasks.metrics import METRICS

REGRESSION_METRICS = {"pearson", "spearman"}
TWO_CLASS_METRICS = {"f1", "matthews"}
MOST_CLASSES = 100_000  # as of a checkpoint; each gets a name


class WrittenData(Parameters):
    """Generated examples that come with this project, in `data/written/`."""

    source: Literal["written"]
    train: PositiveInt | None = None  # examples drawn at most; null takes all
    validation: PositiveInt | None = None
    seed: NonNegativeInt = 0  # of the draw


class Splits(Parameters):
    """What the source calls the two splits: names on the Hub, paths of files."""

    train: str
    validation: str


class Columns(Parameters):
    """What the source calls the columns; numbers (from 0) for a file without a header line."""

    text_a: str | int
    text_b: str | int | None = None  # null for single sentences
    label: str | int


class SampledData(Parameters):
    """What the Hub and files share: splits, columns, how many rows are drawn with which seed."""

    splits: Splits
    columns: Columns
    train: PositiveInt | None = None  # rows drawn at most; null takes all
    validation: PositiveInt | None = None
    seed: NonNegativeInt = 0
    # A row with missing text, an unknown label or a wrong number of columns ends the stage, or is
    # left out and counted.
    bad_rows: Literal["stop", "skip"] = "stop"


class HubData(SampledData):
    """A data set of the Hugging Face Hub, as `datasets.load_dataset(path, name, revision=...)`."""

    source: Literal["hub"]
    path: str
    name: str | None = None
    revision: str | None = None  # a commit keeps the data the same for ever


class FilesData(SampledData):
    """Two files, .tsv, .csv, .jsonl or .parquet."""

    source: Literal["files"]


TaskData = Annotated[WrittenData | HubData | FilesData, Field(discriminator="source")]


def _different(seeds: list[int]) -> list[int]:
    if len(set(seeds)) < len(seeds):
        raise ValueError("a seed stands there twice; give each once")
    return seeds


Seeds = Annotated[list[NonNegativeInt], Field(min_length=1), AfterValidator(_different)]


def _named(label: Any) -> Any:
    if isinstance(label, bool):
        word = str(label).lower()
        raise ValueError(f'{word} is a truth value in YAML; as the name of a class write "{word}"')
    try:
        return label_name(label)
    except ValueError as fault:
        raise ValueError(
            f"{label!r} names no class: {fault}; name it by a word or number"
        ) from None


class Task(Parameters):
    """One entry of `tasks`."""

    data: TaskData
    kind: Literal["classification", "regression"]
    # How many classes, or their names in order; numbers as names need no quotes.
    labels: PositiveInt | list[Annotated[str, BeforeValidator(_named)]] | None = None
    metrics: Annotated[list[str], Field(min_length=1)]
    max_length: PositiveInt = 128
    seeds: Seeds | None = None  # in place of `run.seeds`
    finetune: dict[str, bool | int | float | str] = Field({})

    @property
    def outputs(self) -> int:
        """How many numbers the model gives for an example: one a class, or the score."""
        if self.labels is None:
            return 1
        return self.labels if isinstance(self.labels, int) else len(self.labels)

    @property
    def label_names(self) -> list[str]:
        """The classes' names in order; their numbers where no names are given."""
        if self.labels is None:
            return []
        if isinstance(self.labels, int):
            return [str(label) for label in range(self.labels)]
        return self.labels

    @model_validator(mode="after")
    def _fits_together(self) -> "Task":
        if unknown := [metric for metric in self.metrics if metric not in METRICS]:
            raise ValueError(f"unknown metrics {unknown}; there are {', '.join(METRICS)}")
        if self.kind == "regression":
            if self.labels is not None:
                raise ValueError("a regression has no `labels`; remove the key")
            wrong = [metric for metric in self.metrics if metric not in REGRESSION_METRICS]
        else:
            if self.outputs < 2:
                raise ValueError("a classification needs `labels`: two or more classes")
            if self.outputs > MOST_CLASSES:
                raise ValueError(
                    f"`labels` are {self.outputs} classes; the most are {MOST_CLASSES}; for a "
                    "score write `kind: regression`"
                )
            if len(set(self.label_names)) < self.outputs:
                raise ValueError("`labels` names a class twice")
            unfit = REGRESSION_METRICS | (TWO_CLASS_METRICS if self.outputs > 2 else set())
            wrong = [metric for metric in self.metrics if metric in unfit]
        if wrong:
            raise ValueError(f"metrics {wrong} do not fit a {self.kind} of {self.outputs} outputs")
        return self


def load_task(name: str, file: str | Path = PARAMETER_FILE) -> Task:
    """Read the entry `tasks.NAME` of `file`.

    Raises:
        InputError: there is no such task, or a key of it is wrong.
    """
    require_plain_name(name, f"{file}: task")
    return section(Task, f"tasks.{name}", file)


def seeds_of(name: str, only: int | None = None, file: str | Path = PARAMETER_FILE) -> list[int]:
    """The seeds of a task's fine-tunings: its own, or else those of `run.seeds`.

    Args:
        only: the one of them that is asked for; None for all.

    Raises:
        InputError: a key is wrong, or the task has no such seed.
    """
    own = load_task(name, file).seeds
    key = "run.seeds" if own is None else f"tasks.{name}.seeds"
    seeds = section(Seeds, "run.seeds", file) if own is None else own
    if only is None:
        return seeds
    if only not in seeds:
        raise InputError(f"{file}: `{key}` has no {only}, only {seeds}; add it there")
    return [only]
