"""Where a stage runs. No stage declares these parameters, so changing them re-runs nothing."""

import gc
import random
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import torch
from pydantic import NonNegativeInt, PositiveInt

from stages.core.runtime.memory import keep_freed_memory
from stages.core.stage.files import InputError
from stages.core.stage.settings import PARAMETER_FILE, Parameters, section

Precision = Literal["fp32", "bf16"]
DTYPES: dict[Precision, torch.dtype] = {"fp32": torch.float32, "bf16": torch.bfloat16}


class ByDevice(NamedTuple):
    """A number that differs between a CPU and other devices."""

    cpu: int
    others: int

    def on(self, device: torch.device) -> int:
        """The number for a device."""
        return self.cpu if device.type == "cpu" else self.others


class Runtime(Parameters, section="runtime"):
    """The section `runtime` of `params.yaml`."""

    device: str = "auto"
    threads: PositiveInt = 2
    workers: NonNegativeInt = 0
    processes: PositiveInt = 1
    fan_out: str = "local"
    cluster_without_token: bool = False
    checkpoint_steps: PositiveInt = 200


def read_runtime(file: str | Path = PARAMETER_FILE) -> Runtime:
    """Read the section `runtime` of `file`."""
    return section(Runtime, "runtime", file)


def start(runtime: Runtime, seed: int) -> torch.device:
    """Seed every generator, ask for repeatable algorithms, settle memory, and return the device.

    Raises:
        InputError: the device asked for is not on this machine.
    """
    settle()
    torch.set_num_threads(runtime.threads)
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - libraries that draw from the global state
    torch.manual_seed(seed)
    return find_device(runtime.device)


def settle() -> None:
    """Ask for repeatable algorithms and settle memory, in this process."""
    gc.freeze()  # imported modules stay to the end: collecting garbage need not look at them
    keep_freed_memory()
    torch.use_deterministic_algorithms(True, warn_only=True)
    # Filling takes a tenth of the time of tuning. It shows reads of memory that was never
    # written, and nothing here reads such.
    torch.utils.deterministic.fill_uninitialized_memory = False
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = True


def find_device(name: str) -> torch.device:
    """Turn `runtime.device` into a device; `auto` takes a GPU where there is one.

    Raises:
        InputError: the device asked for is not on this machine.
    """
    if name == "auto":
        accelerator = torch.accelerator.current_accelerator(check_available=True)
        return accelerator or torch.device("cpu")
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            f"{PARAMETER_FILE}: `runtime.device` is {name!r}, which this machine lacks ({reason}); "
            "use auto or cpu"
        ) from None
    return device
