"""Several processes of one run under torchrun, and one GPU for a run of one process."""

import ctypes
import os
import signal
import sys

from stages.core.runtime.runtime import Runtime
from stages.core.stage.files import InputError
from stages.core.stage.settings import PARAMETER_FILE

PR_SET_PDEATHSIG = 1  # of linux/prctl.h


def process_count(runtime: Runtime) -> int:
    """How many processes share this run, whether torchrun started them or will."""
    return int(os.environ.get("WORLD_SIZE", runtime.processes))


def is_first_process() -> bool:
    """Whether this process is the one that writes."""
    return os.environ.get("RANK", "0") == "0"


def run_under_torchrun(runtime: Runtime, module: str) -> None:
    """Replace this process by `runtime.processes` of `python -m MODULE` with the same arguments.

    Returns at once where one process suffices or torchrun has started this one.
    """
    if process_count(runtime) == 1 or "WORLD_SIZE" in os.environ:
        return
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command = [*launcher, "--nproc_per_node", str(runtime.processes), "-m", module, *sys.argv[1:]]
    # torchrun sets one thread a process, with a warning, where the user has not.
    os.environ.setdefault("OMP_NUM_THREADS", str(runtime.threads))
    sys.stdout.flush()
    os.execv(sys.executable, command)


def end_with_torchrun() -> None:
    """Have the kernel end this process when torchrun is killed, which cannot do so itself then.

    It would otherwise go on, and write beside the run that follows. Linux only.
    """
    if "WORLD_SIZE" in os.environ and sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def on_one_gpu(runtime: Runtime) -> Runtime:
    """Let a run on `cuda:N` see that GPU alone, as `Trainer` takes the first or all that it sees.

    Raises:
        InputError: one GPU is named for several processes.
    """
    kind, _, number = runtime.device.partition(":")
    if kind != "cuda" or not number:
        return runtime
    if process_count(runtime) > 1:
        raise InputError(
            f"{PARAMETER_FILE}: `runtime.device` names one GPU for {process_count(runtime)} "
            "processes (`runtime.processes`); use cuda or auto, so that each takes its own"
        )
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    names = visible.split(",") if visible else [str(index) for index in range(int(number) + 1)]
    if int(number) < len(names):
        os.environ["CUDA_VISIBLE_DEVICES"] = names[int(number)]
        return runtime.model_copy(update={"device": "cuda"})
    return runtime  # `start` says that there is no such device
