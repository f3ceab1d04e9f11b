"""Examples from the Hub and from files, checked row by row before any of them is drawn."""

import csv
import itertools
import json
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import typer

from stages.core.stage.files import InputError
from stages.core.stage.settings import PARAMETER_FILE
from stages.core.tasks.examples import drawn_rows, examples_frame
from stages.core.tasks.task import Columns, Task

SPLITS = ("train", "validation")
SHOWN = 5  # bad rows named in a message
NO_LABEL = -1  # the Hub's label of rows whose label is kept secret


class Row(NamedTuple):
    """A row as its source has it: where it stands, and its values by column, or why it has none."""

    place: str  # as `row 12` or `line 13`
    values: dict[str | int, Any] | None
    fault: str = ""


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
        rows = list(_examples(name, split, where, reader(name, source, task), task))
        size = getattr(data, split)
        drawn = drawn_rows(len(rows), size, [data.seed, number])
        frames[split] = examples_frame([rows[row] for row in drawn])
    return frames


def _examples(
    name: str, split: str, where: str, rows: Iterable[Row], task: Task
) -> Iterator[dict[str, Any]]:
    bad = []
    for number, row in enumerate(rows):
        try:
            if row.values is None:
                raise BadRow(row.fault)
            yield {"id": f"{split}-{number}"} | _example(row.values, task)
        except BadRow as fault:
            bad.append(f"{row.place}: {fault}")
    if not bad:
        return
    shown = "\n".join(f"  {fault}" for fault in bad[:SHOWN])
    if len(bad) > SHOWN:
        shown += f"\n  and {len(bad) - SHOWN} more"
    if task.data.bad_rows == "stop":
        raise InputError(
            f"{where}: rows that are no examples of {name} ({len(bad)}):\n{shown}\nmend them, or "
            f"leave them out with `tasks.{name}.data.bad_rows: skip` in {PARAMETER_FILE}"
        )
    typer.echo(f"{where}: {len(bad)} rows left out:\n{shown}", err=True)


def _example(values: dict[str | int, Any], task: Task) -> dict[str, Any]:
    columns = task.data.columns
    example = {"text_a": _text(values, columns.text_a)}
    if columns.text_b is not None:
        example["text_b"] = _text(values, columns.text_b)
    label = values.get(columns.label)
    example["label"] = _score(label) if task.kind == "regression" else _class(label, task)
    return example


def _text(values: dict[str | int, Any], column: str | int) -> str:
    text = values.get(column)
    if not isinstance(text, str) or not text.strip():
        raise BadRow(f"missing text in column {column!r}")
    return text


def _score(label: Any) -> float:
    try:
        score = float(label)
    except (TypeError, ValueError):
        score = math.nan
    if not math.isfinite(score):
        raise BadRow(f"the label {label!r} is no number")
    return score


def _class(label: Any, task: Task) -> float:
    """The number of the class that is given by its name or, where names are words, its number."""
    names = task.label_names
    try:
        number = int(float(label)) if float(label).is_integer() else None
    except (TypeError, ValueError):
        number = None
    for spelling in (label, str(number)):
        if spelling in names:
            return float(names.index(spelling))
    if number in range(len(names)) and not any(name.isdigit() for name in names):
        return float(number)
    secret = " (the Hub's sign for a label kept secret)" if number == NO_LABEL else ""
    raise BadRow(f"unknown label {label!r}{secret}; known are {', '.join(names)}")


def _require(
    name: str, columns: Columns, present: list[Any], where: str, hint: str = "mend its spelling"
) -> None:
    for key, column in columns.model_dump().items():
        if column is not None and present.count(column) != 1:
            fault = "twice" if column in present else "not"
            raise InputError(
                f"{PARAMETER_FILE}: `tasks.{name}.data.columns.{key}` is {column!r}, which {where} "
                f"has {fault}; its columns are {present}; {hint}"
            )


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
    columns = data.columns
    _require(name, columns, table.column_names, f"{data.path} ({split})")
    names = getattr(table.features[columns.label], "names", None)
    by_name = names is not None and isinstance(task.labels, list)
    if by_name and set(names) != set(task.labels):
        raise InputError(
            f"{PARAMETER_FILE}: `tasks.{name}.labels` is {task.labels}, but {data.path} calls "
            f"them {names}; use these names"
        )
    wanted = [column for column in columns.model_dump().values() if column is not None]
    for number, row in enumerate(table.select_columns(wanted)):
        label = row[columns.label]
        if by_name and label in range(len(names)):
            row[columns.label] = names[label]
        yield Row(f"row {number}", row)


