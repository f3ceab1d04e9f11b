"""The files of the project that a stage's command runs, read from their imports.

Files that hold a docstring alone, or beside it only imports of the project, are left out: they
change no result, and what they import is found by itself.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from stages.core.stage.files import InputError

ROOT = Path(__file__).parents[2]
# Files of all rooms that a stage loads by their names (stages/core/verdicts/rooms.py).
GATHERED = {"findings": ("*/claims.py",), "report": ("*/page.py", "*/*_page.py", "*/head_facts.py")}
CORPUS = "stages.corpus"  # loads the module of a corpus' source by its name, and no other's
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")  # of a statement
NO_STAGES = ("stages.code", "stages.view")  # commands on whose code no stage's result depends


def commands() -> list[str]:
    """The modules that stages run, as `stages.finetune.readers`."""
    files = sorted((ROOT / "stages").rglob("__main__.py"))
    modules = [".".join(file.relative_to(ROOT).parent.parts) for file in files]
    return [module for module in modules if module not in NO_STAGES]


def sources() -> dict[str, Path]:
    """The modules that read corpora, by the name of their source: those with a function `read`."""
    return {
        file.stem: file.relative_to(ROOT)
        for file in sorted((ROOT / CORPUS.replace(".", "/")).glob("[!_]*.py"))
        if file.stem != "stage" and "\ndef read(" in file.read_text(encoding="utf-8")
    }


def closure(module: str, source: str | None = None) -> set[Path]:
    """Every file that `python -m MODULE` runs, relative to the root.

    Args:
        source: of a corpus, whose module is then among them; None for no corpus' own.
    """
    main = module_file(f"{module}.__main__") or module_file(module)
    assert main is not None, f"{module}: no such module"
    # Python runs the packages around a module first.
    parts = module.split(".")
    around = {module_file(".".join(parts[:depth])) for depth in range(1, len(parts) + 1)}
    loaded = {
        file.relative_to(ROOT)
        for pattern in GATHERED.get(module.rpartition(".")[2], ())
        for file in (ROOT / "stages").glob(pattern)
    }
    loaded |= {module_file(f"stages.{file.parts[1]}") for file in loaded}
    if source is not None:
        loaded.add(sources()[source])
    found = _with_imports({main, *around, *loaded} - {None})
    return {file for file in found if not runs_nothing(file)}


def code_run_by(module: str) -> list[Path]:
    """The files that a module of a stage runs: kept results of other code are void.

    Args:
        module: as its `__name__`.
    """
    return sorted(ROOT / file for file in closure(module))


def module_file(name: str) -> Path | None:
    """The file of a project module, relative to the root; None for other modules."""
    path = Path(*name.split("."))
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        if (ROOT / file).is_file():
            return file
    return None


@cache
def imports(file: Path) -> frozenset[Path]:
    """Files of the project that `file` imports itself, the packages around them included.

    Raises:
        InputError: `file` is no Python, or imports relative to itself.
    """
    names: set[str] = set()
    for node in _import_statements(_tree(file)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif node.module is None or node.level:
            raise InputError(
                f"{file}, line {node.lineno}: a relative import; name the module in full, "
                "as `from stages.core...`"
            )
        else:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    packages = {
        name.rsplit(".", depth)[0] for name in names for depth in range(name.count(".") + 1)
    }
    files = {module_file(name) for name in packages if name.split(".")[0] == "stages"}
    return frozenset(files - {None})


@cache
def runs_nothing(file: Path) -> bool:
    """Whether a module holds a docstring alone, or beside it only `import stages....`."""
    return all(
        all(alias.name.startswith("stages.") for alias in node.names)
        if isinstance(node, ast.Import)
        else isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for node in _tree(file).body
    )


@cache
def _tree(file: Path) -> ast.Module:
    try:
        return ast.parse((ROOT / file).read_text(encoding="utf-8"))
    except SyntaxError as error:
        raise InputError(f"{file}, line {error.lineno}: no Python ({error.msg}); mend it") from None


def _import_statements(block: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Those of a block and the blocks in it. Expressions, most of any tree, hold none."""
    for name in BLOCKS:
        for node in getattr(block, name, ()):
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield node
            else:
                yield from _import_statements(node)


def _with_imports(files: set[Path]) -> set[Path]:
    """The files, and every file of the project that they import, directly or not."""
    found, fresh = set(), set(files)
    while fresh:
        found |= fresh
        fresh = set().union(*(imports(file) for file in fresh)) - found
    return found
