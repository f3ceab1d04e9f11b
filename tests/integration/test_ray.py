"""The grid on two Ray nodes of this machine: the same bytes, also when a worker is lost."""

import os
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
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

ray = pytest.importorskip("ray", reason="Ray is not installed: requirements-cluster.txt")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are killed by signals")


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Iterator[str]:
    """Two nodes of one core each."""
    from ray.cluster_utils import Cluster

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    cluster.add_node(num_cpus=1)
    yield cluster.address
    cluster.shutdown()


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


def never(_: Nothing, job: int) -> None:
    raise AssertionError(f"job {job} was run")


def test_no_cluster_is_said():
    with pytest.raises(InputError, match="no Ray cluster at 127.0.0.1:1"):
        list(fan_out(never, Nothing(), [1], Runtime(threads=1, fan_out="ray:127.0.0.1:1")))
