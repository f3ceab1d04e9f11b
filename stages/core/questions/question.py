"""Questions about a passage, each with options of which one is right, and their file.

A file has one row a question, in the columns of `SCHEMA`. Questions of one file may have different
numbers of options.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from stages.core.stage.files import InputError, atomic

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("passage", pa.string()),
        ("question", pa.string()),
        ("options", pa.list_(pa.string())),
        ("answer", pa.int32()),  # place of the right option, from 0
    ]
)
LEAST_OPTIONS = 2
GAP = "_"  # what stands in a cloze question for the words that are asked for


@dataclass(frozen=True)
class Question:
    """A question about a passage.

    Passage and question may be empty, where a reader is to do without (Si et al. 2019);
    `validate` refuses that of questions that come from a source.

    Attributes:
        options: at least two.
        answer: place of the right option among them, from 0.
    """

    id: str
    passage: str
    question: str
    options: tuple[str, ...]
    answer: int

    @property
    def right(self) -> str:
        """The right option."""
        return self.options[self.answer]

    @property
    def wrong(self) -> tuple[int, ...]:
        """Places of the other options (the distractors), ascending."""
        return tuple(place for place in range(len(self.options)) if place != self.answer)

    def pair(self, option: int) -> tuple[str, str]:
        """The two texts in which a reader sees one option: passage, and question with option.

        The option follows the question after a space. A cloze question, as RACE and DREAM have
        them, has it in place of its gap: every run of `_`, with or without spaces, is replaced,
        and the full stop that the option may end with is dropped where anything follows the gap.
        Without a question it is the option alone.
        """
        return self.passage, joined(self.question, self.options[option])


def joined(question: str, option: str) -> str:
    """A question with an option, as `Question.pair` says."""
    option = option.strip()
    first, *rest = _without_empty_runs(question.strip())
    if not rest:
        return f"{first} {option}".strip()
    text = first
    for following in rest:
        # "_ is the hero." with "Tom." would end a sentence after its first word.
        told = option.removesuffix(".") if following.strip() else option
        text += told + following
    return text.strip()


def _without_empty_runs(question: str) -> list[str]:
    """What stands between the gaps; a run of gaps, with or without spaces, is one."""
    first, *rest = question.split(GAP)
    parts = [first]
    for place, part in enumerate(rest):
        if place < len(rest) - 1 and not part.strip():
            continue
        parts.append(part)
    return parts


def validate(questions: Sequence[Question], source: str) -> None:
    """Refuse questions that no reader can be trained or scored on.

    Args:
        source: the file or data set that they came from, for the message.

    Raises:
        InputError: there is no question; one lacks a text, has fewer than two options, an
            answer that is none of them or that two of them are, or an id that another one has.
    """
    if not questions:
        raise InputError(f"{source}: no questions; check the name of the split and the file")
    seen: dict[str, int] = {}
    for row, question in enumerate(questions):
        where = f"{source}, row {row} (id {question.id!r})"
        if question.id in seen:
            raise InputError(f"{where}: row {seen[question.id]} has this id too; make ids unique")
        seen[question.id] = row
        if fault := fault_of(question):
            raise InputError(f"{where}: {fault}")


def fault_of(question: Question) -> str:
    """Why a question is none, with the mend; empty where it is one."""
    for name in ("id", "passage", "question"):
        if not getattr(question, name).strip():
            return f"`{name}` is missing or empty; fill or remove it"
    if len(question.options) < LEAST_OPTIONS:
        return f"{len(question.options)} options; give at least {LEAST_OPTIONS}"
    for place, option in enumerate(question.options):
        if not option.strip():
            return f"option {place} is missing or empty; fill or remove it"
    if question.answer not in range(len(question.options)):
        last = len(question.options) - 1
        return f"the answer is {question.answer!r}, no place of an option; give 0 to {last}"
    # Equal distractors, which DREAM has, leave the question what it is.
    # To a reader, options that differ in spaces alone are the same, and always tie.
    told = [" ".join(option.split()) for option in question.options]
    if told.count(told[question.answer]) > 1:
        return f"another option is {question.right!r} too, as the right one is; change or remove it"
    return ""


def read_questions(path: str | Path) -> list[Question]:
    """Read the questions of a file that `write_questions` wrote.

    Raises:
        InputError: the file is missing, damaged, or holds other columns; or a row is no question.
    """
    try:
        table = pq.read_table(path)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; run `python -m stages questions` first") from None
    except pa.ArrowInvalid as error:
        raise InputError(
            f"{path}: not a readable parquet file ({error}); prepare it anew"
        ) from None
    if table.schema.names != SCHEMA.names:
        raise InputError(
            f"{path}: its columns are {table.schema.names}, not {SCHEMA.names}; prepare it anew"
        )
    questions = []
    for number, row in enumerate(table.to_pylist()):
        for name, value in row.items():
            if value is None or (name == "options" and None in value):
                raise InputError(f"{path}, row {number}: `{name}` is missing; prepare it anew")
        questions.append(Question(**row | {"options": tuple(row["options"])}))
    validate(questions, str(path))
    return questions


def write_questions(questions: Sequence[Question], path: str | Path) -> None:
    """Write questions; the same questions give the same bytes.

    Raises:
        InputError: a row is no question.
    """
    validate(questions, str(path))
    columns = [
        pa.array([getattr(question, field.name) for question in questions], type=field.type)
        for field in SCHEMA
    ]
    with atomic(path) as partial:
        pq.write_table(pa.table(columns, schema=SCHEMA), partial, compression="zstd")
