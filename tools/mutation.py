"""Would the tests notice a wrong number? Single changes of the code, each with its tests run on it.

    pip install -r tools/requirements-mutation.txt
    python -m tools.mutation draw
    python -m tools.mutation run
    python -m tools.mutation survivors

Cosmic Ray makes the changes (an operator, a comparison, a number, a condition) in clones below
`.mutation`, so that nothing here changes. Only code that measures, chooses, trains or judges is
changed. A change is noticed if a test fails of its room or of those that import the changed module;
tests that run whole stages, DVC or a browser take no part.
"""

import json
import random
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm

from stages.core.stage.command import stage_command
from stages.core.stage.targets import target_folder
from tools.repository import clone_to

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".mutation"
CONFIG, SESSION = "mutation.toml", "session.sqlite"
TIMEOUT = 600  # seconds of the tests of one change; a change may make a loop endless
# What shows, reads, writes or starts something; what it does wrong is no wrong number.
LEFT_OUT = (
    "stages/core/pages/*",
    "stages/core/runtime/*",
    "stages/core/stage/*",
    "stages/core/written.py",
    "stages/core/corpora/*",
    "stages/core/scratch.py",
    "stages/core/finished.py",
    "stages/core/fan_out.py",
    "stages/core/checkpoint_source.py",
    "stages/corpus/*",
    "stages/report/*",
    "stages/prepare/*",
    "stages/api.py",
    "stages/tagger/stage.py",
    "*page.py",
    "*tables.py",
    "*__init__.py",
    "*__main__.py",
    "*/command.py",
)
# `|` stands in annotations alone.
UNUSED_OPERATORS = ("ReplaceBinaryOperator_BitOr",)
# Tests that prove what a user sees of a whole run.
WITHOUT = ("tests/integration", "tests/browser", "tests/benchmarks")

app = typer.Typer(add_completion=False, help=__doc__)


def modules(root: Path = ROOT) -> list[Path]:
    """The modules that are changed, relative to the repository."""
    found = (path.relative_to(root) for path in sorted(root.glob("stages/**/*.py")))
    return [path for path in found if not any(path.match(part) for part in LEFT_OUT)]


def chosen_tests(module: Path, root: Path = ROOT) -> list[str]:
    """The tests that are run on a change of `module`: of its room, and all that import it.

    Where none imports a module of core, those of the modules that import it.
    """
    parts = module.with_suffix("").parts
    room = Path("tests", *parts[1:-1])
    alone = Path("tests", *parts[1:-1], f"test_{parts[-1]}.py")
    own = alone if len(parts) == 2 or parts[1:-1] == ("core",) else room
    chosen = [own.as_posix()] if (root / own).exists() else []
    importing = _importing(module, "tests/**/test_*.py", root)
    for path in importing:
        if not any(path.startswith(f"{folder}/") for folder in [*chosen, *WITHOUT]):
            chosen += [] if path in chosen else [path]
    if not chosen or (parts[1] == "core" and not importing):
        users = map(Path, _importing(module, "stages/**/*.py", root))
        chosen = sorted({*chosen, *(test for user in users for test in chosen_tests(user, root))})
    return chosen


def _importing(module: Path, pattern: str, root: Path) -> list[str]:
    """The files that import a module, relative to `root`."""
    *package, name = module.with_suffix("").parts
    statements = (f"{'.'.join([*package, name])} import", f"from {'.'.join(package)} import {name}")
    return [
        path.relative_to(root).as_posix()
        for path in sorted(root.glob(pattern))
        if any(statement in path.read_text(encoding="utf-8") for statement in statements)
    ]


def drawn(sites: Iterable[tuple], count: int, seed: int) -> list[tuple]:
    """Some places, and at each of them one of the changes that could be made there.

    Args:
        sites: (place, change), in an order that is the same each time.
    """
    by_place = defaultdict(list)
    for place, change in sites:
        by_place[place].append(change)
    generator = random.Random(seed)
    places = generator.sample(sorted(by_place), min(count, len(by_place)))
    return [(place, generator.choice(by_place[place])) for place in places]


