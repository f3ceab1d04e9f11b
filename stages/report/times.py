"""The times of stages beside the overview, in a file that no page needs and git does not keep."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from markupsafe import escape

from stages.core.stage.files import atomic, remove
from stages.core.stage.times import TIMES
from stages.core.viewer.script.inline import as_json

FILE = "times.html"
MEGABYTE = 1e6
# A page on a disk may read no file, and complains of a script that is missing; of a frame it does
# not. So the file is a page, and tells the overview around it what it knows.
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Times of stages</title></head>
<body><p>{said}</p><p><a href="index.html#times">The overview</a> has a table of them.</p>
<script>parent.postMessage({{ timesOfStages: {times} }}, "*");</script></body></html>
"""


@dataclass(frozen=True)
class StageTime:
    """What a stage took when DVC last ran it to its end."""

    stage: str
    item: str
    seconds: float
    peak_bytes: int
    ended: str

    def __post_init__(self) -> None:
        """Refuse what is no time, as a damaged file has it."""
        texts = (self.stage, self.item, self.ended)
        if not all(isinstance(one, str) for one in texts):
            raise ValueError(f"not text: {texts}")
        if not (self.seconds >= 0 and self.peak_bytes >= 0):
            raise ValueError(f"no time or size: {self.seconds}, {self.peak_bytes}")


def read_times(folder: Path = TIMES) -> list[StageTime]:
    """What stages left, in the order in which they ended; damaged files are left out."""
    found = []
    for file in sorted(folder.glob("*.json")):
        with suppress(OSError, ValueError, TypeError):
            found.append(StageTime(**json.loads(file.read_text(encoding="utf-8"))))
    return sorted(found, key=lambda one: (one.ended, one.stage, one.item))


def in_words(times: Sequence[StageTime]) -> str:
    """How long all took together, and which took most memory."""
    if not times:
        return "No stage has left its time."
    together = sum(one.seconds for one in times)
    most = max(one.peak_bytes for one in times)
    of = [f"{one.stage}@{one.item}".rstrip("@") for one in times if one.peak_bytes == most]
    runs = "1 run of a stage:" if len(times) == 1 else f"{len(times):,} runs of stages, together"
    return (
        f"{runs} {_duration(together)}. The most memory that one process had: "
        f"{most / MEGABYTE:,.0f} MB, of {of[0]}{f' and {len(of) - 1} more' if len(of) > 1 else ''}."
    )


def _duration(seconds: float) -> str:
    if round(seconds) < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def write_times(reports: Path, times: Sequence[StageTime]) -> bool:
    """Write the file beside the overview, or remove it where no time is known; whether it is there.

    Every row is of a stage's last run, so that rows may be of several rebuilds.
    """
    if not times:
        remove(reports / FILE)
        return False
    said = in_words(times)
    told = as_json({"said": said, "rows": [asdict(one) for one in times]})
    with atomic(reports / FILE) as partial:
        partial.write_text(PAGE.format(said=escape(said), times=told), encoding="utf-8")
    return True
