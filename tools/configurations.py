"""Configurations from what differs: `python -m tools.configurations [FOLDER ...]`.

A configuration is a folder with `settings.yaml`, which holds only what differs from `params.yaml`
at the root, and says under `run.without` which studies it goes without. The command writes the
rest: `params.yaml` and `dvc.yaml`, which DVC reads (as files: DVC cannot merge settings, nor read a
link in git's history), what makes it a project of DVC's, and links to the code and the data. A
folder that is not there yet is made, with a `settings.yaml` to begin with. Without a folder all of
`configurations/` are renewed.
"""

import hashlib
import math
import os
from copy import deepcopy
from io import StringIO
from pathlib import Path
from typing import Annotated, Any

import typer
from ruamel.yaml import YAML
from ruamel.yaml.nodes import ScalarNode
from ruamel.yaml.representer import BaseRepresenter

from stages.check.names import CHOICE, READERS
from stages.core.stage.command import stage_command
from stages.core.stage.files import InputError, atomic, read_yaml
from stages.core.stage.targets import require_plain_name, target_file
from tools.fitting import NEEDS, fitting
from tools.pipeline import ROOT, definition

SETTINGS, PARAMETERS, PIPELINE = "settings.yaml", "params.yaml", "dvc.yaml"
FOLDERS = "configurations"
LINKED = ("stages", "data", ".dvc/plots")
# Of a project of DVC's own, so that commands at the root speak of the root alone. What stages made
# lies in one cache: a stage that is the same in two configurations runs once. A user may add to
# them, as a remote: they are written once.
DVC_FILES = {
    ".dvc/config": """\
[core]
    analytics = false
    check_update = false
[cache]
    dir = ../../../.dvc/cache
""",
    ".dvc/.gitignore": "/config.local\n/tmp\n/cache\n",
}
# One entry a name, of any name: an entry that the default lacks is a new one.
OPEN = ("tasks", "corpora", "stimuli")
# The key that names a corpus to train on, beside `corpora`, which are measured.
TRAINED_ON = "train_on"
SETS = "sets"  # the key that names sets of stimuli
ENCODERS = "pretrain.encoders"
# A mapping with this key is of another kind than the one that it replaces.
KIND = "source"
MADE = (
    "# Made of settings.yaml by `python -m tools.configurations`: edit that and run it again.\n"
    "# What a setting means stands in params.yaml at the root. SHA-256 of settings.yaml:\n"
    "# {digest}\n"
)
STARTER = """\
# What differs from params.yaml at the root; then: python -m tools.configurations {folder}
findings:
  configuration: {name}
# run:
#   tasks: [relevance]      # instead of all tasks of the default
#   without: [probes]       # studies that are left out, with their settings
"""


def merged(default: Any, changes: Any, where: str, key: str = "") -> Any:
    """The default with changes: mappings key by key, everything else replaced.

    Raises:
        InputError: a key is not there in the default, or a mapping meets something else.
    """
    if not isinstance(default, dict) or (default.get(KIND) and KIND in (changes or {})):
        return deepcopy(changes)
    if not isinstance(changes, dict):
        raise InputError(f"{where}: `{key}` takes the keys {', '.join(map(str, default))}")
    result = deepcopy(default)
    for name, value in changes.items():
        path = f"{key}.{name}".lstrip(".")
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
    kept = deepcopy(pipeline)
    for name in names:
        del kept["stages"][name]
    left, made = dict(kept["stages"]), set()
    for name in names:
        made |= places(definition(pipeline["stages"][name]).get("outs", []))
    found: list[str] = []
    while now := [name for name, stage in left.items() if made & places(definition(stage)["deps"])]:
        found += now
        for name in now:
            made |= places(definition(left.pop(name)).get("outs", []))
    if found:
        raise InputError(
            f"{where}: `run.without` has {', '.join(names)}, on which {', '.join(found)} depend; "
            "leave these out too"
        )
    return kept


def effective(settings: dict, where: str, default: dict, pipeline: dict) -> tuple[dict, dict]:
    """Parameters and pipeline of a configuration.

    Studies take those corpora of the settings that fit them, unless they name others, and studies
    of some tasks those of them that are run. Left out are the studies of `run.without` with their
    settings, tasks that are not run and have no readers, and corpora and sets of stimuli that no
    study takes.

    Raises:
        InputError: a key is unknown, or a stage cannot be left out.
    """
    settings = deepcopy(settings)
    without = settings.get("run", {}).pop("without", [])
    parameters = merged(default, settings, where)
    kept = without_studies(pipeline, without, where)
    for name in without:
        parameters.pop(name, None)
    named = {name: parameters["corpora"][name] for name in settings.get("corpora") or {}}
    for study in NEEDS if named else ():
        if study in parameters and "corpora" not in (settings.get(study) or {}):
            parameters[study]["corpora"] = fitting(study, named)
    choice = {name for name, entry in parameters["tasks"].items() if entry.get("kind") == CHOICE}
    for name, section in parameters.items():
        if name != "run" and isinstance(section, dict) and "tasks" in section:
            run = parameters["run"]["tasks"]
            if "tasks" not in (settings.get(name) or {}):
                section["tasks"] = [task for task in section["tasks"] if task in {*run, *choice}]
    taken = {
        corpus
        for section in parameters.values()
        if isinstance(section, dict)
        for corpus in [*(section.get("corpora") or ()), section.get(TRAINED_ON)]
        if section is not parameters["corpora"] and corpus is not None
    }
    asked = set(parameters.get(READERS, {}).get("tasks", ()))
    chosen = {"tasks": {*parameters["run"]["tasks"], *asked}, "corpora": taken}
    if "stimuli" in parameters:
        chosen["stimuli"] = {
            name
            for section in parameters.values()
            if isinstance(section, dict)
            for name in section.get(SETS) or ()
        }
    for entries, names in chosen.items():
        if unknown := sorted(names - set(parameters[entries])):
            raise InputError(f"{where}: no entry of `{entries}` is called {unknown[0]!r}; add it")
        parameters[entries] = {
            name: entry for name, entry in parameters[entries].items() if name in names
        }
    kept = without_settings(with_training(kept, parameters), without)
    return parameters, with_checked(kept, parameters)


