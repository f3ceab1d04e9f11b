"""One GPU of several, and devices that stay as they are."""

import pytest

from stages.core.runtime.runtime import Runtime
from stages.core.stage.files import InputError
from stages.finetune import processes
from stages.finetune.processes import on_one_gpu


def test_one_gpu_of_several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,7")
    assert on_one_gpu(Runtime(device="cuda:1")).device == "cuda"
    assert processes.os.environ["CUDA_VISIBLE_DEVICES"] == "7"
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    on_one_gpu(Runtime(device="cuda:2"))
    assert processes.os.environ["CUDA_VISIBLE_DEVICES"] == "2"
    with pytest.raises(InputError, match="one GPU for 2 processes"):
        on_one_gpu(Runtime(device="cuda:0", processes=2))


@pytest.mark.parametrize("device", ["auto", "cpu", "cuda", "mps"])
def test_other_devices_stay(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert on_one_gpu(Runtime(device=device)).device == device
    assert "CUDA_VISIBLE_DEVICES" not in processes.os.environ
