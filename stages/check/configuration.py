"""Settings and pipeline of a configuration, from what differs: what its `settings.yaml` gives.

`tools.configurations` writes both; `check` compares them with what stands in the folder.
"""

from collections.abc import Iterable
from copy import deepcopy
from pathlib import Path
from typing import Any

from stages.check.fitting import NEEDS, fitting, fitting_sets
from stages.check.names import CHOICE, CORPORA, READERS, RUN, STIMULI, TASKS, mapping, names_in
from stages.core.stage.edited import PARAMETER_FILE, PIPELINE_FILE, SETTINGS_FILE
from stages.core.stage.files import InputError, read_yaml

ROOT = Path(__file__).resolve().parents[2]
# One entry a name, of any name: an entry that the default lacks is a new one.
OPEN = (TASKS, CORPORA, STIMULI)
# The key that names a corpus to train on, beside `corpora`, which are measured.
TRAINED_ON = "train_on"
SETS = "sets"  # the key that names sets of stimuli
# A mapping with this key is of another kind than the one that it replaces.
KIND = "source"
# The study that learns from maps of this project, for those that sort maps of tasks or of corpora.
CLASSIFIER, SORTED = "classifier", "text_patterns"


def definition(stage: dict) -> dict:
    """What is run of a stage, also where it stands for each entry of a dictionary."""
    return stage.get("do", stage)


def merged(default: Any, changes: Any, where: str, key: str = "") -> Any:
    """The default with changes: mappings key by key, everything else replaced.

    Raises:
        InputError: a key is not there in the default, or a mapping meets something else.
    """
    if not isinstance(default, dict) or (default.get(KIND) and KIND in mapping(changes)):
        return deepcopy(changes)
    if not isinstance(changes, dict):
        section = f"`{key}`" if key else "the top level"
        raise InputError(f"{where}: {section} takes the keys {', '.join(map(str, default))}")
    result = deepcopy(default)
    for name, value in changes.items():
        path = f"{key}.{name}".lstrip(".")
        if name in default and value is None and key in OPEN:
            continue  # named, and as the default has it
        if name in default:
            result[name] = merged(default[name], value, where, path)
        elif key.split(".")[0] in OPEN:
            result[name] = deepcopy(value)
        else:
            raise InputError(
                f"{where}: `{path}`: unknown key; {key or 'the top level'} has "
                f"{', '.join(map(str, default))}; mend its spelling"
            )
    return result


def places(paths: list) -> set[tuple[str, ...]]:
    """Where outputs of stages lie, as `work/models`; not the measures, which are but gathered."""
    found = {Path(next(iter(path)) if isinstance(path, dict) else path).parts[:2] for path in paths}
    return {place for place in found if place[0] == "work"} - {("work", "measures")}


def without_studies(pipeline: dict, names: list[str], where: str) -> dict:
    """The pipeline without some stages.

    Raises:
        InputError: there is no such stage, or one that stays depends on it.
    """
    if unknown := [name for name in names if name not in pipeline["stages"]]:
        raise InputError(
            f"{where}: `run.without` has {unknown[0]!r}, which is no stage; there are "
            f"{', '.join(pipeline['stages'])}"
        )
    if left := dependents(pipeline, names):
        raise InputError(
            f"{where}: `run.without` has {', '.join(names)}, on which {', '.join(left)} depend; "
            "leave these out too"
        )
    result = deepcopy(pipeline)
    for name in names:
        del result["stages"][name]
    return result


def dependents(pipeline: dict, names: Iterable[str]) -> list[str]:
    """The other stages that need outputs of some, or of each other."""
    stages = {name: definition(stage) for name, stage in pipeline["stages"].items()}
    made = set().union(*(places(stages.pop(name).get("outs", [])) for name in names))
    result: list[str] = []
    while now := [name for name, stage in stages.items() if made & places(stage["deps"])]:
        result += now
        made |= set().union(*(places(stages.pop(name).get("outs", [])) for name in now))
    return result


def given(settings: Any, where: str) -> tuple[dict, dict]:
    """Parameters and pipeline of a configuration of this project, as `effective`."""
    return effective(
        settings, where, read_yaml(ROOT / PARAMETER_FILE), read_yaml(ROOT / PIPELINE_FILE)
    )


