"""The tasks of kind `choice` in `params.yaml`: where passages, questions and options come from."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from stages.core.questions.rows import BadRows, Layout
from stages.core.stage.files import InputError
from stages.core.stage.settings import PARAMETER_FILE, Parameters, section
from stages.core.stage.targets import require_plain_name
from stages.core.tasks.task import Seeds, Splits, WrittenData

CHOICE = "choice"


class Sampled(Parameters):
    """What the Hub and files share: splits, and how many of their questions are drawn."""

    splits: Splits
    train: PositiveInt | None = None  # questions drawn at most; null takes all
    validation: PositiveInt | None = None
    seed: NonNegativeInt = 0
    # A row that is no question ends the stage, or is left out and counted.
    bad_rows: BadRows = "stop"


class QuestionFiles(Sampled):
    """Two files, or folders; `question_files.py` says what their layouts are."""

    source: Literal["files"]
    layout: Layout


class QuestionColumns(Parameters):
    """What the source calls the columns."""

    passage: str  # a text, or turns of a dialogue
    question: str
    # Of lists, or as many columns as a question has options.
    options: str | Annotated[list[str], Field(min_length=2)]
    answer: str  # place of the right option from 0, its letter (A, B, ...), or its text

    @property
    def named(self) -> list[tuple[str, str]]:
        """Every column with the key that names it."""
        options = [self.options] if isinstance(self.options, str) else self.options
        return [
            ("passage", self.passage),
            ("question", self.question),
            *(("options", column) for column in options),
            ("answer", self.answer),
        ]


class QuestionHub(Sampled):
    """A data set of the Hugging Face Hub, as `datasets.load_dataset(path, name, revision=...)`."""

    source: Literal["hub"]
    path: str
    name: str | None = None
    revision: str | None = None  # a commit keeps the data the same for ever
    columns: QuestionColumns


QuestionData = Annotated[WrittenData | QuestionFiles | QuestionHub, Field(discriminator="source")]


class QuestionTask(Parameters):
    """One entry of `tasks` whose examples are questions with options."""

    data: QuestionData
    kind: Literal["choice"]
    metrics: Annotated[list[Literal["accuracy"]], Field(min_length=1, max_length=1)] = ["accuracy"]
    max_length: PositiveInt  # tokens of passage, question and one option; the passage is cut
    seeds: Seeds | None = None  # in place of `run.seeds`
    finetune: dict[str, bool | int | float | str] = Field({})


def load_question_task(name: str, file: str | Path = PARAMETER_FILE) -> QuestionTask:
    """Read the entry `tasks.NAME` of `file`, a task of kind `choice`.

    Raises:
        InputError: there is no such task, it is of another kind, or a key of it is wrong.
    """
    require_plain_name(name, f"{file}: task")
    kind = section(dict[str, Any], f"tasks.{name}", file).get("kind", CHOICE)
    if kind != CHOICE:
        raise InputError(
            f"{file}: `tasks.{name}.kind` is {kind!r}, not {CHOICE}: it has no questions with "
            "options. `prepare`, `finetune` and the studies of tasks take it: name it under "
            f"`run.tasks`; `questions`, `readers` and `reading` take tasks of kind {CHOICE}: name "
            "such a one under `readers.tasks`"
        )
    return section(QuestionTask, f"tasks.{name}", file)


def is_question_task(name: str, file: str | Path = PARAMETER_FILE) -> bool:
    """Whether the entry `tasks.NAME` of `file` is of kind `choice`."""
    entry = section(Any, f"tasks.{name}", file)
    return isinstance(entry, dict) and entry.get("kind") == CHOICE


def reader_seeds(
    name: str, only: int | None = None, file: str | Path = PARAMETER_FILE
) -> Sequence[int]:
    """The seeds of a task's readers: its own, or else those of `run.seeds`.

    Args:
        only: the one of them that is asked for; None for all.

    Raises:
        InputError: a key is wrong, or the task has no such seed.
    """
    own = load_question_task(name, file).seeds
    key = "run.seeds" if own is None else f"tasks.{name}.seeds"
    seeds = section(Seeds, "run.seeds", file) if own is None else own
    if only is None:
        return seeds
    if only not in seeds:
        raise InputError(f"{file}: `{key}` has no {only}, only {seeds}; add it there")
    return [only]