def _file_rows(name: str, file: str, task: Task) -> Iterator[Row]:
    path = Path(file)
    readers = {
        ".tsv": _tab_separated,
        ".csv": _comma_separated,
        ".jsonl": _json_lines,
        ".parquet": _parquet,
    }
    if path.suffix not in readers:
        raise InputError(
            f"{PARAMETER_FILE}: `tasks.{name}.data.splits`: {file} is none of {', '.join(readers)}"
        )
    if not path.is_file():
        raise InputError(
            f"{PARAMETER_FILE}: `tasks.{name}.data.splits`: no file {file} in {Path.cwd()}"
        )
    yield from readers[path.suffix](name, path, task.data.columns)


def _lines(path: Path) -> Iterator[str]:
    """Lines with their ends; only a line feed ends one, as texts may hold other separators."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{path}, line {number}: not UTF-8 ({error}); save the file as UTF-8"
                ) from None


def _tab_separated(name: str, path: Path, columns: Columns) -> Iterator[Row]:
    """Quotes mean themselves, as in GLUE's files."""
    lines = enumerate(_lines(path), 1)
    table = ((number, line.rstrip("\r\n").split("\t")) for number, line in lines)
    yield from _table(name, path, columns, ((n, cells) for n, cells in table if cells != [""]))


def _comma_separated(name: str, path: Path, columns: Columns) -> Iterator[Row]:
    reader = csv.reader(_lines(path), strict=True)
    try:
        yield from _table(name, path, columns, ((reader.line_num, row) for row in reader if row))
    except csv.Error as error:
        mend = "mend the quotes"
        if "field limit" in str(error):
            mend = "close the quote that begins there or, if a text is that long, cut it: an "
            mend += "encoder reads no more than its positions"
        raise InputError(f"{path}, line {reader.line_num}: {error}; {mend}") from None


def _table(
    name: str, path: Path, columns: Columns, table: Iterator[tuple[int, list[str]]]
) -> Iterator[Row]:
    """Rows of cells under a header line; without one where the columns are given as numbers."""
    given = [column for column in columns.model_dump().values() if column is not None]
    first = next(table, None)
    if first is None:
        raise InputError(f"{path}: the file is empty")
    if all(isinstance(column, int) for column in given):
        header: list[Any] = list(range(len(first[1])))
        table = itertools.chain([first], table)
    else:
        header = first[1]
    hint = (
        "mend its spelling or, if this is no header line, name columns by numbers: 0 is the first"
    )
    _require(name, columns, header, str(path), hint)
    for line, cells in table:
        if len(cells) == len(header):
            yield Row(f"line {line}", dict(zip(header, cells, strict=True)))
        else:
            yield Row(f"line {line}", None, f"{len(cells)} columns instead of {len(header)}")


def _json_lines(name: str, path: Path, columns: Columns) -> Iterator[Row]:
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        try:
            values = json.loads(line)
        except json.JSONDecodeError as error:
            yield Row(f"line {number}", None, f"not JSON ({error.msg})")
            continue
        except RecursionError:
            yield Row(f"line {number}", None, "not JSON (lists or objects too deep in each other)")
            continue
        if isinstance(values, dict):
            yield Row(f"line {number}", values)
        else:
            yield Row(f"line {number}", None, "not a JSON object")


def _parquet(name: str, path: Path, columns: Columns) -> Iterator[Row]:
    try:
        table = pq.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{path}: not a readable parquet file ({error}); write it anew") from None
    _require(name, columns, table.column_names, str(path))
    wanted = [column for column in columns.model_dump().values() if column is not None]
    for number, values in enumerate(table.select(wanted).to_pylist()):
        yield Row(f"row {number}", values)
