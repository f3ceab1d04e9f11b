"""Where runs compute: side by side on this machine, or one of them in several processes."""

import os
import subprocess
import sys

import torch

from stages.core.runtime.runtime import Runtime, find_device
from stages.core.stage.files import InputError
from stages.core.stage.parent import end_with_parent
from stages.core.stage.settings import PARAMETER_FILE


def process_count(runtime: Runtime) -> int:
    """How many processes share a run, whether torchrun started them or will."""
    return int(os.environ.get("WORLD_SIZE", runtime.processes))


def under_torchrun() -> bool:
    """Whether torchrun started this process, for one run."""
    return "WORLD_SIZE" in os.environ


def is_first_process() -> bool:
    """Whether this process is the one that writes."""
    return os.environ.get("RANK", "0") == "0"


def places(runtime: Runtime) -> list[str | None]:
    """For each run that may go on beside the others: the GPU that it has, or None.

    Raises:
        InputError: the device asked for is not on this machine.
    """
    device = find_device(runtime.device)
    if device.type != "cuda":
        return [None] * (runtime.threads if device.type == "cpu" else 1)
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    count = torch.cuda.device_count()
    names = visible.split(",") if visible else [str(number) for number in range(count)]
    return names if device.index is None else [names[device.index]]


def alone(runtime: Runtime) -> Runtime:
    """Where a run that has a process for itself computes, of the GPUs that it sees on the first."""
    device = find_device(runtime.device).type
    return runtime.model_copy(update={"device": device, "threads": 1, "processes": 1})


def require_own_gpus(runtime: Runtime) -> None:
    """Refuse one GPU for the processes of torchrun.

    Raises:
        InputError: there are several processes, and `runtime.device` names one GPU.
    """
    if runtime.device.startswith("cuda:"):
        raise InputError(
            f"{PARAMETER_FILE}: `runtime.device` names one GPU for {runtime.processes} "
            "processes (`runtime.processes`); use cuda or auto, so that each takes its own"
        )


def run_under_torchrun(runtime: Runtime, module: str, *arguments: str) -> None:
    """Run `python -m MODULE ARGUMENTS` in `runtime.processes` processes, to their end.

    Raises:
        ChildProcessError: one of them failed.
    """
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command = [*launcher, "--nproc_per_node", str(runtime.processes), "-m", module, *arguments]
    # torchrun sets one thread a process, with a warning, where the user has not.
    environment = {"OMP_NUM_THREADS": str(runtime.threads)} | os.environ
    sys.stdout.flush()
    done = subprocess.run(command, env=environment, preexec_fn=end_with_parent)
    if done.returncode:
        raise ChildProcessError(f"torchrun ended with status {done.returncode}")
