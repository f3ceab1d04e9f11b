"""A fingerprint of code, settings and data of the project, of what `dvc.lock` says of them.

A committed report cannot name its own commit. What it can name are the sums that DVC wrote of all
that went into it: commands, code, settings and data of the repository. What stages wrote is left
out, as another processor gives other last digits; so is the entry of `report`, which is written
only after the report.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

LOCK = Path("dvc.lock")
WRITTEN = ("work/", "reports/")  # where stages write
OWN_STAGE = "report"
DIGITS = 12


def fingerprint(lock: Path = LOCK) -> str | None:
    """The first digits of the SHA-256 of what went in; None where there is no lock."""
    if not lock.is_file():
        return None
    stages = YAML(typ="safe").load(lock.read_text(encoding="utf-8"))["stages"]
    went_in = {name: _inputs(stage) for name, stage in stages.items() if name != OWN_STAGE}
    text = json.dumps(went_in, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def _inputs(stage: dict[str, Any]) -> dict[str, Any]:
    """The command of a stage, its settings, and the sums of the files that no stage writes."""
    sums = {
        part["path"]: part["md5"]
        for part in stage.get("deps", [])
        if not part["path"].startswith(WRITTEN)
    }
    return {"cmd": stage["cmd"], "deps": sums, "params": stage.get("params", {})}
