"""Imported by Python's start in every process of a stage: notes imports, life and peak memory.

With `REBUILD_OPERATIONS` set, also the operations of torch's matrix products, which costs time.
"""

import time

BEGIN = time.monotonic()

import atexit  # noqa: E402
import os  # noqa: E402
import sys  # noqa: E402
from _thread import get_ident  # noqa: E402

COUNTERS = []


class Imports:
    """Seconds that the main thread spends in imports, those within functions among them.

    Python calls `_find_and_load` for modules alone that are not loaded, so this costs nothing else.
    """

    def __init__(self):
        self.bootstrap = sys.modules["_frozen_importlib"]
        self.find, self.thread = self.bootstrap._find_and_load, get_ident()
        self.depth, self.seconds = 0, 0.0
        self.bootstrap._find_and_load = self.timed

    def timed(self, name, import_):
        if get_ident() != self.thread or self.depth:
            return self.find(name, import_)
        self.depth = 1
        begin = time.monotonic()
        try:
            return self.find(name, import_)
        finally:
            self.depth = 0
            self.seconds += time.monotonic() - begin
            if "REBUILD_OPERATIONS" in os.environ and "torch" in sys.modules and not COUNTERS:
                count_operations()


def count_operations():
    """Count matrix products in this thread and in every one that starts from now on."""
    COUNTERS.append(None)  # what follows imports, too
    import threading

    from torch.utils.flop_counter import FlopCounterMode

    def counter():
        new = FlopCounterMode(display=False)
        COUNTERS.append(new)
        return new

    run = threading.Thread.run

    def counted(self):
        with counter():
            run(self)

    threading.Thread.run = counted
    counter().__enter__()


def peak():
    """Peak of resident memory in bytes.

    Of Linux's two, that of the process alone: `ru_maxrss` begins with the memory of its starter.
    """
    try:
        with open("/proc/self/status") as file:
            found = [line.split()[1] for line in file if line.startswith("VmHWM")]
        return int(found[0]) * 1024
    except (OSError, IndexError):
        import resource

        size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return size if sys.platform == "darwin" else size * 1024


class Life:
    """One process, from its start or its fork to its end."""

    def __init__(self, begin, imports, first):
        self.begin, self.imports, self.first = begin, imports, first
        self.before = (imports.seconds, operations())  # of the process that it was forked from
        self.noted = False

    def note(self):
        """Append what is known of this process, in one write."""
        import json

        if self.noted:
            return
        self.noted = True
        line = {
            "stage": os.environ["DVC_STAGE"],
            "repro": os.environ["REBUILD_REPRO"],
            "first": self.first,
            "begin": self.begin,
            "imports": self.imports.seconds - self.before[0],
            "end": time.monotonic(),
            "peak": peak(),
        }
        if COUNTERS:
            line["operations"] = operations() - self.before[1]
        with open(os.path.join(os.environ["REBUILD_RECORD"], "processes.jsonl"), "a") as file:
            file.write(json.dumps(line) + "\n")


def operations():
    """Operations of matrix products that were counted so far."""
    return sum(one.get_total_flops() for one in COUNTERS if one is not None)


def begin():
    """Note this process when it ends; the processes that it starts are not the first of a stage."""
    life = Life(BEGIN, Imports(), "REBUILD_WITHIN" not in os.environ)
    os.environ["REBUILD_WITHIN"] = "1"
    leave = os._exit

    def forked():
        nonlocal life
        life = Life(time.monotonic(), life.imports, False)

    def leaving(status):
        life.note()
        leave(status)

    os.register_at_fork(after_in_child=forked)
    os._exit = leaving  # by which forked processes end, without what is registered for an end
    atexit.register(lambda: life.note())


if "REBUILD_RECORD" in os.environ and "DVC_STAGE" in os.environ:
    begin()