@app.command()
def draw(
    count: Annotated[int, typer.Option(help="changes")] = 300,
    seed: Annotated[int, typer.Option(help="of the draw")] = 0,
    processes: Annotated[int, typer.Option(help="clones, whose tests run side by side")] = 2,
) -> None:
    """Draw changes of the committed code, and make clones to try them in."""
    target_folder(FOLDER, "draw of changes")  # one that is there took hours to try
    from cosmic_ray.commands import init
    from cosmic_ray.work_db import WorkDB, use_db

    clones = [FOLDER / str(number) for number in range(processes)]
    for place in clones:
        clone_to(ROOT, place)
    with use_db(FOLDER / "all.sqlite", WorkDB.Mode.create) as every:
        init([clones[0] / path for path in modules()], every, {})
        items = {item.job_id: item for item in every.work_items}
    sites = []
    for name, item in items.items():
        (change,) = item.mutations
        if not change.operator_name.split("/")[-1].startswith(UNUSED_OPERATORS):
            path = change.module_path.relative_to(clones[0]).as_posix()
            sites.append(((path, *change.start_pos), (change.operator_name, name)))
    chosen = drawn(sorted(sites), count, seed)
    for number, clone in enumerate(clones):
        with use_db(clone / SESSION, WorkDB.Mode.create) as session:
            for (path, *_), (_, name) in chosen[number::processes]:
                session.add_work_item(_in_folder(items[name], Path(path)))
        (clone / CONFIG).write_text(_config(), encoding="utf-8")
    typer.echo(f"{len(chosen)} changes of {len(sites)} in {len(modules())} modules")


def _in_folder(item, path: Path):
    """The work item with a path that is relative to its clone."""
    from attrs import evolve

    (change,) = item.mutations
    return evolve(item, mutations=(evolve(change, module_path=path),))


def _config() -> str:
    settings = {
        "module-path": "stages",
        "timeout": float(TIMEOUT),
        "excluded-modules": [],
        "test-command": f"{sys.executable} -m tools.mutation test",
    }
    lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
    return "\n".join(["[cosmic-ray]", *lines, "[cosmic-ray.distributor]", 'name = "local"', ""])


@app.command()
def run() -> None:
    """Make every change that was not tried yet, and run its tests; may be stopped at any time."""
    clones = _clones()
    command = [sys.executable, "-m", "cosmic_ray.cli", "exec", CONFIG, SESSION]
    running = [subprocess.Popen(command, cwd=clone, stdout=subprocess.DEVNULL) for clone in clones]
    total = sum(len(_tried(clone)[1]) for clone in clones)
    with tqdm(total=total, unit="change") as bar:
        while any(process.poll() is None for process in running):
            bar.update(sum(len(_tried(clone)[0]) for clone in clones) - bar.n)
            time.sleep(5)
        bar.update(sum(len(_tried(clone)[0]) for clone in clones) - bar.n)
    if any(process.returncode for process in running):
        raise SystemExit("cosmic-ray failed; run `cosmic-ray exec` in a clone to see why")


@app.command()
def survivors() -> None:
    """Say how many changes the tests noticed, and show those that they did not."""
    noticed, unnoticed = 0, []
    for clone in _clones():
        results, items = _tried(clone)
        for name, result in results.items():
            if result.is_killed:
                noticed += 1
            else:
                unnoticed.append((items[name].mutations[0], result.diff))
    for change, diff in sorted(unnoticed, key=lambda pair: str(pair[0].module_path)):
        typer.echo(f"{change.module_path}:{change.start_pos[0]} {change.operator_name}\n{diff}\n")
    tried = noticed + len(unnoticed)
    share = f", {noticed / tried:.0%}" if tried else ""
    typer.echo(f"{noticed} of {tried} changes noticed{share}")


def _clones() -> list[Path]:
    clones = sorted(path.parent for path in FOLDER.glob(f"*/{SESSION}"))
    if not clones:
        raise typer.BadParameter("no changes were drawn; run `python -m tools.mutation draw` first")
    return clones


def _tried(clone: Path) -> tuple[dict, dict]:
    """The results so far and all changes of a clone, by name."""
    from cosmic_ray.work_db import WorkDB, use_db

    with use_db(clone / SESSION, WorkDB.Mode.open) as session:
        return dict(session.results), {item.job_id: item for item in session.work_items}


@app.command()
def test() -> None:
    """Run the tests of what was changed in this folder since the last commit."""
    command = ["git", "diff", "--name-only", "--", "stages"]
    changed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    tests = sorted({test for path in changed for test in chosen_tests(Path(path), Path())})
    if changed and not tests:
        raise SystemExit(0)  # nothing tests it: not noticed
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *tests]
    )
    raise SystemExit(done.returncode)


if __name__ == "__main__":
    stage_command(app)
