"""Questions from the Hub and from files, checked row by row before any of them is drawn."""

from typing import Any

from stages.core.arrow_rows import arrow_rows
from stages.core.questions.question import Question, fault_of
from stages.core.questions.question_files import read_question_files
from stages.core.questions.rows import (
    Bad,
    is_letter,
    list_of_texts,
    place_of,
    place_of_letter,
    report_faults,
    text_of,
)
from stages.core.questions.task import QuestionColumns, QuestionHub, QuestionTask
from stages.core.stage.files import InputError
from stages.core.stage.settings import PARAMETER_FILE
from stages.core.tasks.examples import drawn_rows
from stages.core.written import SPLITS

BATCH = 1000  # rows of the Hub at a time


def read_source(name: str, task: QuestionTask) -> dict[str, list[Question]]:
    """Read the splits `train` and `validation` of a task whose source is `hub` or `files`.

    Questions are drawn without replacement in the source's order.

    Raises:
        InputError: the source or a column is missing, or a row is no question; the message names
            the source, the row and the mend.
    """
    data = task.data
    splits = {}
    for number, split in enumerate(SPLITS):
        source = getattr(data.splits, split)
        if isinstance(data, QuestionHub):
            questions = hub_questions(name, split, source, data)
        else:
            questions = read_question_files(source, data.layout, data.bad_rows)
        drawn = drawn_rows(len(questions), getattr(data, split), [data.seed, number])
        splits[split] = [questions[row] for row in drawn]
    return splits


def hub_questions(name: str, split: str, source: str, data: QuestionHub) -> list[Question]:
    """The questions of a split of the Hub; ids are the split and the number of the row, from 0.

    A passage that is a list, as of the turns of a dialogue, is joined by spaces. The answer is a
    place, or a text: a letter where most rows of the split have one, else that of an option.

    Args:
        split: `train` or `validation`.
        source: its name on the Hub.

    Raises:
        InputError: as `read_source`.
    """
    table = _hub_table(name, source, data)
    for key, column in data.columns.named:
        if column not in table.column_names:
            raise InputError(
                f"{PARAMETER_FILE}: `tasks.{name}.data.columns.{key}` has {column!r}, which "
                f"{data.path} ({source}) has not; its columns are {table.column_names}; mend its "
                "spelling"
            )
    # Names of classes stand for numbers.
    names = getattr(table.features[data.columns.answer], "names", None) or []
    by_name = bool(names) and all(map(is_letter, names))
    letters = by_name or sum(map(is_letter, table[data.columns.answer])) > len(table) / 2
    questions, faults = [], []
    for number, (row, fault) in enumerate(arrow_rows(table.with_format("arrow").iter(BATCH))):
        if row is None:
            faults.append(f"row {number}: {fault}")
            continue
        answer = row[data.columns.answer]
        if by_name and answer in range(len(names)):
            row[data.columns.answer] = names[answer]
        try:
            question = _question(f"{split}-{number}", row, data.columns, letters)
            fault = fault_of(question)
        except Bad as bad:
            fault = str(bad)
        if fault:
            faults.append(f"row {number}: {fault}")
        else:
            questions.append(question)
    where = " ".join(filter(None, (data.path, data.name, source)))
    report_faults(where, faults, data.bad_rows)
    return questions


def _question(
    identity: str, row: dict[str, Any], columns: QuestionColumns, letters: bool
) -> Question:
    """A row as a question.

    Args:
        letters: whether an answer that is a text is a letter.

    Raises:
        Bad: a value is none that a question has.
    """
    passage = row[columns.passage]
    if isinstance(passage, list):
        passage = " ".join(list_of_texts(passage, columns.passage))
    if isinstance(columns.options, str):
        options = list_of_texts(row[columns.options], columns.options)
    else:
        options = tuple(text_of(row, column) for column in columns.options)
    answer = row[columns.answer]
    if type(answer) is not int:
        find = place_of_letter if letters else place_of
        answer = find(answer, options, columns.answer)
    return Question(
        identity,
        text_of({columns.passage: passage}, columns.passage),
        text_of(row, columns.question),
        options,
        answer,
    )


def _hub_table(name: str, split: str, data: QuestionHub) -> Any:
    import datasets  # slow to import, and most runs need no Hub

    where = f"{PARAMETER_FILE}: `tasks.{name}.data`: {data.path} {data.name or ''}".rstrip()
    datasets.disable_progress_bars()
    try:
        return datasets.load_dataset(data.path, data.name, revision=data.revision, split=split)
    except datasets.exceptions.DatasetNotFoundError as error:
        raise InputError(f"{where}: {error}; mend `path` or `revision`, or log in") from None
    except ValueError as error:
        raise InputError(f"{where}: {error}; mend `name` or `splits`") from None
    except OSError as error:
        raise InputError(
            f"{where}: the Hub cannot be reached ({type(error).__name__}: {error}), and the data "
            "are not in the local cache; check the network and HF_ENDPOINT, or use source written "
            "or files"
        ) from None
