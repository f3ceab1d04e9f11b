"""Names that studies' settings have of tasks and of stimuli, and whether there is such a thing."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

RUN, STIMULI = "run", "stimuli"
# Sections whose keys are entries.
OF_ENTRIES = ("tasks", "corpora", STIMULI)


def unknown_names(content: dict[str, Any], file: Path, needed: Collection[str]) -> Iterator[str]:
    """Tasks that a study takes and nobody runs, and sets of stimuli that are not described.

    Args:
        needed: sections that the pipeline lists; what other sections name is not read.
    """
    run = _mapping(content.get(RUN)).get("tasks")
    entries = {name: _mapping(content.get(name)) for name in OF_ENTRIES}
    for name, values in content.items():
        if name == RUN or name in OF_ENTRIES or name not in needed:
            continue
        values = _mapping(values)
        for task in _names(values.get("tasks")):
            if task not in _names(run):
                mend = (
                    "add it there"
                    if task in entries["tasks"]
                    else f"`tasks` has no such entry, only {_listed(entries['tasks'])}; mend it"
                )
                yield (
                    f"{file}: `{name}.tasks` has {task!r}, which is not among `run.tasks` "
                    f"({_listed(_names(run))}): {mend}, or take it out of `{name}.tasks`, which "
                    "may be []"
                )
        for one in _names(values.get("sets")):
            if one not in entries[STIMULI]:
                yield (
                    f"{file}: `{name}.sets` has {one!r}, but `{STIMULI}` has no such entry, only "
                    f"{_listed(entries[STIMULI])}; add it there"
                )


def stimuli_paths(content: dict[str, Any]) -> dict[str, Any]:
    """The folders that sets of stimuli are read from, by their keys."""
    return {
        f"{STIMULI}.{name}.path": entry["path"]
        for name, entry in _mapping(content.get(STIMULI)).items()
        if "path" in _mapping(entry)
    }


def _mapping(values: Any) -> dict[str, Any]:
    """A section that is one; what it is otherwise, its own model complains of."""
    return values if isinstance(values, dict) else {}


def _names(values: Any) -> list[Any]:
    return values if isinstance(values, list) else []


def _listed(names: Collection[Any]) -> str:
    return ", ".join(map(str, names)) or "none"
