"""Files of JSON lines, plain or packed."""

import gzip
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import pyarrow as pa

from stages.core.stage.files import InputError


@contextmanager
def opened(path: Path) -> Iterator[TextIO]:
    """A file of lines, unpacked by the end of its name: .gz, .zst or neither."""
    if path.suffix == ".zst":
        with pa.input_stream(str(path), compression="zstd") as packed:
            yield io.TextIOWrapper(packed, encoding="utf-8")
    elif path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8") as file:
            yield file
    else:
        with path.open(encoding="utf-8") as file:
            yield file


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a file, counted from 1.

    Raises:
        InputError: it cannot be unpacked, or is not in UTF-8.
    """
    number = 0  # of the last line that was read
    try:
        with opened(path) as lines:
            for number, line in enumerate(lines, 1):
                yield number, line
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}, behind line {number}: not in UTF-8 ({error}); write the file in UTF-8"
        ) from None
    except (OSError, EOFError) as error:
        raise InputError(
            f"{path}: cannot be unpacked behind line {number} ({error}); copy it anew"
        ) from None
