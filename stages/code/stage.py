"""The sums of the source files that each stage runs, and which these are.

A stage depends on one file of sums in place of the dozens of files that it runs. It runs anew when
a file changes that it runs, and for no other. `dvc.lock`, which DVC writes whole after every stage,
stays short.
"""

import hashlib
import json
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path

from stages.core.closure import (
    CORPUS,
    ROOT,
    runs_nothing,
    sources,
    stage_closure,
    stages_with_code,
)
from stages.core.stage.files import atomic
from stages.core.stage.places import CODE, CODE_FILES


def run_stage() -> None:
    """Write the sums of the source files that each stage runs to work/code, and which these are."""
    with atomic(CODE) as folder:
        folder.mkdir()
        for name, text in contents().items():
            (folder / name).write_text(text, encoding="utf-8")


def contents() -> dict[str, str]:
    """The text of each file of `work/code`, by its name."""
    files = run_files()
    listed = {name: [path.as_posix() for path in folded(paths)] for name, paths in files.items()}
    return {f"{name}.txt": sums(paths) for name, paths in files.items()} | {
        CODE_FILES.name: json.dumps(listed, indent=1) + "\n"
    }


def run_files() -> dict[str, list[Path]]:
    """The files that each stage runs or reads of its packages, relative to the root, in order.

    A stage has its name in `dvc.yaml`; one of a corpus is named `corpus-SOURCE`.
    """
    run = {name: stage_closure(name) for name in stages_with_code() if name != CORPUS} | {
        f"{CORPUS}-{source}": stage_closure(CORPUS, source) for source in sources()
    }
    others = other_files()
    return {
        name: sorted(files.union(*(others.get(file.parent, []) for file in files)))
        for name, files in run.items()
    }


def folded(files: Collection[Path]) -> list[Path]:
    """The same files, a folder in place of those of a package that is among them as a whole."""
    own = {file for file in files if file.suffix == ".py"}
    whole = {
        package
        for package in {file.parent for file in own}
        if len(_modules_in(package)) > 1 and _modules_in(package) <= own
    }
    return sorted({file.parent if file.parent in whole else file for file in own})


@cache
def _modules_in(package: Path) -> frozenset[Path]:
    """The files below a folder that run something, relative to the root."""
    files = {path.relative_to(ROOT) for path in (ROOT / package).rglob("*.py")}
    return frozenset(file for file in files if not runs_nothing(file))


def other_files() -> dict[Path, list[Path]]:
    """Files of packages that are no Python, as templates, by the nearest folder that has Python."""
    found: dict[Path, list[Path]] = {}
    for file in sorted((ROOT / "stages").rglob("[!.]*")):
        path = file.relative_to(ROOT)
        if file.is_file() and path.suffix not in (".py", ".pyc"):
            package = next(folder for folder in path.parents if any((ROOT / folder).glob("*.py")))
            found.setdefault(package, []).append(path)
    return found


def sums(files: Iterable[Path]) -> str:
    """A line a file, as `md5sum` prints and checks it."""
    return "".join(
        f"{hashlib.md5((ROOT / file).read_bytes()).hexdigest()}  {file.as_posix()}\n"
        for file in files
    )
