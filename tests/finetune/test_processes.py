"""Which GPUs runs have, and devices that stay as they are."""

import pytest
import torch

from stages.core.runtime.runtime import Runtime
from stages.core.stage.files import InputError
from stages.finetune import processes
from stages.finetune.processes import alone, places, require_own_gpus


@pytest.fixture
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine with two."""
    monkeypatch.setattr(processes, "find_device", lambda name: torch.device(name))
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


def test_runs_side_by_side_have_a_gpu_each(two_gpus: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert places(Runtime(device="cuda", threads=16)) == ["0", "1"]
    assert places(Runtime(device="cuda:1")) == ["1"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,7")
    assert places(Runtime(device="cuda")) == ["4", "7"]
    assert places(Runtime(device="cuda:1")) == ["7"]
    # Each sees but its own, which is the first that it sees.
    assert alone(Runtime(device="cuda:1", threads=2)).device == "cuda"


def test_on_a_processor_as_many_as_threads() -> None:
    assert places(Runtime(device="cpu", threads=3)) == [None, None, None]
    found = alone(Runtime(device="cpu", threads=3, processes=2))
    assert (found.device, found.threads, found.processes) == ("cpu", 1, 1)


def test_one_gpu_for_several_processes_is_refused() -> None:
    require_own_gpus(Runtime(device="cuda", processes=2))
    with pytest.raises(InputError, match="one GPU for 2 processes"):
        require_own_gpus(Runtime(device="cuda:0", processes=2))
