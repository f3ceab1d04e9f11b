"""The sums of the source files that each stage runs, and which these are.

`dvc.yaml` names for every stage one file of sums in place of the dozens of files that it runs: a
stage runs anew when a file changes that it runs, and for no other, and `dvc.lock`, which DVC reads
and writes whole after every stage, stays short.
"""

import hashlib
import json
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path

from stages.core.closure import CORPUS, ROOT, closure, commands, runs_nothing, sources
from stages.core.code_files import FILES, sums_file
from stages.core.stage.files import atomic


def run_stage() -> None:
    """Write a file of sums for each stage (a corpus has one for its source), and which files."""
    files = run_files()
    for name, own in files.items():
        with atomic(sums_file(name)) as partial:
            partial.write_text(sums(own), encoding="utf-8")
    with atomic(FILES) as partial:
        paths = {name: [path.as_posix() for path in folded(own)] for name, own in files.items()}
        partial.write_text(json.dumps(paths, indent=1) + "\n", encoding="utf-8")


def run_files() -> dict[str, list[Path]]:
    """The files that each stage runs or reads of its packages, relative to the root, in order.

    A stage `stages.finetune.readers` is named `finetune.readers`, a corpus `corpus-SOURCE`.
    """
    found = {_name(module): closure(module) for module in commands() if module != CORPUS} | {
        f"{_name(CORPUS)}-{source}": closure(CORPUS, source) for source in sources()
    }
    beside = other_files()
    return {
        name: sorted(files.union(*(beside.get(file.parent, []) for file in files)))
        for name, files in found.items()
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


def _name(module: str) -> str:
    return module.removeprefix("stages.")
