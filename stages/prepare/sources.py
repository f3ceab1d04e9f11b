"""Examples from the Hub and from files, checked row by row before any of them is drawn."""

import math
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import typer

from stages.core.arrow_rows import arrow_rows
from stages.core.stage.files import InputError
from stages.core.stage.settings import PARAMETER_FILE
from stages.core.tasks.examples import drawn_rows, examples_frame
from stages.core.tasks.labels import are_words, class_number, label_name, number_of
from stages.core.tasks.task import Task
from stages.core.tasks.texts import fault_of_text, shown
from stages.prepare.formats import Row, file_rows, require_columns, rows_by_header

SPLITS = ("train", "validation")
SHOWN = 5  # bad rows named in a message
BATCH = 1000  # rows of the Hub at a time
NO_LABEL = -1  # the Hub's label of rows whose label is kept secret


class BadRow(ValueError):
    """Why a row is no example."""


def read_source(name: str, task: Task) -> dict[str, pd.DataFrame]:
    """Read the splits `train` and `validation` of a task whose source is `hub` or `files`.

    Rows are drawn without replacement in the source's order; ids are the split and the number of
    the row in the source, from 0.

    Returns:
        A frame of examples for each split, without annotations.

    Raises:
        InputError: the source or a column is missing, or a row has missing text, an unknown label
            or a wrong number of columns; the message names the source, the row and the mend.
    """
    data = task.data
    reader = {"hub": _hub_rows, "files": _file_rows}[data.source]
    frames = {}
    for number, split in enumerate(SPLITS):
        source = getattr(data.splits, split)
        where = source if data.source == "files" else f"{data.path} {data.name or ''} {source}"
        skip = f"`tasks.{name}.data.bad_rows: skip` in {PARAMETER_FILE}"
        examples = examples_of(name, split, where, reader(name, source, task), task, skip)
        draw = partial(drawn_rows, count=getattr(data, split), seed=[data.seed, number])
        # Where every row is an example or the stage ends, those that are not drawn need no memory.
        known = data.source == "files" and data.bad_rows == "stop"
        total = rows_by_header(Path(source)) if known else None
        if total is None:
            rows = list(examples)
            rows = [rows[row] for row in draw(len(rows))]
        else:
            drawn = set(draw(total).tolist())
            rows = [example for row, example in enumerate(examples) if row in drawn]
        frames[split] = examples_frame(rows)
    return frames


def examples_of(
    name: str, split: str, where: str, rows: Iterable[Row], task: Task, skip: str
) -> Iterator[dict[str, Any]]:
    """Yield the example of every row, with its id; then refuse bad rows, or say which are left out.

    Args:
        where: the file or data set of the rows, for messages.
        skip: the key or option that leaves bad rows out, for messages.

    Raises:
        InputError: rows are no examples, unless the task leaves these out; or labels count from 1
            where the task's count from 0.
    """
    bad = []
    numbers = set()  # that stand for labels; None for a word
    for number, row in enumerate(rows):
        try:
            if row.values is None:
                raise BadRow(row.fault)
            label = number_of(row.values.get(task.data.columns.label))
            if label is not None:
                numbers.add(label)
            yield {"id": f"{split}-{number}"} | example_of(row.values, task)
            numbers.add(label)
        except BadRow as fault:
            bad.append(f"{row.place}: {fault}")
    names = task.label_names
    by_place = isinstance(task.labels, int) or (names and are_words(names))
    # Left out, the last class would be lost, and each other class would have the next one's name.
    if by_place and len(names) in numbers and not {0, None} & numbers:
        raise InputError(
            f"{where}: its labels count from 1 to {len(names)}, but `tasks.{name}.labels` in "
            f"{PARAMETER_FILE} counts from 0; write the numbers there, as [1, 2]"
        )
    if not bad:
        return
    lines = listed(bad)
    if task.data.bad_rows == "stop":
        raise InputError(
            f"{where}: rows that are no examples of {name} ({len(bad)}):\n{lines}\nmend them, or "
            f"leave them out with {skip}"
        )
    typer.echo(f"{where}: {len(bad)} rows left out:\n{lines}", err=True)


def listed(bad: list[str]) -> str:
    """The first bad rows, a line each, and how many more there are."""
    lines = "\n".join(f"  {fault}" for fault in bad[:SHOWN])
    return lines if len(bad) <= SHOWN else f"{lines}\n  and {len(bad) - SHOWN} more"


def example_of(values: dict[str | int, Any], task: Task) -> dict[str, Any]:
    """The texts and the label of a row, the label as the number of its class or as the score.

    Raises:
        BadRow: a text is missing or is none, or the label is none of the task.
    """
    columns = task.data.columns
    example = {"text_a": _text(values, columns.text_a)}
    if columns.text_b is not None:
        example["text_b"] = _text(values, columns.text_b)
    label = values.get(columns.label)
    example["label"] = _score(label) if task.kind == "regression" else _class(label, task)
    return example


def _text(values: dict[str | int, Any], column: str | int) -> str:
    text = values.get(column)
    if fault := fault_of_text(text):
        raise BadRow(f"{fault} in column {column!r}")
    return text


def _score(label: Any) -> float:
    number = number_of(label)
    score = math.nan if number is None else float(number)
    if not math.isfinite(score):
        raise BadRow(f"the label {shown(label)} is no number")
    return score


def _class(label: Any, task: Task) -> float:
    names = task.label_names
    try:
        return float(class_number(label, names))
    except ValueError as fault:
        secret = ""
        if number_of(label) == NO_LABEL:
            secret = " (the Hub's sign for a label kept secret)"
        raise BadRow(f"{fault}{secret}; known are {', '.join(names)}") from None


def _hub_rows(name: str, split: str, task: Task) -> Iterator[Row]:
    import datasets  # slow to import, and most runs need no Hub

    data = task.data
    where = f"{PARAMETER_FILE}: `tasks.{name}.data`: {data.path} {data.name or ''}".rstrip()
    datasets.disable_progress_bars()
    try:
        table = datasets.load_dataset(data.path, data.name, revision=data.revision, split=split)
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
    columns = _columns(name, task)
    require_columns(columns, table.column_names, f"{data.path} ({split})")
    names = getattr(table.features[data.columns.label], "names", None)
    by_name = names is not None and isinstance(task.labels, list)
    if by_name and not _same_names(names, task.labels):
        raise InputError(
            f"{PARAMETER_FILE}: `tasks.{name}.labels` is {task.labels}, but {data.path} calls "
            f"them {names}; use these names"
        )
    wanted = table.select_columns(list(dict.fromkeys(columns.values()))).with_format("arrow")
    for number, (row, fault) in enumerate(arrow_rows(wanted.iter(BATCH))):
        if row is not None and by_name and row[data.columns.label] in range(len(names)):
            row[data.columns.label] = names[row[data.columns.label]]
        yield Row(f"row {number}", row, fault)


def _same_names(names: list[str], labels: list[str]) -> bool:
    try:
        return sorted(map(label_name, names)) == sorted(labels)
    except ValueError:  # a name of blanks alone
        return False


def _columns(name: str, task: Task) -> dict[str, str | int]:
    """The columns of a task, by the keys of the settings that name them."""
    return {
        f"{PARAMETER_FILE}: `tasks.{name}.data.columns.{key}`": column
        for key, column in task.data.columns.model_dump().items()
        if column is not None
    }


def _file_rows(name: str, file: str, task: Task) -> Iterator[Row]:
    named = f"{PARAMETER_FILE}: `tasks.{name}.data.splits`: "
    return file_rows(Path(file), _columns(name, task), named)
