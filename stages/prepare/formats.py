"""Rows of the files that a user may name: .tsv, .csv, .jsonl (packed or not) and .parquet."""

import csv
import itertools
import math
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import typer

from stages.core.arrow_rows import arrow_rows
from stages.core.lines import ending_of, json_objects, numbered_lines
from stages.core.stage.files import InputError

# By what messages call them (an option, a key of the settings): names, or numbers from 0.
Columns = Mapping[str, str | int]
Cells = Iterator[tuple[int, list[str]]]  # of a line, after its number
BATCH = 1000  # rows of a parquet file at a time
MOST_ROWS = 20_000_000  # of a parquet file, in which many rows may be few bytes
QUOTED = re.compile(r'"(?:[^"]|"")*"')
INNER_RETURN = re.compile(r"\r(?!\r*$)")  # none of those that stand before the line feed
SEPARATORS = {";": "semicolons", "\t": "tabs", ",": "commas", "|": "bars"}


class Row(NamedTuple):
    """A row as its source has it: where it stands, and its values by column, or why it has none."""

    place: str  # as `row 12` or `line 13`
    values: dict[str | int, Any] | None
    fault: str = ""


def file_rows(path: Path, columns: Columns, named: str = "") -> Iterator[Row]:
    """Yield every row of a file, in order; lines without anything are none.

    Args:
        columns: those that are asked for; numbers if the file has no header line.
        named: what comes before the path in the message that there is no such file.

    Raises:
        InputError: there is no such file or column, or the file is damaged or of another kind.
    """
    reader = _reader(path, named)
    yield from reader(path, columns)


def columns_of(path: Path) -> list[str]:
    """The columns of a file as its first row has them.

    Raises:
        InputError: there is no such file, it is empty, damaged or of another kind.
    """
    _reader(path, "")
    ending = ending_of(path)
    if ending == ".parquet":
        return _table(path).schema_arrow.names
    if ending == ".jsonl":
        return next((list(line.values) for line in json_objects(path) if line.values), [])
    cells = _tab_cells(path) if ending == ".tsv" else _quoted_cells(path, ",")
    return _first(cells, path)[1]


def rows_by_header(path: Path) -> int | None:
    """How many rows a parquet file has; None of other files, which do not say.

    Raises:
        InputError: the file is missing or damaged.
    """
    if ending_of(path) != ".parquet" or not path.is_file():
        return None
    return _table(path).metadata.num_rows


def require_columns(columns: Columns, present: list[Any], where: str, hint: str = "") -> None:
    """Refuse columns that a source does not have once.

    Raises:
        InputError: names the first of them, the columns that are there and the mend.
    """
    for name, column in columns.items():
        if present.count(column) != 1:
            fault = "twice" if column in present else "not"
            raise InputError(
                f"{name} is {column!r}, which {where} has {fault}; its columns are {present}; "
                f"{hint or 'mend its spelling'}"
            )


def _reader(path: Path, named: str) -> Callable[[Path, Columns], Iterator[Row]]:
    readers = {
        ".tsv": lambda path, columns: _rows(path, columns, _tab_cells(path)),
        ".csv": lambda path, columns: _rows(path, columns, _quoted_cells(path, ",")),
        ".jsonl": _json_rows,
        ".parquet": _parquet_rows,
    }
    if ending_of(path) not in readers:
        raise InputError(f"{named}{path} is none of {', '.join(readers)}")
    if not path.is_file():
        raise InputError(f"{named}no file {path} in {Path.cwd()}")
    return readers[ending_of(path)]


def _tab_cells(path: Path) -> Cells:
    """Quotes mean themselves, as in GLUE's files; warns of cells that keep the quoting of CSV.

    Raises:
        InputError: quotes hold line feeds or tabs, so that texts would be cut there.
    """
    quoted = width = wrong = cut = 0  # cut: the first line that seems to be
    for number, line in numbered_lines(path, "surrogatepass"):
        cells = line.rstrip("\r\n").split("\t")
        if cells == [""]:
            continue
        width = width or len(cells)
        wrong += len(cells) != width
        if '"' in line:
            if not cut and len(cells) != width and any(map(_half_quoted, cells)):
                cut = number
            marked = [cell for cell in cells if QUOTED.fullmatch(cell)]
            # One quoted text alone may be a quotation; doubled quotes in it are CSV's.
            quoted += len(marked) if marked == cells else sum('""' in c[1:-1] for c in marked)
        yield number, cells
    if cut and _wrong_if_quoted(path, width) < wrong:
        raise InputError(
            f"{path}, line {cut}: it looks like the quoting of CSV with line feeds or tabs in a "
            "cell, which a .tsv has not; save the file as .csv, with commas"
        )
    if quoted:
        typer.secho(
            f"warning: {path}: {quoted} cells keep the quoting of CSV: they begin and end with a "
            "quote, and quotes in them are doubled. A .tsv has no quoting, so these quotes stay "
            "in the texts; save the file as .csv, with commas, or without quoting",
            fg="yellow",
            err=True,
        )


