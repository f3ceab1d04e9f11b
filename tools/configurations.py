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
from io import StringIO
from pathlib import Path
from typing import Annotated, Any

import typer
from ruamel.yaml import YAML
from ruamel.yaml.nodes import ScalarNode
from ruamel.yaml.representer import BaseRepresenter

from stages.check.configuration import effective
from stages.core.stage.command import stage_command
from stages.core.stage.edited import PARAMETER_FILE, PIPELINE_FILE, SETTINGS_FILE
from stages.core.stage.files import InputError, atomic, read_yaml
from stages.core.stage.targets import require_plain_name, target_file
from tools.pipeline import ROOT

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
ENCODERS = "pretrain.encoders"  # whose names may have a dash
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
# corpora:                  # where tasks, corpora or stimuli are named, studies run on these alone
#   sentences: {{}}           # as the default has it
"""


def made_names() -> list[str]:
    """What `write` makes in a folder, beside its settings."""
    return [PARAMETER_FILE, PIPELINE_FILE, ".dvcignore", *DVC_FILES, *LINKED]


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


def write(folder: Path) -> None:
    """Write what a configuration's `settings.yaml` makes.

    Raises:
        InputError: as `require_configuration` and `effective`.
    """
    require_configuration(folder)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / SETTINGS_FILE
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
    parameters = target_file(
        folder / PARAMETER_FILE, "file made of settings", MADE.partition("\n")[0]
    )
    if not parameters.exists():
        for name in (PIPELINE_FILE, *DVC_FILES):
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
    pipeline = yaml.load(ROOT / PIPELINE_FILE)
    file = folder / SETTINGS_FILE
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    parameters, kept = effective(
        read_yaml(file) or {}, str(file), read_yaml(ROOT / PARAMETER_FILE), pipeline
    )
    require_names(parameters, kept, str(file))
    ignored = {".dvcignore": (ROOT / ".dvcignore").read_text(encoding="utf-8")}
    return {
        PARAMETER_FILE: MADE.format(digest=digest) + dumped(parameters),
        PIPELINE_FILE: dumped(kept, yaml),
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
    require_names(read_yaml(ROOT / PARAMETER_FILE), read_yaml(ROOT / PIPELINE_FILE), PARAMETER_FILE)
    found = sorted(path.parent for path in ROOT.glob(f"configurations/*/{SETTINGS_FILE}"))
    for one in folder or found:
        write(one)
        typer.echo(f"{os.path.relpath(one)}: {PARAMETER_FILE}, {PIPELINE_FILE}")


if __name__ == "__main__":
    stage_command(main)
