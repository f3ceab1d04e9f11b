"""Killing a rebuild at many moments: `python -m tools.kills configurations/quick`.

A clone of the commit is rebuilt once without interruption. In another `dvc repro` is killed again
and again: DVC alone, the stage alone, both at once, and DVC while it writes its lock, in turn. Then
the lock is mended where it was cut short, and the rebuild begun anew. No process may be left ten
seconds after a kill, and in the end each output must have the bytes of the first clone.
Neither clone takes anything from a cache. Takes about four times as long as one rebuild.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated
from uuid import uuid4

import psutil
import typer
from tqdm import tqdm

from stages.core.stage.command import stage_command
from stages.core.stage.files import InputError
from stages.core.stage.lock_file import LOCK, read_lock
from tools.repository import clone_to

DVC, STAGE, ALL, WRITING = KILLED = ("dvc", "stage", "all", "dvc that writes its lock")
MARK = "KILLED_REBUILD"  # in the environment of everything that a rebuild starts
GRACE_SECONDS = 10
LOOK_SECONDS = 0.002  # between two looks at the lock, which is empty for longer
EARLIEST, LATEST = 2, 30  # seconds of a rebuild before it is killed


def outputs(lock: Path) -> dict[str, str]:
    """The hash of every output of every stage of a lock file, by path."""
    stages = read_lock(lock).values()
    return {out["path"]: out["md5"] for stage in stages for out in stage.get("outs", ())}


def of_rebuild(mark: str) -> Iterator[psutil.Process]:
    """The processes that a rebuild with this mark started and that still run."""
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == mark and process.status() != psutil.STATUS_ZOMBIE:
                yield process
        except psutil.Error:
            continue  # ended, or is another user's


def started(folder: Path, log: Path, mark: str) -> subprocess.Popen:
    """`dvc repro` in `folder`, leader of a group of its own."""
    environment = {**os.environ, MARK: mark}
    environment.pop("OMP_WAIT_POLICY", None)
    with log.open("ab") as file:
        return subprocess.Popen(
            [sys.executable, "-m", "dvc", "repro"],
            cwd=folder,
            env=environment,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )


def kill(rebuild: subprocess.Popen, what: str) -> bool:
    """Kill DVC, the stage that it runs (its shell's child) or the whole group.

    Returns:
        Whether there was such a process.
    """
    try:
        if what == ALL:
            os.killpg(rebuild.pid, signal.SIGKILL)
        elif what in (DVC, WRITING):
            rebuild.kill()
        else:
            running = psutil.Process(rebuild.pid).children(recursive=True)
            stages = [one for one in running if "-m stages " in " ".join(one.cmdline())]
            stages[-1].kill()
    except (psutil.NoSuchProcess, ProcessLookupError, IndexError):
        return False
    rebuild.wait()
    return True


def ended(rebuild: subprocess.Popen, what: str, seconds: float, lock: Path) -> int | None:
    """The status of a rebuild that ended by itself; None when it is time to kill it."""
    try:
        return rebuild.wait(seconds)
    except subprocess.TimeoutExpired:
        return rebuild.wait() if what == WRITING and not writes_lock(rebuild, lock) else None


def writes_lock(rebuild: subprocess.Popen, lock: Path) -> bool:
    """Wait until DVC has emptied its lock to write it anew; False if the rebuild ends before."""
    longest = 0
    while rebuild.poll() is None:
        size = lock.stat().st_size if lock.exists() else 0
        if size < longest:
            return True
        longest = size
        time.sleep(LOOK_SECONDS)
    return False


def mend_lock(lock: Path, committed: bool) -> None:
    """Do as DVC's user is told where a kill has cut the lock short.

    Args:
        committed: take the committed lock, where there is one; else remove it.
    """
    try:
        read_lock(lock)
    except InputError:
        lock.unlink(missing_ok=True)
        if committed:
            # Some configurations come without a lock.
            command = ["git", "checkout", "-q", lock.name]
            subprocess.run(command, cwd=lock.parent, check=False, capture_output=True)


def left_after(mark: str) -> list[str]:
    """The processes of a rebuild that are left, at the latest `GRACE_SECONDS` after it ended."""
    deadline = time.monotonic() + GRACE_SECONDS
    while left := list(of_rebuild(mark)):
        if time.monotonic() > deadline:
            return [" ".join(process.cmdline()) for process in left]
        time.sleep(0.2)
    return []


def main(
    folder: Annotated[Path, typer.Argument(help="A configuration, relative to the repository.")],
    kills: Annotated[int, typer.Option(help="How many.")] = 20,
    seed: Annotated[int, typer.Option(help="Of the moments.")] = 0,
) -> None:
    """Kill a rebuild of FOLDER again and again, and compare its outputs with an uninterrupted one.

    Raises:
        InputError: the folder is not in the repository, a process was left, a rebuild failed by
            itself, or an output differs.
    """
    if folder.is_absolute() or ".." in folder.parts:
        raise InputError(f"{folder}: name it relative to the repository, as configurations/quick")
    draws = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        whole, torn = Path(name, "whole"), Path(name, "torn")
        for place in (whole, torn):
            clone_to(Path(), place)
        log, lock = Path(name, "log.txt"), torn / folder / LOCK
        began = time.monotonic()
        if started(whole / folder, log, uuid4().hex).wait():
            raise InputError(_failed(log))
        typer.echo(f"uninterrupted: {time.monotonic() - began:.0f} s")
        done = 0
        with tqdm(total=kills, unit="kill") as bar:
            while done < kills:
                mark, what = uuid4().hex, KILLED[done % len(KILLED)]
                mend_lock(lock, committed=done // len(KILLED) % 2 == 1)
                rebuild = started(torn / folder, log, mark)
                code = ended(rebuild, what, draws.uniform(EARLIEST, LATEST), lock)
                if code:
                    raise InputError(_failed(log))
                if code == 0:
                    break
                if not kill(rebuild, what):
                    rebuild.kill()
                    rebuild.wait()
                    continue  # between two stages: another moment
                if left := left_after(mark):
                    raise InputError(
                        f"{GRACE_SECONDS} s after the {what} was killed these still ran: {left}"
                    )
                done += 1
                bar.update()
        mend_lock(lock, committed=True)
        if started(torn / folder, log, uuid4().hex).wait():
            raise InputError(_failed(log))
        expected, found = outputs(whole / folder / LOCK), outputs(lock)
        differing = sorted(
            path for path in expected | found if expected.get(path) != found.get(path)
        )
        if differing:
            raise InputError(f"after {done} kills these outputs differ: {differing}")
        typer.echo(f"{done} kills, no process left, the same bytes in all {len(found)} outputs")


def _failed(log: Path) -> str:
    kept = shutil.copy(log, Path(tempfile.gettempdir(), f"kills-{uuid4().hex[:8]}.txt"))
    return f"a rebuild failed by itself: {kept}"


if __name__ == "__main__":
    stage_command(main)
