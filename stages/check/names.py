"""Names that settings have of tasks, corpora and stimuli, and whether there is such a thing."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

# The section whose tasks are of that kind, which no other study takes.
READERS, CHOICE = "readers", "choice"
PROBES = "layer_probes"  # the section whose study reads states of the stimuli
RUN, TASKS, CORPORA, STIMULI = "run", "tasks", "corpora", "stimuli"


def unknown_names(content: dict[str, Any], file: Path, needed: Collection[str]) -> Iterator[str]:
    """Tasks, corpora and sets of stimuli that are named and not described, or not run.

    Args:
        needed: sections that the pipeline lists; the tasks and sets that others name are not read.
    """
    entries = {kind: mapping(content.get(kind)) for kind in (TASKS, CORPORA, STIMULI)}
    run = names_in(mapping(content.get(RUN)).get(TASKS))
    named = [(TASKS, f"{RUN}.{TASKS}", run)]
    for task in run:
        if _is_choice(entries[TASKS].get(task)):
            yield (
                f"{file}: `{RUN}.{TASKS}` has {task!r}, whose kind is {CHOICE}: studies of tasks "
                f"read no questions with options; name it under `{READERS}.{TASKS}`"
            )
    for name, values in content.items():
        if name in entries:
            continue
        values = mapping(values)
        for key in ("corpora", "labelled", "train_on"):
            named.append((CORPORA, f"{name}.{key}", names_in(values.get(key))))
        if name in needed:
            sets = names_in(values.get("sets"))
            named.append((STIMULI, f"{name}.sets", sets))
            if name == PROBES:
                yield from _without_states(f"{name}.sets", sets, entries[STIMULI], file)
            tasks = names_in(values.get(TASKS))
            if name == READERS:
                yield from _of_other_kind(f"{name}.{TASKS}", tasks, entries, file)
            else:
                yield from _not_run(f"{name}.{TASKS}", tasks, run, entries, file)
    for kind, key, names in named:
        for one in names:
            if one not in entries[kind]:
                yield (
                    f"{file}: `{key}` has {one!r}, but `{kind}` has no such entry, only "
                    f"{_listed(entries[kind])}; add it there"
                )


def _of_other_kind(
    key: str, names: list[Any], entries: dict[str, Any], file: Path
) -> Iterator[str]:
    """What a study of questions is to take and is no task of questions."""
    for task in names:
        if not _is_choice(entries[TASKS].get(task)):
            known = [name for name, entry in entries[TASKS].items() if _is_choice(entry)]
            yield (
                f"{file}: `{key}` has {task!r}, but `{TASKS}` has no such entry of kind {CHOICE}, "
                f"only {_listed(known)}; add it there"
            )


def _without_states(
    key: str, names: list[Any], entries: dict[str, Any], file: Path
) -> Iterator[str]:
    """The sets that probes are to read and that have no states, but attention alone."""
    for one in names:
        if mapping(entries.get(one)).get("recorded"):
            yield (
                f"{file}: `{key}` has {one!r}, whose attention was recorded elsewhere: probes read "
                "states, which nobody recorded; take it out there"
            )


def _is_choice(entry: Any) -> bool:
    return mapping(entry).get("kind") == CHOICE


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


def names_in(values: Any) -> list[str]:
    """One name, several or none; of what is no name, its own model complains."""
    listed = values if isinstance(values, list) else [values]
    return [name for name in listed if isinstance(name, str)]


def _listed(names: Collection[Any]) -> str:
    return ", ".join(map(str, names)) or "none"
