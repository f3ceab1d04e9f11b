"""Running independent pieces of a stage in threads of this process, or on a Ray cluster.

One thread computes each piece, wherever it runs: two cores do two pieces in less time than they do
one piece together twice, and results depend neither on the place nor on the number of threads.
Kinds of processor differ in the last digits, as always.
"""

import os
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Protocol, TypeVar, runtime_checkable

import torch

import stages
from stages.core.runtime.runtime import Runtime, find_device, settle
from stages.core.stage.files import InputError
from stages.core.stage.settings import PARAMETER_FILE


@runtime_checkable
class Twinned(Protocol):
    """An object that all pieces need, for pieces that threads of this process run."""

    def twin(self) -> "Twinned":
        """A copy for another thread; what is only read may be the same."""


@runtime_checkable
class Shared(Twinned, Protocol):
    """An object that all pieces need, for pieces that may run elsewhere."""

    def moved(self, device: torch.device) -> "Shared":
        """A copy on another device."""


Job = TypeVar("Job")
Result = TypeVar("Result")
Piece = Callable[[Any, Job], Result]
LOCAL, RAY = "local", "ray:"
CONNECT_SECONDS = 5
AHEAD = 2  # jobs a thread that may be done before they are due
LOOPBACK = ("127.0.0.1", "localhost")
RETRIES = 5  # of a piece whose worker or machine was lost


def fan_out(
    function: Piece, shared: Shared, jobs: Iterable[Job], runtime: Runtime
) -> Iterator[tuple[Job, Result]]:
    """Yield every job with `function(shared, job)`, in any order, as they are finished.

    Args:
        shared: each thread has its own twin of it, each process of a cluster a copy.

    Raises:
        InputError: `runtime.fan_out` is neither `local` nor the address of a cluster that answers.
    """
    if runtime.fan_out == LOCAL:
        yield from _in_threads(function, shared, list(jobs), _threads(runtime))
    elif runtime.fan_out.startswith(RAY):
        yield from _on_ray(function, shared, list(jobs), runtime)
    else:
        raise InputError(
            f"{PARAMETER_FILE}: `runtime.fan_out` is {runtime.fan_out!r}; use local, ray:auto or "
            "ray:HOST:PORT"
        )


def in_order(
    function: Piece, shared: Twinned, jobs: Iterable[Job], runtime: Runtime
) -> Iterator[Result]:
    """Yield `function(shared, job)` of every job, in their order, from threads of this process.

    Few jobs are taken ahead of the one that is due: memory does not grow with their number.
    """
    threads = _threads(runtime)
    ahead: deque[Future] = deque()
    with _workers(function, shared, threads) as submit:
        for job in jobs:
            ahead.append(submit(job))
            if len(ahead) > AHEAD * threads:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()


def _threads(runtime: Runtime) -> int:
    # A GPU is kept busy by one thread.
    return runtime.threads if find_device(runtime.device).type == "cpu" else 1


def _in_threads(
    function: Piece, shared: Twinned, jobs: list[Job], threads: int
) -> Iterator[tuple[Job, Result]]:
    with _workers(function, shared, threads) as submit:
        running = {submit(job): job for job in jobs}
        for done in as_completed(running):
            yield running[done], done.result()


@contextmanager
def _workers(
    function: Piece, shared: Twinned, threads: int
) -> Iterator[Callable[[Job], "Future[Result]"]]:
    """Yield a function that hands a job to a free one of `threads` threads, each with its twin."""
    twins: SimpleQueue[Twinned] = SimpleQueue()
    for number in range(threads):
        twins.put(shared if number == 0 else shared.twin())

    def run(job: Job) -> Result:
        own = twins.get()
        try:
            return _in_one_thread(function, own, job)
        finally:
            twins.put(own)

    before = torch.get_num_threads()
    pool = ThreadPoolExecutor(threads)
    try:
        yield lambda job: pool.submit(run, job)
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(before)


def _in_one_thread(function: Piece, shared: Any, job: Job) -> Result:
    torch.set_num_threads(1)  # of the calling thread
    return function(shared, job)


