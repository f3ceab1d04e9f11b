"""A copy of the project to run real DVC in."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.lock import ROOT


@pytest.fixture
def project_copy(tmp_path: Path) -> Path:
    """The files that git tracks, as they are in the working tree, in a repository of their own."""
    copy = tmp_path / "project"
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    for name in filter(None, tracked.split("\0")):
        if (ROOT / name).exists():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name, follow_symlinks=False)
    subprocess.run(["git", "init", "-q"], cwd=copy, check=True)
    return copy
