"""What a stage leaves of its time and memory, beside the results: no stage reads it."""

import json
import os
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import psutil

from stages.core.stage.files import atomic
from stages.core.stage.places import WORK

TIMES = WORK / "times"  # no stage's out, as a time is never the same again
KIBIBYTE = 1024


def leave_time(stage: str) -> None:
    """Write what this process took until now into `TIMES`; what hinders that fails no stage.

    Args:
        stage: as DVC names it, `syntax@ewt` say, behind its file where that is another folder's.
    """
    with suppress(Exception):
        name, _, item = stage.rpartition("dvc.yaml:")[2].partition("@")
        ended = datetime.now(UTC).isoformat(timespec="seconds")
        left = {"stage": name, "item": item, "seconds": round(seconds_since_start(), 2)}
        left |= {"peak_bytes": peak_bytes(), "ended": ended}
        file = TIMES / f"{quote(f'{name}@{item}' if item else name, safe='@')}.json"
        with atomic(file) as partial:
            partial.write_text(json.dumps(left) + "\n", encoding="utf-8")


def seconds_since_start() -> float:
    """Seconds since this process began, before it imported anything."""
    if sys.platform == "linux":
        # psutil counts from the whole second in which the machine began.
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        return time.clock_gettime(time.CLOCK_BOOTTIME) - int(fields[19]) / os.sysconf("SC_CLK_TCK")
    return time.time() - psutil.Process().create_time()


def peak_bytes() -> int:
    """The most memory that this process, or one that it started and that has ended, ever had."""
    import resource  # Windows has none

    # Of macOS in bytes. Linux begins `ru_maxrss` with the memory of the process that started
    # this one, DVC's here; a worker's begins with ours, which counts anyway.
    unit = 1 if sys.platform == "darwin" else KIBIBYTE
    workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit
    if sys.platform == "linux":
        status = Path("/proc/self/status").read_text().splitlines()
        own = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * KIBIBYTE
    else:
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    return max(own, workers)