def _on_ray(
    function: Piece, shared: Shared, jobs: list[Job], runtime: Runtime
) -> Iterator[tuple[Job, Result]]:
    ray = _connected(runtime)
    try:
        device = _cluster_device(runtime.device, ray.cluster_resources())
        gpus = 1 if device == "cuda" else 0
        # Ray would end a process that has a GPU after each piece.
        options = {"num_cpus": 1, "num_gpus": gpus, "max_retries": RETRIES, "max_calls": 0}
        remote = ray.remote(**options)(_elsewhere)
        # In a list, or Ray would unpack it for every piece.
        kept = [ray.put(shared.moved(torch.device("cpu")))]
        waiting = {remote.remote(function, kept, job, device): job for job in jobs}
        while waiting:
            (done,), _ = ray.wait(list(waiting), num_returns=1)
            yield waiting.pop(done), ray.get(done)
    finally:
        ray.shutdown()


def _cluster_device(wanted: str, resources: dict[str, float]) -> str:
    """The device of the cluster's machines, `cuda` or `cpu`; they number their GPUs themselves.

    Raises:
        InputError: a GPU is wanted and no machine has one.
    """
    has_gpu = resources.get("GPU", 0) >= 1
    kind = wanted.partition(":")[0]
    if kind == "auto":
        return "cuda" if has_gpu else "cpu"
    if kind == "cuda" and not has_gpu:
        raise InputError(
            f"{PARAMETER_FILE}: `runtime.device` is {wanted!r}, but no machine of the Ray cluster "
            "has a GPU; use auto or cpu"
        )
    return kind


# The object that the last pieces of this process needed, by Ray's name for it.
_fetched: dict[str, Any] = {}


def _elsewhere(function: Piece, kept: list[Any], job: Job, device: str) -> Result:
    import ray  # there, as this runs in one of its workers

    name = kept[0].hex()
    if name not in _fetched:
        settle()
        _fetched.clear()
        _fetched[name] = ray.get(kept[0]).moved(torch.device(device))
    return _in_one_thread(function, _fetched[name], job)


def _connected(runtime: Runtime) -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    _require_token(runtime)
    address = runtime.fan_out.removeprefix(RAY)
    host, _, port = address.rpartition(":")
    if host in LOOPBACK:
        # Read when Ray is imported: it then neither takes this machine's address in the network
        # for the loopback's nor listens on others. (Its name says for whom that is the default.)
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    try:
        import ray  # an optional dependency: requirements-cluster.txt
    except ImportError:
        raise InputError(
            f"{PARAMETER_FILE}: `runtime.fan_out` asks for Ray, which is not installed; run "
            "pip install -r requirements-cluster.txt"
        ) from None
    environment = {"OMP_WAIT_POLICY": "PASSIVE"}
    package = str(Path(stages.__file__).parent)
    try:
        if port.isdigit():
            # Ray itself would try for minutes.
            socket.create_connection((host, int(port)), timeout=CONNECT_SECONDS).close()
        ray.init(
            address,
            runtime_env={"py_modules": [package], "env_vars": environment},
            log_to_driver=False,
            logging_level="error",
        )
    except (OSError, RuntimeError) as error:
        raise InputError(
            f"{PARAMETER_FILE}: `runtime.fan_out`: no Ray cluster at {address} ({error}); start "
            "one with `ray start --head`, and give other machines its RAY_AUTH_TOKEN"
        ) from None
    return ray


def _require_token(runtime: Runtime) -> None:
    """Refuse a cluster that anyone who reaches it can have run code; use the token otherwise.

    Raises:
        InputError: there is no token, and no setting that says that none is needed.
    """
    if runtime.cluster_without_token:
        return
    mode = os.environ.setdefault("RAY_AUTH_MODE", "token")
    named = os.environ.get("RAY_AUTH_TOKEN_PATH")
    kept = Path(named) if named else Path.home() / ".ray" / "auth_token"
    if mode != "token" or not (os.environ.get("RAY_AUTH_TOKEN") or kept.is_file()):
        raise InputError(
            f"{PARAMETER_FILE}: `runtime.fan_out` asks for Ray, and there is no token (or "
            "RAY_AUTH_MODE is not token): whoever reaches such a cluster runs code on it. Make one "
            "with `ray get-auth-token --generate`, copy ~/.ray/auth_token to all machines, and "
            "start the cluster with RAY_AUTH_MODE=token; or set `cluster_without_token: true`"
        )
