"""A process that does not outlive the one that started it."""

import ctypes
import os
import signal
import sys
import threading
import time

import psutil

PR_SET_PDEATHSIG = 1  # of <linux/prctl.h>
POLL_SECONDS = 1
SHELLS = ("sh", "dash", "bash", "zsh", "ksh", "ash")


def end_with_parent() -> None:
    """End this process with the one that started it, however that ends.

    A killed DVC cannot end its stage, nor a stage its workers. They would go on, and write beside
    the run that follows. Linux's kernel ends a process with its parent at once; elsewhere, and
    where a shell stands between, it is asked for every second.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=_watch, args=(_starters(),), daemon=True).start()


def _starters() -> list[psutil.Process]:
    """The parent and, where that is a shell, the process that started the shell."""
    found = [parent] if (parent := psutil.Process().parent()) else []
    while found and found[-1].name() in SHELLS and (above := found[-1].parent()):
        found.append(above)
    return found


def _watch(starters: list[psutil.Process]) -> None:
    while all(process.is_running() for process in starters):
        time.sleep(POLL_SECONDS)
    os._exit(1)
