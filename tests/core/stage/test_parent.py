"""A stage ends with the DVC that runs it, and its workers with the stage."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are killed by signals")

STAGE = """
import os, time
from pathlib import Path
from stages.core.stage.command import stage_command

def main() -> None:
    Path("child").write_text(str(os.getpid()))
    time.sleep(60)

stage_command(main)
"""
# As DVC runs a command: by a shell.
PARENT = """
import subprocess, sys
subprocess.run(f"{sys.executable} stage.py", shell=True)
"""


def is_running(process: int) -> bool:
    """Whether a process is there and no mere entry of one that ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def started(folder: Path, **environment: str) -> tuple[subprocess.Popen, int]:
    """The process in DVC's place, and the stage's."""
    (folder / "stage.py").write_text(STAGE)
    (folder / "parent.py").write_text(PARENT)
    root = str(Path(__file__).resolve().parents[3])
    environment = {**os.environ, "PYTHONPATH": root, **environment}
    parent = subprocess.Popen([sys.executable, "parent.py"], cwd=folder, env=environment)
    while not (folder / "child").exists() or not (folder / "child").read_text():
        time.sleep(0.05)
    return parent, int((folder / "child").read_text())


def ended(process: int, seconds: float) -> bool:
    """Whether a process ends within some seconds."""
    until = time.monotonic() + seconds
    while is_running(process) and time.monotonic() < until:
        time.sleep(0.05)
    return not is_running(process)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
def test_a_stage_ends_with_a_killed_dvc(tmp_path):
    parent, child = started(tmp_path, DVC_STAGE="sleep@one")
    parent.kill()
    parent.wait()
    assert ended(child, 10)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
def test_a_stage_of_ones_own_goes_on(tmp_path):
    """As one that nohup keeps."""
    environment = {name: value for name, value in os.environ.items() if name != "DVC_STAGE"}
    parent, child = started(tmp_path, **environment)
    parent.kill()
    parent.wait()
    assert not ended(child, 1)
    os.kill(child, signal.SIGKILL)
