"""The repository of git that DVC, and clones of the project, need."""

import subprocess
from pathlib import Path

from stages.core.stage.files import InputError

MEND = "a ZIP of the project has none: run `git init` in its root"


def require_repository(folder: Path) -> None:
    """Check that a folder lies in a repository of git, as DVC demands.

    Raises:
        InputError: it does not.
    """
    place = folder.resolve()
    if not any((around / ".git").exists() for around in (place, *place.parents)):
        raise InputError(f"{folder}: there is no repository of git, which DVC needs; {MEND}")


def clone_to(source: Path, target: Path) -> None:
    """Clone the repository of a folder, as it was committed.

    Raises:
        InputError: git cannot; the message has its words.
    """
    require_repository(source)
    command = ["git", "clone", "-q", str(source), str(target)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise InputError(f"git clone {source} {target} failed: {done.stderr.strip()}")
