"""Work in several processes at once that are ready before the clock runs."""

import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.synchronize import Barrier

LONGEST = 3600  # seconds that a run, or getting ready, may take
Prepare = Callable[..., Callable[[], object]]


@contextmanager
def at_once(prepare: Prepare, arguments: tuple, count: int) -> Iterator[Callable[[], None]]:
    """A function that runs what `prepare` returns in `count` processes, once each, and waits.

    Args:
        prepare: of a module; called with the arguments in each process, which then waits.

    Raises:
        BrokenBarrierError: of that function: a process ended early.
    """
    context = multiprocessing.get_context("spawn")
    begin, end = (context.Barrier(count + 1, timeout=LONGEST) for _ in range(2))
    workers = [
        context.Process(target=_work, args=(prepare, arguments, begin, end), daemon=True)
        for _ in range(count)
    ]
    for worker in workers:
        worker.start()
    end.wait()  # all are ready

    def run() -> None:
        begin.wait()
        end.wait()

    try:
        yield run
    finally:
        for worker in workers:
            worker.terminate()
            worker.join()


def _work(prepare: Prepare, arguments: tuple, begin: Barrier, end: Barrier) -> None:
    try:
        run = prepare(*arguments)
        end.wait()
        while True:
            begin.wait()
            run()
            end.wait()
    except BaseException:
        begin.abort()
        end.abort()
        raise
