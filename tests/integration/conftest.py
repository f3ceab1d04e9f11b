"""A copy of the project to run real DVC in."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tools.lock import ROOT


def copy_project(folder: Path) -> Path:
    """The files that git tracks, as they are in the working tree, in a repository of their own."""
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    for name in filter(None, tracked.split("\0")):
        if os.path.lexists(ROOT / name):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder


@pytest.fixture
def project_copy(tmp_path: Path) -> Path:
    """A copy of the project for one test."""
    return copy_project(tmp_path / "project")


@pytest.fixture(scope="module")
def module_copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project for all tests of a module."""
    return copy_project(tmp_path_factory.mktemp("copy") / "project")


@pytest.fixture(scope="module")
def committed(module_copy: Path) -> Path:
    """The project as a clone has it: lock and reports, no outputs, nothing uncommitted."""
    author = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for words in (["add", "-A"], [*author, "commit", "-qm", "all"]):
        subprocess.run(["git", *words], cwd=module_copy, check=True)
    return module_copy
