"""Stages that are forked from a process with the libraries do what they do by themselves."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from stages.core.stage import preloaded
from tests.core.stage.test_parent import ended

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forked on Linux alone")

ROOT = Path(__file__).resolve().parents[3]
ROOM = '''
import json, os, signal, sys, time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated
import typer
from stages.core.stage.command import stage_command
from stages.core.stage.files import InputError
from stages.core.stage.preloaded import is_fork

def main(what: Annotated[str, typer.Option()]) -> None:
    """Do one of some things."""
    loaded = "torch" in sys.modules
    facts = {"fork": is_fork(), "loaded": loaded, "folder": os.getcwd(), "words": sys.argv[1:]}
    if what == "tell":
        print(json.dumps(facts | {"stage": os.environ["DVC_STAGE"]}))
        print("of progress", file=sys.stderr)
    elif what == "refuse":
        raise InputError("params.yaml: `what` is wrong")
    elif what == "die":
        os.kill(os.getpid(), signal.SIGTERM)
    elif what == "share":
        with ProcessPoolExecutor(2, get_context("spawn")) as pool:
            print(list(pool.map(abs, [-1, -2])), is_fork())
    elif what == "wait":
        Path("process").write_text(f"{os.getpid()} {is_fork()}")
        try:
            time.sleep(60)
        except KeyboardInterrupt:
            Path("interrupted").touch()
            raise

if __name__ == "__main__":
    stage_command(main)
'''


@pytest.fixture(scope="module")
def room(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("preloaded")
    (folder / "room").mkdir()
    (folder / "room/__init__.py").touch()
    (folder / "room/__main__.py").write_text(ROOM)
    return folder


@pytest.fixture(scope="module")
def environment(room: Path) -> dict[str, str]:
    """One of its own, so that no other test's process is for it."""
    own = {"PYTHONPATH": str(ROOT), "OF_THESE_TESTS": str(room), "DVC_STAGE": "room@one"}
    kept = {name: value for name, value in os.environ.items() if name != preloaded.SWITCH}
    return kept | own


def command(what: str) -> list[str]:
    return [sys.executable, "-m", "room", "--what", what]


def run(room: Path, environment: dict[str, str], what: str) -> subprocess.CompletedProcess:
    done = [command(what), room, environment]
    return subprocess.run(done[0], cwd=done[1], env=done[2], capture_output=True, text=True)


@pytest.fixture(scope="module")
def ready(room: Path, environment: dict[str, str]) -> Iterator[dict[str, str]]:
    """The environment, once the process that the first command left has loaded everything."""
    first = run(room, environment, "tell")
    assert '"fork": false, "loaded": false' in first.stdout
    until = time.monotonic() + 120
    while '"fork": true' not in run(room, environment, "tell").stdout:
        assert time.monotonic() < until
        time.sleep(0.5)
    yield environment


def test_a_fork_has_libraries_words_folder_environment_and_streams(room, ready):
    done = run(room, ready | {"DVC_STAGE": "room@two"}, "tell")
    assert '"fork": true, "loaded": true' in done.stdout
    assert f'"folder": "{room}"' in done.stdout
    assert '"words": ["--what", "tell"]' in done.stdout
    assert '"stage": "room@two"' in done.stdout
    assert (done.stderr, done.returncode) == ("of progress\n", 0)


@pytest.mark.parametrize(("what", "status"), [("refuse", 2), ("nothing", 0), ("die", -15)])
def test_it_ends_as_by_itself(room, ready, what, status):
    forked, alone = (run(room, one, what) for one in (ready, ready | {preloaded.SWITCH: "0"}))
    assert (forked.returncode, forked.stderr) == (alone.returncode, alone.stderr)
    assert forked.returncode == status


def test_processes_of_its_own_are_no_forks(room, ready):
    assert run(room, ready, "share").stdout == "[1, 2] True\n"


@pytest.mark.parametrize("change", [{"OMP_NUM_THREADS": "7"}, {preloaded.SWITCH: "0"}])
def test_another_environment_is_not_served(room, ready, change):
    assert '"fork": false, "loaded": false' in run(room, ready | change, "tell").stdout


def test_another_priority_is_not_served(room, ready):
    done = subprocess.run(
        ["nice", "-n", "1", *command("tell")], cwd=room, env=ready, capture_output=True, text=True
    )
    assert '"fork": false' in done.stdout


def interruptible() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def waiting(room: Path, environment: dict[str, str]) -> tuple[subprocess.Popen, int]:
    """A command and its fork."""
    (room / "process").unlink(missing_ok=True)
    # A shell lets what it starts in the background ignore interrupts, these tests among it.
    asking = subprocess.Popen(command("wait"), cwd=room, env=environment, preexec_fn=interruptible)
    while not (room / "process").exists() or not (room / "process").read_text():
        time.sleep(0.05)
    process, fork = (room / "process").read_text().split()
    assert fork == "True"
    assert int(process) != asking.pid
    return asking, int(process)


def test_a_fork_ends_with_the_command(room, ready):
    asking, process = waiting(room, ready)
    asking.kill()
    asking.wait()
    assert ended(process, 10)
    assert '"fork": true' in run(room, ready, "tell").stdout  # what it was forked from is there


def test_what_interrupts_the_command_interrupts_its_fork(room, ready):
    asking, process = waiting(room, ready)
    asking.send_signal(signal.SIGINT)
    assert asking.wait(10) == 130  # as typer ends what is interrupted
    assert (room / "interrupted").exists()
    assert ended(process, 10)


def test_it_ends_when_it_has_nothing_to_do_and_serves_an_address_alone():
    name = f"stages-of-a-test-{os.getpid()}"
    code = (
        f"import sys; sys.path[:0] = [{str(ROOT)!r}]; from stages.core.stage import preloaded; "
        f"preloaded.LOADED = (); preloaded.serve('\\0{name}', float(sys.argv[1]))"
    )
    patient = subprocess.Popen([sys.executable, "-c", code, "3"])
    time.sleep(1.5)  # Python starts
    began = time.monotonic()
    assert subprocess.run([sys.executable, "-c", code, "60"], timeout=30).returncode == 0
    assert time.monotonic() - began < 20
    assert patient.wait(30) == 0
