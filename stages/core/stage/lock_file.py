"""The file `dvc.lock`, which DVC empties and writes anew after every stage."""

from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from stages.core.stage.files import InputError

LOCK = "dvc.lock"
MEND = (
    f"run `git checkout {LOCK}`, or remove it and run `dvc repro`, which takes what was done from "
    "its cache"
)


def read_lock(file: Path) -> dict[str, Any]:
    """The stages of a lock.

    Raises:
        InputError: there is none, or a kill cut it short.
    """
    if not file.is_file():
        raise InputError(f"{file}: no such file; `dvc repro` writes it")
    try:
        content = YAML(typ="safe").load(file.read_text(encoding="utf-8"))
        return dict(content["stages"])
    except (YAMLError, UnicodeDecodeError, KeyError, TypeError, ValueError):
        raise InputError(f"{file}: cut short, as by a kill while DVC wrote it; {MEND}") from None
