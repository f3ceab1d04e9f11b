"""The lines of a file, plain or packed, and the JSON in them: every source is read by this."""

import gzip
import io
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple

import pyarrow as pa

from stages.core.stage.files import InputError
from stages.core.tasks.texts import HALF_FAULT

PACKED = (".gz", ".zst")
MOST_DIGITS = 4300  # of an integer, as Python reads them
# How files begin that are no text in UTF-8, and what is to be done.
BEGINNINGS = {
    b"\xff\xfe": "UTF-16; save it as UTF-8",
    b"\xfe\xff": "UTF-16; save it as UTF-8",
    b"\0\0\xfe\xff": "UTF-32; save it as UTF-8",
    b"\x1f\x8b": "packed by gzip; let its name end in .gz",
    b"\x28\xb5\x2f\xfd": "packed by Zstandard; let its name end in .zst",
    b"PK\x03\x04": "a ZIP archive, as spreadsheets are; save it as text in UTF-8",
}
# What to do with halves of surrogate pairs that stand in a file as bytes.
Halves = Literal["strict", "surrogatepass"]


class JsonLine(NamedTuple):
    """The object of a line, or why there is none."""

    number: int
    values: dict[str, Any] | None
    fault: str = ""


def ending_of(path: Path) -> str:
    """The end of a file's name that tells its format: `.tsv` of `a.tsv` and `A.TSV.gz`."""
    return Path(path.stem if path.suffix.lower() in PACKED else path.name).suffix.lower()


def numbered_lines(path: Path, halves: Halves = "strict") -> Iterator[tuple[int, str]]:
    """The lines of a file with their ends, counted from 1.

    Only a line feed ends a line, as texts may hold other separators. A byte order mark is dropped.

    Args:
        halves: `surrogatepass` lets halves of surrogate pairs through, for a caller that checks
            its rows one by one.

    Raises:
        InputError: there is no such file, it cannot be unpacked, is not UTF-8 or has NUL bytes, or
            its lines end in carriage returns alone.
    """
    number = 0  # of the last line that was read
    try:
        with _readable(path) as file:
            for number, line in enumerate(file, 1):
                if number == 1 and b"\r" in line and not line.endswith(b"\n"):
                    raise InputError(
                        f"{path}: its lines end in carriage returns alone; save it with line feeds"
                    )
                text = _decoded(line, path, number, halves)
                yield number, text.lstrip("\ufeff") if number == 1 else text
    except (OSError, EOFError, zlib.error) as error:
        raise _damaged(path, number, error) from None


def json_objects(path: Path) -> Iterator[JsonLine]:
    """The objects of a file that has one a line; empty lines are left out.

    Texts may hold halves of surrogate pairs: who takes one asks `fault_of_text`.

    Raises:
        InputError: as `numbered_lines`.
    """
    for number, line in numbered_lines(path, "surrogatepass"):
        if not line.strip():
            continue
        try:
            values = parse_json(line.rstrip("\r\n"))
        except ValueError as fault:
            yield JsonLine(number, None, str(fault))
            continue
        if isinstance(values, dict):
            yield JsonLine(number, values)
        else:
            yield JsonLine(number, None, "not a JSON object")


def json_document(path: Path) -> Any:
    """The value of a file that holds one.

    Raises:
        InputError: as `numbered_lines`, or the file is not JSON.
    """
    try:
        with _readable(path) as file:
            content = file.read()
    except (OSError, EOFError, zlib.error) as error:
        raise _damaged(path, 0, error) from None
    text = _decoded(content, path, 1, "surrogatepass").lstrip("\ufeff")
    try:
        return parse_json(text)
    except ValueError as fault:
        raise InputError(f"{path}: {fault}; mend it") from None


def parse_json(text: str) -> Any:
    """The value that a text is in JSON.

    Raises:
        ValueError: it is none; lists lie too deep in each other, an integer has too many digits,
            or an object has a key twice. The message says so.
    """
    try:
        return json.loads(text, object_pairs_hook=_object, parse_int=_integer)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise ValueError(f"not JSON ({error.msg}, {place}column {error.colno})") from None
    except RecursionError:
        raise ValueError("not JSON (lists or objects too deep in each other)") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} stands there twice")
    return values


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"an integer of {len(digits)} digits, {MOST_DIGITS} are read at most")
    return int(digits)


@contextmanager
def _readable(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked by the end of its name, once their beginning is that of text.

    Raises:
        InputError: there is no such file, or it is of another kind.
    """
    if not path.is_file():
        what = "no plain file" if path.exists() else f"no such file in {Path.cwd()}"
        raise InputError(f"{path}: {what}; mend the path")
    with _opened(path) as file:
        beginning = file.peek(8)
        for mark, kind in BEGINNINGS.items():
            if beginning.startswith(mark):
                raise InputError(f"{path}, line 1: not UTF-8, but {kind}")
        yield file


@contextmanager
def _opened(path: Path) -> Iterator[io.BufferedReader]:
    if path.suffix.lower() == ".zst":
        with pa.input_stream(str(path), compression="zstd") as packed:
            yield io.BufferedReader(packed)
    elif path.suffix.lower() == ".gz":
        with gzip.open(path) as packed:
            yield io.BufferedReader(packed)
    else:
        with path.open("rb") as file:
            yield file


def _decoded(content: bytes, path: Path, line: int, halves: Halves) -> str:
    """The text of bytes whose first line has the number `line`."""
    start, why = content.find(b"\0"), "a NUL byte, as UTF-16 has them"
    if start < 0:
        try:
            return content.decode("utf-8", halves)
        except UnicodeDecodeError as error:
            start, why = error.start, str(error)
            if _is_half(content, start):
                why = HALF_FAULT
    line += content.count(b"\n", 0, start)
    raise InputError(f"{path}, line {line}: not UTF-8 ({why}); save the file as UTF-8")


def _is_half(content: bytes, start: int) -> bool:
    return content[start : start + 1] == b"\xed" and content[start + 1 : start + 2] >= b"\xa0"


def _damaged(path: Path, line: int, error: Exception) -> InputError:
    what = "unpacked" if path.suffix.lower() in PACKED else "read"
    return InputError(f"{path}: cannot be {what} behind line {line} ({error}); copy it anew")
