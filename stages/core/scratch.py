"""Where a stage keeps work in progress, so that a killed run goes on instead of starting again.

DVC deletes a stage's outputs before it runs the stage, so progress lives in a git-ignored folder
of its own, named by a fingerprint of everything that the work depends on: work in progress for
other parameters, data or weights is never taken up.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

from stages.core.files import remove

SCRATCH = Path("work/scratch")


def fingerprint(parameters: Any, files: list[Path]) -> str:
    """Hash of JSON-like parameters and of the contents of files."""
    digest = hashlib.sha256(json.dumps(parameters, sort_keys=True, default=str).encode())
    for file in files:
        with open(file, "rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()[:16]


def scratch_folder(name: str, mark: str) -> Path:
    """The folder for work in progress `name` (as `ablate/mrpc-0`) with fingerprint `mark`.

    Work in progress of the same name with another fingerprint is thrown away.
    """
    folder = SCRATCH / name / mark
    for other in folder.parent.glob("*"):
        if other != folder:
            remove(other)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
