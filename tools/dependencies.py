"""Which files of the project a stage's code runs, read from the source, and `dvc.yaml` told so.

`python -m tools.dependencies` renews the code lines of `dvc.yaml` after an import was added or
removed. A package stands as a whole where a stage runs all of it, or all but `SPARED` files of it;
otherwise its files stand one by one: so a stage hardly ever runs anew for code that it does not
run, and `dvc.lock`, which DVC rewrites after every stage, stays short. Files that hold
a docstring alone, or beside it imports of listed files, are not listed: they change no result.
"""

import ast
from functools import cache
from pathlib import Path

from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[1]
# Files of all rooms that a stage loads by their names (stages/core/verdicts/rooms.py).
GATHERED = {"findings": ("*/claims.py",), "report": ("*/page.py", "*/*_page.py", "*/head_facts.py")}
SPARED = 1  # files of a package that a stage may lack and list the package all the same
# A corpus is read by the module of its source; `${item.source}` in dvc.yaml stands for its name.
READERS = "stages/corpus/${item.source}.py"


def module_file(name: str) -> Path | None:
    """The file of a project module, relative to the root; None for other modules."""
    path = Path(*name.split("."))
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        if (ROOT / file).is_file():
            return file
    return None


@cache
def imports(file: Path) -> frozenset[Path]:
    """Files of the project that `file` imports itself, the packages around them included."""
    names: set[str] = set()
    for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    packages = {
        name.rsplit(".", depth)[0] for name in names for depth in range(name.count(".") + 1)
    }
    files = {module_file(name) for name in packages if name.split(".")[0] == "stages"}
    return frozenset(files - {None})


@cache
def runs_nothing(file: Path) -> bool:
    """Whether a module holds a docstring alone, or beside it only `import stages....`.

    What it imports is listed itself.
    """
    body = ast.parse((ROOT / file).read_text(encoding="utf-8")).body
    return all(
        all(alias.name.startswith("stages.") for alias in node.names)
        if isinstance(node, ast.Import)
        else isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for node in body
    )


def modules_in(folder: Path) -> set[Path]:
    """The files below a folder that run something, relative to the root."""
    files = {path.relative_to(ROOT) for path in (ROOT / folder).rglob("*.py")}
    return {file for file in files if not runs_nothing(file)}


def closure_of(files: set[Path]) -> set[Path]:
    """The files, and every file of the project that they import, directly or not."""
    found, fresh = set(), set(files)
    while fresh:
        found |= fresh
        fresh = set().union(*(imports(file) for file in fresh)) - found
    return found


def readers() -> list[Path]:
    """The modules of the sources of corpora: those of their room that have a function `read`."""
    room = (ROOT / READERS).parent
    return [
        file.relative_to(ROOT)
        for file in sorted(room.glob("[!_]*.py"))
        if "\ndef read(" in file.read_text(encoding="utf-8")
    ]


def closure(module: str) -> set[Path]:
    """Every file of the project that `python -m MODULE` runs, those left out that run nothing."""
    main = module_file(f"{module}.__main__") or module_file(module)
    assert main is not None, f"{module}: no such module"
    stage = module.rpartition(".")[2]
    # Python runs the packages around a module first.
    parts = module.split(".")
    around = {module_file(".".join(parts[:depth])) for depth in range(1, len(parts) + 1)}
    loaded = {
        file.relative_to(ROOT)
        for pattern in GATHERED.get(stage, ())
        for file in (ROOT / "stages").glob(pattern)
    }
    loaded |= {module_file(f"stages.{file.parts[1]}") for file in loaded}
    if stage == "corpus":
        loaded |= set(readers())
    found = closure_of({main, *around, *loaded} - {None})
    return {file for file in found if not runs_nothing(file)}


def listed(module: str) -> list[str]:
    """The code lines that stand for `closure(module)` in `dvc.yaml`."""
    needed = closure(module)
    by_source = set(readers()) if module == "stages.corpus" else set()
    lines = {READERS} if by_source else set()
    for file in needed - by_source:
        package = file.parent
        inside = modules_in(package)
        spared = len(inside - needed)
        whole = (
            package not in (Path("stages"), Path("stages/core"))
            and not by_source & inside
            and len(inside & needed) > 1 + spared
            and spared <= (SPARED if package.parts[1] == "core" else 0)
        )
        lines.add(str(package if whole else file))
    return sorted(lines)


def files_behind(lines: list[str]) -> set[Path]:
    """The Python files of the project that code lines of `dvc.yaml` stand for."""
    found: set[Path] = set()
    for line in lines:
        if line == READERS:
            found |= set(readers())
        elif (ROOT / line).is_dir():
            found |= modules_in(Path(line))
        else:
            found.add(Path(line))
    return found


def definition(stage: dict) -> dict:
    """What is run of a stage, also where it stands for each entry of a dictionary."""
    return stage.get("do", stage)


def stage_module(command: str) -> str:
    """The module that a stage's command runs: `python -m MODULE ...`."""
    words = command.split()
    return words[words.index("-m") + 1]


def renew(file: Path = ROOT / "dvc.yaml") -> None:
    """Rewrite the code lines of every stage's deps; data lines stay as they are."""
    yaml = YAML()
    yaml.width = 100
    pipeline = yaml.load(file)
    for stage in map(definition, pipeline["stages"].values()):
        data = [dep for dep in stage["deps"] if Path(dep).parts[0] != "stages"]
        stage["deps"][:] = data + listed(stage_module(stage["cmd"]))
    yaml.dump(pipeline, file)


if __name__ == "__main__":
    renew()
