"""Saved states of a run that may be killed, outside what DVC deletes before a run."""

import ast
import hashlib
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from stages.core.stage.files import remove

COMPLETE = "complete"  # a file in a saved state, written after all others


def fingerprint(identity: Any, files: Iterable[Path]) -> str:
    """A short name for everything that a run's result depends on: settings and files' contents.

    Of Python's files what runs counts: comments, docstrings and line breaks may change.
    """
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode())
    for path in files:
        if path.suffix == ".py":
            runs = _what_runs(path.read_text(encoding="utf-8"))
            digest.update(hashlib.sha256(runs.encode()).digest())
            continue
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]


@cache
def _what_runs(source: str) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        match node:
            case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                if ast.get_docstring(node, clean=False) is not None:
                    del node.body[0]
    return ast.dump(tree)


def open_scratch(scratch: Path) -> None:
    """Make the folder for a run's states, named by the run's fingerprint in a folder of the run.

    States of the same run under other settings, and states that a kill cut short, are removed.
    """
    for other in scratch.parent.glob("*"):
        if other != scratch:
            remove(other)
    for state in scratch.glob("checkpoint-*"):
        if not (state / COMPLETE).exists():
            remove(state)
    scratch.mkdir(parents=True, exist_ok=True)


def mark_complete(scratch: Path, step: int) -> None:
    """Mark the state of `step` as written to its end."""
    (scratch / f"checkpoint-{step}" / COMPLETE).touch()


def last_state(scratch: Path) -> Path | None:
    """The newest state that was written to its end."""
    states = [path.parent for path in scratch.glob(f"checkpoint-*/{COMPLETE}")]
    return max(states, key=lambda path: int(path.name.split("-")[1]), default=None)
