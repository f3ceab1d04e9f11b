"""The sections of `params.yaml` that the rooms declare, without importing the rooms.

Importing every room takes seconds, nearly all of them for libraries with which no setting is
checked. So of a module only those statements run that the declaration of a section needs.
"""

import ast
import importlib.util
import sys
from functools import cache
from pathlib import Path
from typing import Any

from stages.core.stage.settings import SECTIONS

ROOMS = Path(__file__).resolve().parents[1]
Names = set[str] | frozenset[str]


def sections() -> dict[str, Any]:
    """What every section of `params.yaml` is checked against, by its name."""
    for file in sorted(ROOMS.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if "section=" in text or "SECTIONS[" in text:
            missing = [node for node in _body(file) if _section(node) not in (None, *SECTIONS)]
            _run(file, missing)
    return SECTIONS


@cache
def _body(file: Path) -> list[ast.stmt]:
    return ast.parse(file.read_text(encoding="utf-8")).body


def _section(node: ast.stmt) -> str | None:
    """The section that a statement declares, as `settings.py` of `stages.core.stage` says how."""
    match node:
        case ast.ClassDef(keywords=[ast.keyword("section", ast.Constant(name))]):
            return name
        case ast.Assign(targets=[ast.Subscript(ast.Name("SECTIONS"), ast.Constant(name))]):
            return name
    return None


def _run(file: Path, needed: list[ast.stmt]) -> dict[str, Any]:
    """Run statements of a module and what they name of it; give its names their values."""
    body = _body(file)
    giving = {name: node for node in body for name in _given(node)}
    used: set[str] = set()
    fresh = list(needed)
    while fresh:
        here = {node.id for node in ast.walk(fresh.pop()) if isinstance(node, ast.Name)}
        fresh += [giving[name] for name in (here & giving.keys()) - used]
        used |= here
    values: dict[str, Any] = {"__name__": f"declared.{file.parent.name}.{file.stem}"}
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name.split(".")[0]) in used:
                    _import(node, alias, values)
        elif node in needed or used & _given(node):
            exec(compile(ast.Module([node], []), str(file), "exec"), values)
    return values


def _given(node: ast.stmt) -> set[str]:
    """The names that a statement of a module gives a value to."""
    match node:
        case ast.Import(names) | ast.ImportFrom(names=names):
            return {alias.asname or alias.name.split(".")[0] for alias in names}
        case ast.ClassDef(name) | ast.FunctionDef(name):
            return {name}
        case ast.Assign(targets):
            return {name.id for target in targets for name in ast.walk(target) if _is_name(name)}
        case ast.AnnAssign(ast.Name(name)):
            return {name}
    return set()


def _is_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _import(node: ast.Import | ast.ImportFrom, alias: ast.alias, values: dict[str, Any]) -> None:
    """Import one name; of a module of the project that is not loaded, only what this name needs."""
    module = getattr(node, "module", None) or alias.name
    if module.startswith("stages.") and module not in sys.modules:
        file = Path(importlib.util.find_spec(module).origin)
        if giving := [own for own in _body(file) if alias.name in _given(own)]:
            values[alias.asname or alias.name] = _once(file, alias.name, tuple(giving))
            return
    one = type(node)(**{**vars(node), "names": [alias]})
    exec(compile(ast.Module([one], []), module, "exec"), values)


@cache
def _once(file: Path, name: str, giving: tuple[ast.stmt, ...]) -> Any:
    values = _run(file, [node for node in giving if not isinstance(node, ast.ImportFrom)])
    return values[name]
