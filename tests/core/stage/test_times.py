"""A stage that DVC runs leaves its time; one that fails leaves none, and none fails of it."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from stages.core.stage.times import TIMES, peak_bytes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="peak memory is Linux's")

ROOT = Path(__file__).parents[3]
SLEPT, TAKEN = 0.6, 60_000_000  # seconds before anything is imported, and bytes
STAGE = """
import time
time.sleep({slept})
from stages.core.stage.command import stage_command
from stages.core.stage.files import InputError

def main() -> None:
    "Say nothing."
    taken = bytearray(b"1" * {taken})
    {end}

stage_command(main)
"""


def run(folder: Path, end: str = "", **variables: str) -> int:
    """The status of a stage in a folder."""
    (folder / "made.py").write_text(STAGE.format(slept=SLEPT, taken=TAKEN, end=end))
    environment = {name: value for name, value in os.environ.items() if name != "DVC_STAGE"}
    environment |= {"PYTHONPATH": str(ROOT)} | variables
    command = [sys.executable, "made.py"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=120)
    return done.returncode


def left(folder: Path) -> list[str]:
    return sorted(file.name for file in (folder / TIMES).glob("*")) if folder.exists() else []


def test_a_stage_leaves_its_seconds_since_its_start_its_memory_and_when(tmp_path):
    before = datetime.now(UTC)
    assert run(tmp_path, DVC_STAGE="made@a task") == 0
    after = datetime.now(UTC)
    (name,) = left(tmp_path)
    assert name == "made@a%20task.json"
    told = json.loads((tmp_path / TIMES / name).read_text())
    assert list(told) == ["stage", "item", "seconds", "peak_bytes", "ended"]
    assert (told["stage"], told["item"]) == ("made", "a task")
    took = (after - before).total_seconds()
    assert SLEPT < told["seconds"] < took + 0.1  # what came before the import counts
    assert TAKEN < told["peak_bytes"] < 10 * TAKEN
    ended = datetime.fromisoformat(told["ended"])
    assert before - timedelta(seconds=1) <= ended <= after


def test_a_later_run_takes_the_place_of_an_earlier_one_and_of_no_other_item(tmp_path):
    for name in ("made@one", "made@one", "made@two", "made"):
        assert run(tmp_path, DVC_STAGE=name) == 0
    assert left(tmp_path) == ["made.json", "made@one.json", "made@two.json"]


def test_a_stage_of_another_folder_is_named_without_it(tmp_path):
    assert run(tmp_path, DVC_STAGE="configurations/glue/dvc.yaml:made@../x") == 0
    assert left(tmp_path) == ["made@..%2Fx.json"]


@pytest.mark.parametrize("end", ["raise InputError('no')", "raise SystemExit(3)", "1 / 0"])
def test_a_stage_that_fails_leaves_none(end, tmp_path):
    assert run(tmp_path, end, DVC_STAGE="made") != 0
    assert left(tmp_path) == []


def test_a_stage_that_dvc_does_not_run_leaves_none(tmp_path):
    assert run(tmp_path) == 0
    assert left(tmp_path) == []


@pytest.mark.parametrize("name", ["made", "made@" + "x" * 300])
def test_a_time_that_cannot_be_written_fails_no_stage(name, tmp_path):
    if name == "made":
        in_the_way = tmp_path / TIMES
        in_the_way.parent.mkdir()
        in_the_way.write_text("a file, no folder")
    assert run(tmp_path, DVC_STAGE=name) == 0


def test_the_memory_of_a_worker_counts():
    worker = "import sys; taken = bytearray(b'1' * 700_000_000)"
    before = peak_bytes()
    subprocess.run([sys.executable, "-c", worker], check=True)
    assert peak_bytes() >= max(before, 700_000_000)
