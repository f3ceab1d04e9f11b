"""Imported by Python's start in every process of a stage: notes imports, life, peak memory."""

import time

BEGIN = time.monotonic()

import atexit  # noqa: E402
import os  # noqa: E402
import sys  # noqa: E402
from _thread import get_ident  # noqa: E402


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


def peak():
    """Peak of resident memory in bytes, of this process alone; None on other systems than Linux.

    `ru_maxrss` would begin with the memory of the process that started this one.
    """
    try:
        with open("/proc/self/status") as file:
            return int(next(line.split()[1] for line in file if line.startswith("VmHWM"))) * 1024
    except (OSError, StopIteration):
        return None


class Life:
    """One process, from its start or its fork to its end."""

    def __init__(self, begin, imports, first):
        self.begin, self.imports, self.first = begin, imports, first
        self.before = imports.seconds  # of the process that it was forked from
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
            "imports": self.imports.seconds - self.before,
            "end": time.monotonic(),
            "peak": peak(),
        }
        with open(os.path.join(os.environ["REBUILD_RECORD"], "processes.jsonl"), "a") as file:
            file.write(json.dumps(line) + "\n")


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
