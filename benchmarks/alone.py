"""Time and peak memory of a process."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

# In a process of its own that has nothing loaded: what the system counts as a process's peak begins
# with the memory of the one that started it.
LAUNCHER = """
import json, os, subprocess, sys, time
begin = time.perf_counter()
_, status, usage = os.wait4(subprocess.Popen(sys.argv[1:]).pid, 0)
code = os.waitstatus_to_exitcode(status)
print(json.dumps([time.perf_counter() - begin, usage.ru_maxrss * 1024 / 1e6, code]))
"""


class Run(NamedTuple):
    """What a process took; `megabytes` are its peak of resident memory."""

    seconds: float
    megabytes: float
    exit_status: int


def run(words: Sequence[str], folder: Path, environment: dict[str, str] | None = None) -> Run:
    """Run a module of Python's (`-m` is put before) in `folder`; what it prints is dropped.

    Args:
        environment: its variables; None: ours.
    """
    command = [sys.executable, "-S", "-c", LAUNCHER, sys.executable, "-m", *words]
    answer = subprocess.run(
        command, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return Run(*json.loads(answer.stdout.splitlines()[-1]))
