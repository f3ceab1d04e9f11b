"""The files of the project that a stage runs, read from their imports.

Files that hold a docstring alone, or beside it only imports of the project, are left out: they
change no result, and what they import is found by itself.
"""

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from stages.core.stage.command import COMMAND_FILE, ROOT, stage_files
from stages.core.stage.files import InputError

MAIN = Path("stages/__main__.py")
# Files of all rooms that a stage loads by their names (stages/core/verdicts/rooms.py).
GATHERED = {"findings": ("*/claims.py",), "report": ("*/page.py", "*/*_page.py", "*/head_facts.py")}
CORPUS = "corpus"  # the stage that loads the module of a corpus' source by its name
CODE = "code"  # the stage that sums the code of the others
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")  # of a statement


def stages_with_code() -> list[str]:
    """The stages whose results depend on their code."""
    return sorted(stage_files(ROOT).keys() - {CODE})


def sources() -> dict[str, Path]:
    """The modules that read corpora, by the name of their source: those with a function `read`."""
    module = stage_files(ROOT)[CORPUS]
    return {
        file.stem: file.relative_to(ROOT)
        for file in sorted((ROOT / module.parent).glob("[!_]*.py"))
        if file.stem != module.stem and "\ndef read(" in file.read_text(encoding="utf-8")
    }


def stage_closure(stage: str, source: str | None = None) -> set[Path]:
    """Every file that `python -m stages STAGE` runs, relative to the root.

    The command itself imports only the module of the stage that it is asked for.

    Args:
        source: of a corpus, whose module is then among them; None for no corpus' own.
    """
    module = stage_files(ROOT)[stage]
    files = {MAIN, module, module.with_name(COMMAND_FILE)}
    for pattern in GATHERED.get(stage, ()):
        files |= {file.relative_to(ROOT) for file in (ROOT / "stages").glob(pattern)}
    if source is not None:
        files.add(sources()[source])
    return closure(file for file in files if (ROOT / file).is_file())


def closure(files: Iterable[Path]) -> set[Path]:
    """The files, the packages around them, and every file that these import, directly or not."""
    followed: set[Path] = set()
    fresh = set(files)
    # Python runs the packages around a module first.
    around = {folder / "__init__.py" for file in fresh for folder in file.parents}
    fresh |= {file for file in around if (ROOT / file).is_file()}
    while fresh:
        followed |= fresh
        fresh = set().union(*(imports(file) for file in fresh)) - followed
    return {file for file in followed if not runs_nothing(file)}


def code_run_by(module: str) -> list[Path]:
    """The files that a module of a stage runs: kept results of other code are void.

    Args:
        module: as its `__name__`.
    """
    file = module_file(module)
    assert file is not None, f"{module}: no such module"
    return sorted(ROOT / path for path in closure([file]))


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
