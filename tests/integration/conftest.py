"""A copy of the project to run real DVC in."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from datasets import ClassLabel, Dataset, Features, Value

from tests.integration.hub import serving
from tests.integration.warm import warm_python
from tools.pipeline import ROOT

CARD = """---
configs:
- config_name: mrpc
  data_files:
  - {split: train, path: mrpc/train.parquet}
  - {split: validation, path: mrpc/validation.parquet}
---
"""


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


@pytest.fixture(scope="session")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Hub with a few rows of `nyu-mll/glue`'s MRPC."""
    root = tmp_path_factory.mktemp("hub")
    folder = root / "datasets/nyu-mll/glue/mrpc"
    folder.mkdir(parents=True)
    label = ClassLabel(names=["not_equivalent", "equivalent"])
    features = Features(
        {"sentence1": Value("string"), "sentence2": Value("string"), "label": label}
    )
    for split, count in {"train": 48, "validation": 24}.items():
        rows = {
            "sentence1": [f"the {split} costs {row} pounds" for row in range(count)],
            "sentence2": [f"{row + row % 2} pounds for the {split}" for row in range(count)],
            "label": [1 - row % 2 for row in range(count)],
        }
        Dataset.from_dict(rows, features).to_parquet(folder / f"{split}.parquet")
    (folder.parent / "README.md").write_text(CARD)
    with serving(root) as address:
        yield address


@pytest.fixture(scope="session")
def environment(hub: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What a run needs to find that Hub."""
    offline = {"HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
    return {"HF_ENDPOINT": hub, "HF_HOME": str(tmp_path_factory.mktemp("home")), **offline}


@pytest.fixture(scope="session")
def warm(
    environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, str]]:
    """The environment of commands that find that Hub, and a `python` that need not import."""
    seeded = environment | {"PYTHONHASHSEED": "1"}
    with warm_python(tmp_path_factory.mktemp("warm"), seeded) as variables:
        yield variables
