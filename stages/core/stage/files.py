"""Reading settings and writing results so that nothing half-written is ever taken for a result."""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from stages.core.stage.disk import is_full
from stages.core.stage.edited import edited, is_made, mend_made


class InputError(ValueError):
    """Bad input from the user: the message names the file, the key or row, and the mend.

    The file is the one that the user edits, whichever the stage has read (`edited`).
    """

    def __init__(self, message: str) -> None:
        super().__init__(edited(message))


def remove(path: Path) -> None:
    """Remove a file or a folder, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def atomic(path: str | Path) -> Iterator[Path]:
    """Yield a path beside `path` to write to (a file or a folder); rename it to `path` on success.

    After an error nothing stays; after a kill a `.partial` sibling does, which the next run
    replaces. What stands at `path` goes: of a place that a user names ask `targets.py` first.

    Raises:
        InputError: a file would replace a folder, or a folder a file.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")
    remove(partial)
    try:
        yield partial
        if path.exists() and path.is_dir() != partial.is_dir():
            kind = "folder" if path.is_dir() else "file"
            raise InputError(f"{path} is a {kind}, which stays; move it away")
        if path.is_dir():
            remove(path)
        os.replace(partial, path)
    except Exception as error:
        if is_full(error) and getattr(error, "filename", None) is None:  # as of most libraries
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path)) from error
        raise
    finally:
        remove(partial)


@lru_cache(maxsize=16)  # sections are read one by one, at a tenth of a second each
def _parsed(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(text)


def read_yaml(path: str | Path) -> Any:
    """Read a YAML 1.2 file, as DVC does (PyYAML would read 2e-5 as a string).

    Raises:
        InputError: the file is missing or is not YAML.
    """
    try:
        # A copy, as callers may change what they get.
        return deepcopy(_parsed(Path(path).read_text(encoding="utf-8")))
    except FileNotFoundError:
        fault = f"no such file in {Path.cwd()}"
    except UnicodeDecodeError as error:
        fault = f"not UTF-8 ({error}); save it as UTF-8"
    except RecursionError:
        fault = "its lists or mappings lie too deep in each other"
    except YAMLError as error:
        fault = f"not valid YAML: {error}"
    if is_made(path):
        raise InputError(f"`{path}`: {fault}; {mend_made(Path(path).parent)}")
    raise InputError(f"{path}: {fault}")
