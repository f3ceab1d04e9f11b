"""Where runs compute: side by side on this machine, or one of them in several processes.

Two runs of one thread each are done sooner than two of two threads one after the other, and a run
writes the same bytes whatever runs beside it.
"""

import errno
import os
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

import torch

from stages.core.runtime.runtime import Runtime, find_device
from stages.core.stage.disk import is_full
from stages.core.stage.files import InputError
from stages.core.stage.parent import end_with_parent
from stages.core.stage.settings import PARAMETER_FILE

Job = TypeVar("Job")
# What a run says while it goes on: a line to print, or how many more steps are done.
Report = Callable[[str | int], None]


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


def side_by_side(
    function: Callable[[Any, Report], None],
    jobs: Sequence[Job],
    places: Sequence[str | None],
    report: Report,
) -> Iterator[Job]:
    """Call `function(job, report)` for every job, and yield each job when it is done.

    The processes end with this one, also where it is killed.

    Args:
        function: of a module, so that the processes find it.
        places: as many jobs run at a time; each has the GPU of that name for itself, or None. Where
            they have none, jobs of a last round that would be half empty or more share the
            processors with those of the round before: three on two are done in one and a half of a
            job's time, not in two.
        report: gets what the processes report.

    Raises:
        InputError: a job raised it.
        OSError: a disk was full.
        ChildProcessError: a job ended otherwise than by its end.
    """
    # Forked from a process that has imported all and done nothing: so nothing that ran before is
    # left in it, a GPU's context neither.
    context = get_context("forkserver")
    context.set_forkserver_preload([function.__module__])
    waiting, free = list(jobs), list(places)
    shared = None if any(places) else len(places)
    running: dict[Connection, tuple[Any, Job, str | None]] = {}
    try:
        while waiting or running:
            # More at a time take more memory: worth it where the last round would be half empty.
            if shared is not None and 2 * (len(waiting) + len(running)) <= 3 * shared:
                free = [None] * len(waiting)
            while waiting and free:
                job, gpu = waiting.pop(0), free.pop(0)
                receiver, sender = context.Pipe(duplex=False)
                process = context.Process(target=_run, args=(function, job, gpu, sender))
                process.start()
                sender.close()
                running[receiver] = (process, job, gpu)
            for receiver in wait(list(running)):
                try:
                    message = receiver.recv()
                except EOFError:
                    process, job, gpu = running.pop(receiver)
                    process.join()
                    if process.exitcode:
                        raise ChildProcessError(
                            f"{job} ended with status {process.exitcode}; run the stage again: "
                            "what is finished stays, and the rest goes on from its last state"
                        ) from None
                    free.append(gpu)
                    yield job
                else:
                    if isinstance(message, InputError | OSError):
                        raise message
                    report(message)
    finally:
        for process, *_ in running.values():
            process.terminate()
            process.join()


def _run(
    function: Callable[[Any, Report], None], job: Any, gpu: str | None, sender: Connection
) -> None:
    """Do one job in this process, which is there for nothing else."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that waits for this one ends it
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if gpu is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = gpu
    torch.set_num_threads(1)
    try:
        function(job, sender.send)
    except InputError as error:
        sender.send(error)
    except Exception as error:
        if is_full(error):
            file = getattr(error, "filename", None)
            sender.send(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), file))
        else:
            traceback.print_exc()
        raise SystemExit(1) from None
    finally:
        sender.close()


def _end_with_parent() -> None:
    # It would otherwise go on, and write beside the run that follows.
    parent_process().join()
    os._exit(1)