def require_names(parameters: dict, pipeline: dict, where: str) -> None:
    """Check every name of which the pipeline makes stages and their outputs.

    DVC empties the outputs of a stage before it runs: of a name as `../../mine` it would empty
    `mine`, before any stage could refuse the name.

    Raises:
        InputError: a name is no plain one.
    """
    over = [
        names.removeprefix("${").removesuffix("}")
        for stage in pipeline["stages"].values()
        for names in [stage.get("foreach", ""), *stage.get("matrix", {}).values()]
    ]
    for key in dict.fromkeys(filter(None, over)):
        names = parameters
        for name in key.split("."):
            names = names.get(name) if isinstance(names, dict) else None
        for name in names or ():
            # Encoders that are kept may have a dash.
            require_plain_name(str(name), f"{where}: `{key}`", "_-" if key == ENCODERS else "_")


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
        pipeline["stages"]["check"]["deps"].insert(0, SETTINGS)
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


def write(folder: Path) -> None:
    """Write what a configuration's `settings.yaml` makes.

    Raises:
        InputError: as `require_configuration` and `effective`.
    """
    require_configuration(folder)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / SETTINGS
    if not file.exists():
        file.write_text(STARTER.format(folder=folder, name=folder.name), encoding="utf-8")
    for name, text in contents(folder).items():
        if name not in DVC_FILES or not (folder / name).exists():
            with atomic(folder / name) as partial:
                partial.write_text(text, encoding="utf-8")
    for name in LINKED:
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(_linked(name))


def require_configuration(folder: Path) -> None:
    """Check that a configuration can be made in a folder, and that it replaces nothing but one.

    Raises:
        InputError: the folder is none of `configurations`, or has files of somebody else's.
    """
    place = Path(os.path.realpath(folder))
    if place.parent.name != FOLDERS or not (place.parents[1] / LINKED[0]).is_dir():
        raise InputError(f"{folder}: a configuration is a folder of {FOLDERS}/; name one there")
    parameters = target_file(folder / PARAMETERS, "file made of settings", MADE.partition("\n")[0])
    if not parameters.exists():
        for name in (PIPELINE, *DVC_FILES):
            target_file(folder / name, "file made of settings")
    for name in LINKED:
        if (place / name).exists() and not (place / name).is_symlink():
            raise InputError(f"{folder / name} is in the way of a link to {_linked(name)}; move it")


def _linked(name: str) -> Path:
    return Path(*[".."] * (2 + name.count("/"))) / name


def contents(folder: Path) -> dict[str, str]:
    """The files that a configuration's `settings.yaml` makes, by name.

    Raises:
        InputError: as `effective`.
    """
    yaml = YAML()
    yaml.width = 100
    pipeline = yaml.load(ROOT / PIPELINE)
    file = folder / SETTINGS
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    parameters, kept = effective(
        read_yaml(file) or {}, str(file), read_yaml(ROOT / PARAMETERS), pipeline
    )
    require_names(parameters, kept, str(file))
    ignored = {".dvcignore": (ROOT / ".dvcignore").read_text(encoding="utf-8")}
    return {
        PARAMETERS: MADE.format(digest=digest) + dumped(parameters),
        PIPELINE: dumped(kept, yaml),
        **DVC_FILES,
        **ignored,
    }


def dumped(content: Any, yaml: YAML | None = None) -> str:
    """Content as YAML text, in the order given."""
    stream = StringIO()
    if yaml is None:
        yaml = YAML()
        yaml.width = 100
        yaml.representer.add_representer(float, represented)
    yaml.dump(content, stream)
    return stream.getvalue()


def represented(representer: BaseRepresenter, value: float) -> ScalarNode:
    """A number with a point, without which some readers of YAML take 2e-5 for a text."""
    if not math.isfinite(value):
        return representer.represent_float(value)
    mantissa, e, exponent = repr(value).partition("e")
    point = mantissa if "." in mantissa else f"{mantissa}.0"
    return representer.represent_scalar("tag:yaml.org,2002:float", f"{point}{e}{exponent}")


def main(
    folder: Annotated[
        list[Path] | None, typer.Argument(help="As configurations/mine; by default all.")
    ] = None,
) -> None:
    """Write params.yaml and dvc.yaml of configurations from their settings.yaml."""
    require_names(read_yaml(ROOT / PARAMETERS), read_yaml(ROOT / PIPELINE), PARAMETERS)
    found = sorted(path.parent for path in ROOT.glob(f"configurations/*/{SETTINGS}"))
    for one in folder or found:
        write(one)
        typer.echo(f"{os.path.relpath(one)}: {PARAMETERS}, {PIPELINE}")


if __name__ == "__main__":
    stage_command(main)
