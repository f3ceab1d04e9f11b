"""Where numbers are from: each stage that wrote a table, with its code and its settings.

All of it is read off `dvc.yaml` and `params.yaml`, which say what runs, and off what the stage
`code` wrote of the files that are run.
"""

import json
import re
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from stages.core.stage.command import stage_files
from stages.core.stage.files import read_yaml
from stages.core.stage.places import CODE_FILES, MEASURES
from stages.core.stage.settings import PARAMETER_FILE

PIPELINE = Path("dvc.yaml")
COMMAND = re.compile(r"python -m stages (\w+)")
OF_ITEM = re.compile(r"\$\{(?:item\.(\w+)|key)\}")
OF_SETTINGS = re.compile(r"\$\{([\w.]+)\}")


@dataclass(frozen=True)
class Origin:
    """A stage: what it is for, its command, its own code, and the settings that it lists."""

    stage: str
    description: str = ""
    command: str = ""
    module: str = ""
    code: list[str] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def file(self) -> str:
        """The file to read first, or its folder where the stage lists that as a whole."""
        folder = self.module.rpartition("/")[0]
        return self.module if self.module in self.code else folder


def origins(
    folders: list[str],
    pipeline: Path = PIPELINE,
    parameters: str | Path = PARAMETER_FILE,
    files: Path = CODE_FILES,
) -> dict[str, Origin]:
    """The stages that write into folders of `work/measures`, by folder, in their order.

    Where there is no `dvc.yaml`, only the names of the folders are known; where there is no
    `files`, nobody knows the code.
    """
    stages = read_yaml(pipeline)["stages"] if pipeline.is_file() else {}
    settings = read_yaml(parameters)
    run = json.loads(files.read_text(encoding="utf-8")) if files.is_file() else {}
    found = {}
    for name, entry in stages.items():
        made = entry.get("do", entry)
        for folder in _written(made):
            if folder in folders:
                found[folder] = _origin(name, made, entry, settings, run)
    return found | {folder: Origin(folder) for folder in folders if folder not in found}


def _written(entry: dict[str, Any]) -> list[str]:
    """The folders of `work/measures` into which a stage writes."""
    outputs = [next(iter(out)) if isinstance(out, dict) else out for out in entry.get("outs", [])]
    within = f"{MEASURES.as_posix()}/"
    return list(
        dict.fromkeys(
            out.removeprefix(within).split("/")[0] for out in outputs if out.startswith(within)
        )
    )


def _origin(
    name: str,
    made: dict[str, Any],
    entry: dict[str, Any],
    settings: dict[str, Any],
    run: dict[str, list[str]],
) -> Origin:
    matched = COMMAND.match(made["cmd"])
    module = stage_files()[matched[1]].as_posix() if matched else ""
    code = _own_code(matched[1], module, run) if matched else []
    listed = [key for key in made.get("params", []) if isinstance(key, str)]
    keys = [one for key in listed for one in _each(key, entry, settings)]
    values = {key: value for key in keys if (value := _value(settings, key)) is not None}
    command = matched[0] if matched else str(made["cmd"])
    description = made.get("desc", entry.get("desc", ""))
    return Origin(name, description, command, module, code, values)


def _own_code(stage: str, module: str, run: dict[str, list[str]]) -> list[str]:
    """The files of its room that a stage runs; of a corpus, the files that all sources share."""
    room = "/".join(module.split("/")[:2])
    lists = [paths for name, paths in run.items() if name.partition("-")[0] == stage]
    shared = set.intersection(*map(set, lists)) if lists else set()
    return sorted(path for path in shared if path == room or path.startswith(f"{room}/"))


def _each(key: str, entry: dict[str, Any], settings: dict[str, Any]) -> list[str]:
    """The key for each item of the stage, as `tasks.${item.task}` for every task."""
    of_item = OF_ITEM.search(key)
    if of_item is None:
        return [key]
    items = entry["matrix"][of_item[1]] if of_item[1] else entry["foreach"]
    if isinstance(items, str) and (named := OF_SETTINGS.fullmatch(items)):
        items = _value(settings, named[1])
    return [key.replace(of_item[0], str(item)) for item in items or []]


def _value(settings: dict[str, Any], key: str) -> Any:
    """The value of a dotted key; None where there is none."""
    found: Any = settings
    for part in key.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found


def as_yaml(settings: dict[str, Any]) -> str:
    """Settings as they would stand in `params.yaml`, a line a key where they are short."""
    yaml, text = YAML(), StringIO()
    yaml.default_flow_style = None
    yaml.width = 100
    yaml.dump(settings, text)
    return text.getvalue()
