"""Killing while DVC writes its lock, and mending that; whole rebuilds are killed by hand."""

import subprocess
import sys
from pathlib import Path

import pytest

from stages.core.stage.files import InputError
from stages.core.stage.lock_file import LOCK, read_lock
from tools.kills import STAGE, WRITING, ended, kill, mend_lock

WHOLE = "schema: '2.0'\nstages:\n  a:\n    cmd: b\n"
# As DVC: the lock is emptied and written later. Both wait for a line.
REWRITES = """
import sys
sys.stdin.readline()
file = open("dvc.lock", "w")
sys.stdin.readline()
"""


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    """A committed lock."""
    file = tmp_path / LOCK
    file.write_text(WHOLE)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *command], cwd=tmp_path, check=True)
    return file


def test_dvc_is_killed_while_its_lock_is_empty_and_both_mends_do(lock):
    rebuild = subprocess.Popen(
        [sys.executable, "-c", REWRITES], cwd=lock.parent, stdin=subprocess.PIPE, text=True
    )
    assert ended(rebuild, STAGE, 0, lock) is None
    rebuild.stdin.write("\n")
    rebuild.stdin.flush()
    assert ended(rebuild, WRITING, 0, lock) is None
    assert kill(rebuild, WRITING)
    assert lock.read_bytes() == b""
    with pytest.raises(InputError, match="run `git checkout dvc.lock`, or remove it"):
        read_lock(lock)
    mend_lock(lock, committed=True)
    assert read_lock(lock) == {"a": {"cmd": "b"}}
    lock.write_text(WHOLE[:20])
    mend_lock(lock, committed=False)
    assert not lock.exists()


def test_a_cut_lock_that_was_never_committed_is_removed(tmp_path):
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / LOCK).write_text(WHOLE[:20])
    mend_lock(tmp_path / LOCK, committed=True)
    assert not (tmp_path / LOCK).exists()


def test_a_rebuild_that_ends_before_it_writes_is_not_waited_for(lock):
    rebuild = subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"])
    assert ended(rebuild, WRITING, 0, lock) == 3
    mend_lock(lock, committed=False)
    assert lock.read_text() == WHOLE


@pytest.mark.parametrize("text", ["", "schema: '2.0'\nstages", "stages:", "[1]", "a: \x00", "s"])
def test_a_lock_that_was_cut_short_is_refused_with_the_mend(tmp_path, text):
    (tmp_path / LOCK).write_text(text)
    with pytest.raises(InputError, match="cut short, as by a kill .* takes what was done from"):
        read_lock(tmp_path / LOCK)
