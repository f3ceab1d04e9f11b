"""A disk that is full: by which errors libraries say so, and which disk it is."""

import errno
import re
import shutil
import tempfile
from pathlib import Path

GIGA = 1e9
FULL = (errno.ENOSPC, errno.EDQUOT)
# As say numpy's `tofile`, safetensors, Arrow and Ray (of a worker), and torch's writer of archives.
WORDS = re.compile(
    r"\d+ requested and \d+ written|No space left on device|Disk quota exceeded"
    r"|inline_container\.cc.*(unexpected pos|write)|PytorchStreamWriter failed writing",
    re.DOTALL,
)


def is_full(error: BaseException | None) -> bool:
    """Whether an error, or what led to it, is that a disk has no room."""
    while error is not None:
        if getattr(error, "errno", None) in FULL or WORDS.search(str(error)):
            return True
        error = error.__cause__ or error.__context__
    return False


def room(path: str | Path) -> int:
    """Bytes that are free on the disk on which a path lies, or would."""
    return shutil.disk_usage(_there(path)).free


def disk_of(path: str | Path | None) -> str:
    """The disk on which a path lies, or would: where it is mounted, and its room.

    Args:
        path: None: where nobody knows; the fuller one of this folder's and of temporary files'.
    """
    place = _there(path or min(".", tempfile.gettempdir(), key=room))
    free = room(place) / GIGA
    while not place.is_mount():
        place = place.parent
    return f"the disk at {place} ({free:.1f} GB free)"


def _there(path: str | Path) -> Path:
    """The path, or the nearest folder around it that is there."""
    place = Path(path).absolute()
    return next(folder for folder in (place, *place.parents) if folder.exists())
