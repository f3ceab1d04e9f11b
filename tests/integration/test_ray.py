"""The grid on two Ray nodes of this machine: the same bytes, also when a worker is lost."""

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import psutil
import pytest

from stages.core.encoder.batches import Encoded
from stages.core.fan_out import fan_out
from stages.core.grid import run as grid_run
from stages.core.grid.grid import Grid
from stages.core.grid.run import _run_piece, run_gates
from stages.core.heads.gates import single_heads
from stages.core.heads.seam import Gated
from stages.core.runtime.runtime import Runtime
from stages.core.stage.files import InputError

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="processes are killed by signals"),
    pytest.mark.skipif(
        find_spec("ray") is None, reason="Ray is not installed: requirements-cluster.txt"
    ),
]


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Iterator[str]:
    """Two nodes of one core each, that nobody reaches from elsewhere or without the token."""
    node = {"num_cpus": 1, "node_ip_address": "127.0.0.1"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # on the loopback alone
        patch.setenv("RAY_AUTH_MODE", "token")
        patch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
        from ray.cluster_utils import Cluster  # reads all of these when it is imported

        cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
        cluster.add_node(**node)
        yield cluster.address
        cluster.shutdown()


STRANGER = """
import sys
from stages.core.fan_out import fan_out
from stages.core.runtime.runtime import Runtime
class Nothing:
    def twin(self): return self
    def moved(self, device): return self
for _ in fan_out(lambda _, job: print("ran", job), Nothing(), [1], Runtime(fan_out=sys.argv[1])):
    print("ran")
"""


@pytest.fixture(scope="module", autouse=True)
def stranger(address) -> subprocess.Popen:
    """One with another token, whom Ray lets try for twenty seconds: from the first test on."""
    command = [sys.executable, "-c", STRANGER, f"ray:{address}"]
    environment = {**os.environ, "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True)


class Nothing:
    """What pieces need that need nothing."""

    def twin(self):
        return self

    def moved(self, device):
        return self


@pytest.fixture
def grid_and_texts(tiny_classifier) -> tuple[Grid, Encoded]:
    gated = Gated(tiny_classifier)
    generator = np.random.default_rng(0)
    ids = [generator.integers(5, 40, length).tolist() for length in generator.integers(4, 30, 40)]
    inputs = {"input_ids": ids, "attention_mask": [[1] * len(row) for row in ids]}
    encoded = Encoded(inputs, {"input_ids": 0, "attention_mask": 0}, ids)
    gates = [
        gate
        for mode in ("zero", "uniform")
        for gate in single_heads(gated.layers, gated.heads, mode)
    ]
    return Grid(gated, gates), encoded


def pieces(folder: Path) -> dict[str, bytes]:
    (pieces,) = folder.iterdir()
    return {file.name: file.read_bytes() for file in pieces.iterdir()}


def killed_once(notes: Path, grid: Grid, piece: tuple) -> tuple[np.ndarray, np.ndarray]:
    """A piece that notes its process and node; the first worker that has begun one is killed."""
    import ray

    (notes / f"{os.getpid()}-{ray.get_runtime_context().get_node_id()}").touch()
    time.sleep(0.3)  # long enough for both nodes to get some
    try:
        (notes / "killed").touch(exist_ok=False)
    except FileExistsError:
        return _run_piece(grid, piece)
    os.kill(os.getpid(), signal.SIGKILL)


def test_two_nodes_make_the_same_bytes_though_a_worker_is_killed(
    address, grid_and_texts, tmp_path, monkeypatch
):
    grid, encoded = grid_and_texts
    here = run_gates(grid, encoded, 4, Runtime(threads=2), tmp_path / "here", tmp_path)
    notes = tmp_path / "notes"
    notes.mkdir()
    monkeypatch.setattr(grid_run, "_run_piece", partial(killed_once, notes))
    runtime = Runtime(fan_out=f"ray:{address}")
    there = run_gates(grid, encoded, 4, runtime, tmp_path / "there", tmp_path)
    assert (notes / "killed").exists()
    processes, nodes = zip(*(note.name.split("-") for note in notes.glob("*-*")), strict=True)
    assert len(set(nodes)) == 2
    assert str(os.getpid()) not in processes
    assert pieces(tmp_path / "here") == pieces(tmp_path / "there")
    for one, other in zip(here, there, strict=True):
        np.testing.assert_array_equal(one, other)


def listening(processes: list[psutil.Process]) -> set[str]:
    """The addresses that these processes listen on."""
    addresses = set()
    for process in processes:
        with suppress(psutil.NoSuchProcess):  # Ray's idle workers come and go
            addresses |= {
                connection.laddr.ip.removeprefix("::ffff:")
                for connection in process.net_connections("inet")
                if connection.status == psutil.CONN_LISTEN
            }
    return addresses


def heard(shared: Nothing, job: int) -> set[str]:
    """What the process of a piece and those that gave it the piece listen on."""
    process = psutil.Process()
    return listening([process, *process.parents()[:1]])


def test_nobody_else_reaches_it(address, stranger):
    """Not from another machine, nor from this one with another token."""
    runtime = Runtime(fan_out=f"ray:{address}")
    for _, there in fan_out(heard, Nothing(), [1, 2], runtime):
        assert there == {"127.0.0.1"}
    assert listening([psutil.Process(), *psutil.Process().children(recursive=True)]) == {
        "127.0.0.1"
    }
    out, error = stranger.communicate(timeout=120)
    assert stranger.returncode != 0
    assert "ran" not in out
    assert "no Ray cluster at" in error


def never(_: Nothing, job: int) -> None:
    raise AssertionError(f"job {job} was run")


def test_no_cluster_is_said(monkeypatch):
    monkeypatch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
    with pytest.raises(InputError, match="no Ray cluster at 127.0.0.1:1"):
        list(fan_out(never, Nothing(), [1], Runtime(threads=1, fan_out="ray:127.0.0.1:1")))


def test_a_cluster_without_token_is_not_joined(monkeypatch, tmp_path):
    monkeypatch.delenv("RAY_AUTH_TOKEN", raising=False)
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", str(tmp_path / "none"))
    runtime = Runtime(threads=1, fan_out="ray:127.0.0.1:1")
    with pytest.raises(InputError, match="there is no token"):
        list(fan_out(never, Nothing(), [1], runtime))
    allowed = runtime.model_copy(update={"cluster_without_token": True})
    with pytest.raises(InputError, match="no Ray cluster at"):
        list(fan_out(never, Nothing(), [1], allowed))
