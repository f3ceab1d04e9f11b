"""Whether `params.yaml` can be kept to: everything that is wrong with it, before anything runs.

Each stage checks its own section again when it runs; this stage comes before all of them, so that
the last one's misspelt key is not found after an hour.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from pydantic import PositiveInt

from stages.check.configuration import given
from stages.check.declared import sections
from stages.check.inputs import inputs, of_project
from stages.check.names import READERS, mapping, names_in, unknown_names
from stages.core.corpora.entries import load_corpus_entry
from stages.core.measured import MEASURED
from stages.core.questions.task import is_question_task, load_question_task
from stages.core.runtime.runtime import find_device
from stages.core.stage.arms import Arm
from stages.core.stage.edited import PIPELINE_FILE as PIPELINE
from stages.core.stage.edited import SETTINGS_FILE as SETTINGS
from stages.core.stage.edited import edited, mend_made
from stages.core.stage.files import InputError, atomic, read_yaml
from stages.core.stage.lock_file import LOCK, MEND
from stages.core.stage.places import MEASURES, WORK
from stages.core.stage.settings import PARAMETER_FILE, SECTIONS, Parameters, checked, section
from stages.core.stage.targets import require_plain_name
from stages.core.tasks.task import Seeds, load_task

CHECKED = WORK / "checked.txt"
EXPERIMENT = "DVC_EXP_BASELINE_REV"  # which DVC sets where `dvc exp run` runs the stages


def _load_task(name: str, file: Path) -> object:
    """An entry of `tasks`, of either kind."""
    require_plain_name(name, f"{file}: task")
    load = load_question_task if is_question_task(name, file) else load_task
    return load(name, file)


# Sections of entries, one a name.
ENTRIES = {"tasks": _load_task, "corpora": load_corpus_entry}


class Run(Parameters, section="run"):
    """The section `run` of `params.yaml`."""

    tasks: list[str]
    arms: list[Arm]
    seeds: Seeds
    control_seeds: PositiveInt | None


def complaints(folder: Path, here: bool = True) -> list[str]:
    """All that is wrong with the settings of a configuration's folder.

    Args:
        here: whether this machine is to have the device and the files that they name.

    Raises:
        InputError: `params.yaml` or `dvc.yaml` is missing or no YAML.
    """
    if not_as_made := list(_not_as_made(folder)):
        return not_as_made
    file = folder / PARAMETER_FILE
    content = read_yaml(file)
    if not isinstance(content, dict):
        return [f"{file}: it has no sections; copy the one at the root of the project"]
    known, needed = sections(), _needed(folder)
    found = [
        f"{file}: `{name}`: no such section; there are {', '.join(sorted({*known, *ENTRIES}))}"
        for name in content
        if name not in known and name not in ENTRIES
    ]
    found += [
        f"{file}: `{name}` is missing, which {PIPELINE} lists; copy it from the project's root"
        for name in sorted(needed - content.keys())
    ]
    for name in known.keys() & content.keys():
        found += _said(section, known[name], name, file)
    for kind, load in ENTRIES.items():
        found += _said(checked, dict[str, Any], content.get(kind, {}), f"{file}: `{kind}`")
        for name in filter(_is_text, mapping(content.get(kind))):
            found += _said(load, name, file)
    for name in filter(_is_text, mapping(content.get("stimuli"))):
        found += _said(require_plain_name, name, f"{file}: stimuli")
    found += _tunings(content, file)
    found += unknown_names(content, file, needed)
    found += _nothing_named(content, folder)
    found += _unfit(content, file) if here else []
    return [edited(complaint) for complaint in found]


def _stages(folder: Path) -> list[dict[str, Any]]:
    """What the pipeline of a configuration runs; a stage of many names once."""
    pipeline = mapping(mapping(read_yaml(folder / PIPELINE)).get("stages")).values()
    return [mapping(stage.get("do", stage)) for stage in map(mapping, pipeline)]


def _needed(folder: Path) -> set[str]:
    """The sections that the stages of the configuration list."""
    keys = {key for stage in _stages(folder) for key in stage.get("params", [])}
    return {key.split(".")[0] for key in keys if isinstance(key, str)} | {"runtime", "run"}


def _said(call: Any, *arguments: Any) -> list[str]:
    """The lines of the refusal of a call; none if it accepts."""
    try:
        call(*arguments)
    except InputError as refusal:
        return str(refusal).splitlines()
    return []


def _tunings(content: dict[str, Any], file: Path) -> list[str]:
    """What is wrong with the settings of `finetune` that tasks replace."""
    common, found = content.get("finetune"), []
    for name, entry in mapping(content.get("tasks")).items():
        own = mapping(entry).get("finetune")
        if isinstance(common, dict) and isinstance(own, dict):
            where = f"{file}: `tasks.{name}.finetune`"
            found += _said(checked, SECTIONS["finetune"], common | own, where)
    return found


def _not_as_made(folder: Path) -> Iterator[str]:
    """Where the files of a configuration are not those that its settings give.

    Parameters that an experiment of DVC has changed are as they should be.
    """
    settings = folder / SETTINGS
    if not settings.is_file():
        return
    try:
        both = given(read_yaml(settings) or {}, str(settings))
    except InputError as refusal:
        yield str(refusal)
        return
    for name, content in zip((PARAMETER_FILE, PIPELINE), both, strict=True):
        if name == PARAMETER_FILE and EXPERIMENT in os.environ:
            continue
        if key := _difference(content, read_yaml(folder / name)):
            yield (
                f"{settings}: `{name}` beside it has another `{key}` than it gives; what is to "
                f"stay belongs into {settings}; then {mend_made(folder)}"
            )


def _difference(wanted: Any, made: Any, key: str = "") -> str:
    """The first key whose values differ; none where all are the same."""
    if not (isinstance(wanted, dict) and isinstance(made, dict)):
        return "" if wanted == made else key or "content"
    for name in {**wanted, **made}:
        path = f"{key}.{name}".lstrip(".")
        if (name in wanted) != (name in made):
            return path
        if deeper := _difference(wanted[name], made[name], path):
            return deeper
    return ""


def _nothing_named(content: dict[str, Any], folder: Path) -> Iterator[str]:
    """The complaint of settings by which no study has anything to run on."""
    if not inputs(content, read_yaml(folder / PIPELINE)):
        yield (
            f"{folder / PARAMETER_FILE}: it names no task, corpus or set of stimuli that a study "
            "takes, so that nothing would be measured; name some under `run.tasks`, `corpora` or "
            "`stimuli` (texts of this project: `corpora: {sentences: {}, pairs: {}}`)"
        )


def measured(folder: Path) -> list[str]:
    """The folders of measures that the pipeline of a configuration writes."""
    outs = [out for stage in _stages(folder) for out in stage.get("outs", [])]
    paths = [Path(next(iter(out)) if isinstance(out, dict) else out) for out in outs]
    return sorted({path.parts[2] for path in paths if path.is_relative_to(MEASURES)})


def on_project_alone(folder: Path) -> list[str]:
    """A line for each input of this project, with the stages that run on it and no other data.

    None for the default, which has no others.
    """
    content, pipeline = read_yaml(folder / PARAMETER_FILE), read_yaml(folder / PIPELINE)
    project = of_project(content, pipeline)
    others = [f"{kind}.{name}" for kind, name in inputs(content, pipeline)]
    if not (folder / SETTINGS).is_file() and set(others) <= project.keys():
        return []
    return [
        f"on {source} of this project, on no data of yours: {', '.join(stages)}"
        for source, stages in project.items()
    ]


def _unfit(content: dict[str, Any], file: Path) -> Iterator[str]:
    """What only this machine can tell: a device that is not there, files that are missing."""
    runtime = content.get("runtime")
    if isinstance(runtime, dict) and isinstance(runtime.get("device", "auto"), str):
        yield from _said(find_device, runtime.get("device", "auto"))
    taken = {
        name
        for section in ("run", READERS)
        for name in names_in(mapping(content.get(section)).get("tasks"))
    }
    paths = {
        f"tasks.{name}.data.splits.{split}": path
        for name, entry in mapping(content.get("tasks")).items()
        if name in taken and _is_of(entry, "data", "files")
        for split, path in mapping(entry["data"].get("splits")).items()
    }
    paths |= {
        f"{kind}.{name}.path": entry["path"]
        for kind in ("corpora", "stimuli")
        for name, entry in mapping(content.get(kind)).items()
        if "path" in mapping(entry)
    }
    paths |= {
        f"stimuli.{name}.recorded.path": mapping(mapping(entry).get("recorded")).get("path")
        for name, entry in mapping(content.get("stimuli")).items()
    }
    tagger = mapping(content.get("tagger"))
    paths |= {f"tagger.{key}": tagger[key] for key in ("train", "test") if tagger.get(key)}
    if _is_of(content, "checkpoint", "folder"):
        paths["checkpoint.path"] = content["checkpoint"].get("path")
    for key, path in paths.items():
        if isinstance(path, str) and not (file.parent / path).exists():
            yield f"{file}: `{key}` is {path}, which is not there; mend the path"


def _is_of(entry: Any, key: str, source: str) -> bool:
    """Whether the part `key` of an entry is a mapping of that source."""
    return mapping(mapping(entry).get(key)).get("source") == source


def _is_text(name: Any) -> bool:
    return isinstance(name, str)


def run_stage() -> None:
    """Say all that is wrong with the params.yaml of this folder; write work/checked.txt if nothing.

    The file says nothing else, so that a setting that was changed re-runs no stage but its own.
    Beside it, work/measured.txt has the studies that are not left out, for `findings` and `report`.
    """
    found = complaints(Path())
    if found:
        raise InputError("\n".join(["settings that cannot be kept to", *dict.fromkeys(found)]))
    for line in on_project_alone(Path()):
        typer.echo(line)
    with atomic(CHECKED) as partial:
        partial.write_text("The settings can be kept to.\n", encoding="utf-8")
    with atomic(MEASURED) as partial:
        partial.write_text("\n".join([*measured(Path()), ""]), encoding="utf-8")
    typer.echo(
        "the settings can be kept to\n"
        f"should a kill ever leave {LOCK} empty, so that DVC calls it invalid: {MEND}"
    )