def effective(settings: Any, where: str, default: dict, pipeline: dict) -> tuple[dict, dict]:
    """Parameters and pipeline of a configuration.

    Where the settings name data, studies run on these alone (`take_named`). Left out are the
    studies of `run.without` with their settings, tasks that are not run and have no readers, and
    corpora and sets of stimuli that no study takes.

    Raises:
        InputError: a key is unknown, or a stage cannot be left out.
    """
    settings = deepcopy(settings)
    without = mapping(mapping(settings).get(RUN)).pop("without", [])
    if not isinstance(without, list):
        raise InputError(f"{where}: `run.without` is {without!r}; give a list of stages")
    parameters = merged(default, settings, where)
    result = without_studies(pipeline, without, where)
    take_named(parameters, settings)
    if CLASSIFIER in result["stages"] and not _sorts_maps(parameters):
        idle = [CLASSIFIER, *dependents(result, [CLASSIFIER])]
        result, without = without_studies(result, idle, where), [*without, *idle]
    for name in without:
        parameters.pop(name, None)
    sections = {name: section for name, section in parameters.items() if name not in OPEN}
    chosen = {TASKS: _all(sections, TASKS, (RUN, READERS))}
    chosen[CORPORA] = _all(sections, CORPORA) | _all(sections, TRAINED_ON)
    if STIMULI in parameters:
        chosen[STIMULI] = _all(sections, SETS)
    for entries, names in chosen.items():
        if unknown := sorted(names - set(parameters[entries])):
            raise InputError(f"{where}: no entry of `{entries}` is called {unknown[0]!r}; add it")
        parameters[entries] = {
            name: entry for name, entry in parameters[entries].items() if name in names
        }
    result = without_settings(with_training(result, parameters), without)
    return parameters, with_checked(result, parameters)


def take_named(parameters: dict, settings: dict) -> None:
    """Let each study take, of the data that the settings name, those that have what it reads.

    Named are the tasks of `run.tasks` and the entries of `tasks`, `corpora` and `stimuli`. A study
    whose own section names others takes these. Settings that name none are of the default's data.
    """
    named = {
        kind: {name: parameters[kind][name] for name in mapping(settings.get(kind))}
        for kind in OPEN
    }
    choice = [name for name, entry in parameters[TASKS].items() if _kind(entry) == CHOICE]

    def give(section: str, key: str, names: list[str]) -> None:
        if section in parameters and key not in mapping(settings.get(section)):
            parameters[section][key] = names

    if TASKS in mapping(settings.get(RUN)) or not settings.keys().isdisjoint(OPEN):
        give(RUN, TASKS, [name for name in named[TASKS] if name not in choice])
        give(READERS, TASKS, [name for name in named[TASKS] if name in choice])
        for study in NEEDS:
            give(study, CORPORA, fitting(study, named[CORPORA]))
        for study, section in parameters.items():
            if SETS in mapping(section):
                give(study, SETS, fitting_sets(study, named[STIMULI]))
    run = {*_all(parameters, TASKS, (RUN,)), *choice}
    for study, section in parameters.items():
        if study != RUN and TASKS in mapping(section):
            give(study, TASKS, [task for task in names_in(section[TASKS]) if task in run])


def _all(sections: dict, key: str, names: Iterable[str] | None = None) -> set[str]:
    """What a key of all sections names, or of some."""
    values = (mapping(sections.get(name)).get(key) for name in names or sections)
    return {name for listed in map(names_in, values) for name in listed}


def _kind(entry: Any) -> Any:
    return mapping(entry).get("kind")


def _sorts_maps(parameters: dict) -> bool:
    """Whether there are maps of tasks or corpora to sort into pattern classes."""
    return bool(_all(parameters, TASKS, (RUN,)) or _all(parameters, CORPORA, (SORTED,)))


def without_settings(pipeline: dict, names: list[str]) -> dict:
    """The pipeline whose stages list no setting of studies that are left out."""
    for stage in map(definition, pipeline["stages"].values()):
        listed = stage.get("params", [])
        for key in [key for key in listed if key.split(".")[0] in names]:
            listed.remove(key)
    return pipeline


def with_checked(pipeline: dict, parameters: dict) -> dict:
    """The pipeline whose stage `check` lists the settings, and the sections but where to run."""
    if "check" in pipeline["stages"]:
        pipeline["stages"]["check"]["deps"].insert(0, SETTINGS_FILE)
        names = [name for name in parameters if name != "runtime"]
        pipeline["stages"]["check"]["params"] = names
    return pipeline


def with_training(pipeline: dict, parameters: dict) -> dict:
    """The pipeline whose stages depend on the corpora that they train on as well.

    A dependency of DVC cannot be left open by a setting that is null.
    """
    for name, stage in pipeline["stages"].items():
        section = parameters.get(name)
        if isinstance(section, dict) and (corpus := section.get(TRAINED_ON)):
            definition(stage)["deps"].insert(1, f"work/corpora/{corpus}")
            definition(stage)["params"].append(f"corpora.{corpus}")
    return pipeline
