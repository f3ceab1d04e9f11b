"""Finished runs of a stage that makes several, kept for when it makes them anew.

DVC removes the outs of a stage before it runs. So that one more run does not cost all the others
again, each finished run stays in the folder of its states (`stages.core.scratch`), which no stage
lists, and its files are linked into the outs, where DVC puts copies of its own in their place.
(Outs with `persist` would stay by themselves, but DVC would never take them from its cache.)
"""

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from stages.core.runtime.runtime import Runtime, find_device
from stages.core.scratch import fingerprint
from stages.core.stage.files import atomic, remove

FOLDER, RECORD = "finished", "finished.json"


def run_folder(runs: Path, identity: Any, files: Iterable[Path], runtime: Runtime) -> Path:
    """Where the states and results of a run lie: a folder named by all that these depend on.

    Args:
        runs: the run's folder, of which others, of other settings, are removed by `open_scratch`.
        identity: the settings.
        files: what the run reads, and the code that it runs.
    """
    versions = [version(name) for name in ("torch", "transformers", "tokenizers", "numpy")]
    place = find_device(runtime.device).type
    return runs / fingerprint([identity, place, versions], files)


def files_in(folder: Path) -> list[Path]:
    """The files of a folder, as of a model with its tokenizer."""
    return sorted(path for path in folder.iterdir() if path.is_file())


def is_finished(run: Path) -> bool:
    """Whether a run was finished, and what it wrote is still there, byte for byte.

    Args:
        run: folder of the run's states, named by the run's fingerprint.
    """
    try:
        record = json.loads((run / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return record == _contents(run / FOLDER)


@contextmanager
def finishing(run: Path) -> Iterator[Path]:
    """Yield a folder for the results of a run; on success they replace the run's states."""
    (run / RECORD).unlink(missing_ok=True)
    with atomic(run / FOLDER) as folder:
        folder.mkdir()
        yield folder
    with atomic(run / RECORD) as partial:
        partial.write_text(json.dumps(_contents(run / FOLDER)), encoding="utf-8")
    for other in run.iterdir():
        if other.name not in (FOLDER, RECORD):
            remove(other)


def result(run: Path, *parts: str) -> Path:
    """The place of a result of a finished run."""
    return (run / FOLDER).joinpath(*parts)


def publish(source: Path, target: Path) -> None:
    """Put a result, a folder, to its place among the outs, as links where that is possible."""
    with atomic(target) as partial:
        shutil.copytree(source, partial, copy_function=_link_or_copy)


def forget_others(runs: Path, keys: Iterable[str]) -> None:
    """Remove what is kept of runs that are not made any more.

    Args:
        runs: holds one folder a run.
        keys: names of the runs that stay.
    """
    for other in set(runs.glob("*")) - {runs / key for key in keys}:
        remove(other)


def _contents(folder: Path) -> dict[str, str]:
    """The fingerprint of every file."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): fingerprint(None, [path]) for path in files}


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # a file system without links, or another one
        shutil.copy2(source, target)
