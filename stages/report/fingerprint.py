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

from stages.core.stage.lock_file import LOCK, read_lock
from stages.core.stage.places import CODE

WRITTEN = ("work/", "reports/")  # where stages write
SUMS = f"{CODE.as_posix()}/"  # of source files, alike on every processor
LEFT_OUT = ("report", "code")  # `code` depends on all source files, those of no result among them
DIGITS = 12


def fingerprint(lock: Path = Path(LOCK)) -> str | None:
    """The first digits of the SHA-256 of what went in; None where there is no lock.

    Raises:
        InputError: a kill cut the lock short.
    """
    if not lock.is_file():
        return None
    stages = read_lock(lock)
    went_in = {name: _inputs(stage) for name, stage in stages.items() if name not in LEFT_OUT}
    text = json.dumps(went_in, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def _inputs(stage: dict[str, Any]) -> dict[str, Any]:
    """The command of a stage, its settings, and the sums of its code and of other sources."""
    sums = {
        part["path"]: part["md5"]
        for part in stage.get("deps", [])
        if part["path"].startswith(SUMS) or not part["path"].startswith(WRITTEN)
    }
    return {"cmd": stage["cmd"], "deps": sums, "params": stage.get("params", {})}
