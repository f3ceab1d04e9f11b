"""Which files of the project a stage's code imports, read from the source (nothing is run)."""

import ast
import shutil
from functools import cache
from pathlib import Path

from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[1]


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


def closure(module: str) -> set[Path]:
    """Every file of the project that `python -m MODULE` runs."""
    main = module_file(f"{module}.__main__") or module_file(module)
    assert main is not None, f"{module}: no such module"
    found, fresh = set(), {main, module_file("stages"), module_file(module)}
    if main.name == "__main__.py":  # a package loads its own modules by name
        fresh |= {path.relative_to(ROOT) for path in (ROOT / main).parent.rglob("*.py")}
    while fresh:
        found |= fresh
        fresh = set().union(*(imports(file) for file in fresh)) - found
    return found


def dependency(module: Path) -> Path:
    """The dep that stands for a module: its package, as a whole, or the module itself.

    A line a module would make `dvc.lock` so long that DVC, which rewrites it after every stage,
    takes seconds for it.
    """
    return Path(*module.parts[: 3 if module.parts[1] == "core" else 2])


def stage_module(command: str) -> str:
    """The module that a stage's command runs: `python -m MODULE ...`."""
    words = command.split()
    return words[words.index("-m") + 1]


def renew(file: Path = ROOT / "dvc.yaml") -> None:
    """Rewrite the code lines of every stage's deps, then the copies in the configurations.

    Data lines stay as they are. The copies are files because DVC cannot read a link in git's
    history, and would then compare nothing with an earlier commit.
    """
    yaml = YAML()
    yaml.width = 100
    pipeline = yaml.load(file)
    for stage in pipeline["stages"].values():
        data = [dep for dep in stage["deps"] if Path(dep).parts[0] != "stages"]
        code = {dependency(module) for module in closure(stage_module(stage["cmd"]))}
        stage["deps"][:] = data + sorted(map(str, code))
    yaml.dump(pipeline, file)
    for parameters in file.parent.glob("configurations/*/params.yaml"):
        shutil.copyfile(file, parameters.with_name("dvc.yaml"))


if __name__ == "__main__":
    renew()