def _half_quoted(cell: str) -> bool:
    return cell.count('"') % 2 == 1 and (cell.startswith('"') or cell.endswith('"'))


def _wrong_if_quoted(path: Path, width: int) -> float:
    """How many rows have not `width` cells where quotes are those of CSV; infinity if none are."""
    try:
        return sum(len(cells) != width for _, cells in _quoted_cells(path, "\t"))
    except InputError:
        return math.inf


def _quoted_cells(path: Path, separator: str) -> Cells:
    # The module csv takes a carriage return for the end of a line; no line has a NUL.
    lines = numbered_lines(path, "surrogatepass")
    reader = csv.reader(
        (INNER_RETURN.sub("\0", line) for _, line in lines), delimiter=separator, strict=True
    )
    try:
        for cells in reader:
            if cells:
                yield reader.line_num, [cell.replace("\0", "\r") for cell in cells]
    except csv.Error as error:
        mend = "mend the quotes"
        if "field limit" in str(error):
            mend = "close the quote that begins there or, if a text is that long, cut it: an "
            mend += "encoder reads no more than its positions"
        raise InputError(f"{path}, line {reader.line_num}: {error}; {mend}") from None


def _rows(path: Path, columns: Columns, table: Cells) -> Iterator[Row]:
    """Rows of cells under a header line; without one where the columns are given as numbers."""
    first = _first(table, path)
    header: list[Any] = first[1]
    if all(isinstance(column, int) for column in columns.values()):
        header = list(range(len(first[1])))
        table = itertools.chain([first], table)
    require_columns(columns, header, str(path), _hint(path, first[1]))
    for line, cells in table:
        if len(cells) == len(header):
            yield Row(f"line {line}", dict(zip(header, cells, strict=True)))
        else:
            yield Row(f"line {line}", None, f"{len(cells)} columns instead of {len(header)}")


def _first(table: Cells, path: Path) -> tuple[int, list[str]]:
    first = next(table, None)
    if first is None:
        raise InputError(f"{path}: the file is empty")
    return first


def _hint(path: Path, first: list[str]) -> str:
    """What to do where a column is not in the first line."""
    between = {".tsv": "\t", ".csv": ","}[ending_of(path)]
    if len(first) == 1:
        for separator, name in SEPARATORS.items():
            if separator in first[0]:
                wanted = SEPARATORS[between]
                return f"{name} stand between its cells; save it with {wanted} between them"
    if any(QUOTED.fullmatch(cell) for cell in first) and between == "\t":
        return "its cells keep the quoting of CSV; save it as .csv, with commas, or without quoting"
    return (
        "mend its spelling or, if this is no header line, name columns by numbers: 0 is the first"
    )


def _json_rows(path: Path, columns: Columns) -> Iterator[Row]:
    first: list[str] = []
    unseen = set(columns.values())
    for line in json_objects(path):
        if line.values is not None:
            first = first or list(line.values)
            unseen -= line.values.keys()
        yield Row(f"line {line.number}", line.values, line.fault)
    if first and unseen:
        hint = "mend its spelling; numbers name columns of .tsv and .csv alone"
        lacking = {name: column for name, column in columns.items() if column in unseen}
        require_columns(lacking, first, str(path), hint)


def _table(path: Path) -> pq.ParquetFile:
    try:
        table = pq.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, error) from None
    if (rows := table.metadata.num_rows) > MOST_ROWS:
        raise InputError(f"{path}: {rows} rows, {MOST_ROWS} are read at most; write fewer rows")
    return table


def _parquet_rows(path: Path, columns: Columns) -> Iterator[Row]:
    table = _table(path)
    require_columns(columns, table.schema_arrow.names, str(path))
    wanted = list(dict.fromkeys(columns.values()))
    try:
        batches = (batch.select(wanted) for batch in table.iter_batches(BATCH, columns=wanted))
        for number, (values, fault) in enumerate(arrow_rows(batches)):
            yield Row(f"row {number}", values, fault)
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: Exception) -> InputError:
    return InputError(f"{path}: not a readable parquet file ({error}); write it anew")
