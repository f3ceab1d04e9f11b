"""Names that settings have of tasks, corpora and stimuli, and whether there is such a thing."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

RUN, TASKS, CORPORA, STIMULI = "run", "tasks", "corpora", "stimuli"


def unknown_names(content: dict[str, Any], file: Path, needed: Collection[str]) -> Iterator[str]:
    """Tasks, corpora and sets of stimuli that are named and not described, or not run.

    Args:
        needed: sections that the pipeline lists; the tasks and sets that others name are not read.
    """
    entries = {kind: mapping(content.get(kind)) for kind in (TASKS, CORPORA, STIMULI)}
    run = _names(mapping(content.get(RUN)).get(TASKS))
    named = [(TASKS, f"{RUN}.{TASKS}", run)]
    for name, values in content.items():
        if name in entries:
            continue
        values = mapping(values)
        for key in ("corpora", "labelled", "train_on"):
            named.append((CORPORA, f"{name}.{key}", _names(values.get(key))))
        if name in needed:
            named.append((STIMULI, f"{name}.sets", _names(values.get("sets"))))
            yield from _not_run(f"{name}.{TASKS}", _names(values.get(TASKS)), run, entries, file)
    for kind, key, names in named:
        for one in names:
            if one not in entries[kind]:
                yield (
                    f"{file}: `{key}` has {one!r}, but `{kind}` has no such entry, only "
                    f"{_listed(entries[kind])}; add it there"
                )


def _not_run(
    key: str, names: list[Any], run: list[Any], entries: dict[str, Any], file: Path
) -> Iterator[str]:
    """The tasks that a study takes and nobody runs."""
    for task in names:
        if task not in run:
            mend = (
                "add it there"
                if task in entries[TASKS]
                else f"`{TASKS}` has no such entry, only {_listed(entries[TASKS])}; mend it"
            )
            yield (
                f"{file}: `{key}` has {task!r}, which is not among `{RUN}.{TASKS}` "
                f"({_listed(run)}): {mend}, or take it out of `{key}`, which may be []"
            )


def mapping(values: Any) -> dict[str, Any]:
    """A section that is one; what it is otherwise, its own model complains of."""
    return values if isinstance(values, dict) else {}


def _names(values: Any) -> list[Any]:
    """One name, several or none."""
    if isinstance(values, str):
        return [values]
    return values if isinstance(values, list) else []


def _listed(names: Collection[Any]) -> str:
    return ", ".join(map(str, names)) or "none"
