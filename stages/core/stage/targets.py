"""Where a command writes that a user names the place for: nothing of theirs is lost there.

Every command with such an option or argument asks here first, before it computes anything. What a
stage writes below `work` it may replace without asking.
"""

import os
import re
from collections.abc import Iterable
from pathlib import Path

from stages.core.stage.disk import GIGA, disk_of, room
from stages.core.stage.files import InputError

MARK_WITHIN = 1 << 16  # bytes of a file, in which its mark stands


def target_folder(
    target: str | Path,
    what: str,
    mark: tuple[str, str] | None = None,
    files: str = "",
    sources: Iterable[str | Path] = (),
) -> Path:
    """The folder that a command may make, or make anew, with its links resolved.

    Args:
        what: what it will be, in words.
        mark: a file that each folder of this kind has, and text that stands in its first bytes;
            None: no folder is replaced.
        files: a regular expression of the names of its other files.
        sources: what the command reads.

    Raises:
        InputError: something stands there that this command did not write, or the folder would lie
            in a source, around one, or be one.
    """
    place = _reachable(target, what, sources)
    if not place.exists():
        return place
    if not place.is_dir():
        raise InputError(f"{target} is a file; name another place for the {what}, a folder")
    names = sorted(path.name for path in place.iterdir())
    if not names:
        return place
    if mark is None:
        raise InputError(f"{target} is there already; remove it, or name another folder")
    marked, text = mark
    if marked not in names:
        raise InputError(
            f"{target} has {names[0]} and no {marked}: it is no {what}, and nothing in it is "
            "replaced; name another folder"
        )
    others = (name for name in names if name != marked and not re.fullmatch(files, name))
    unlike = (name for name in names if not _is_plain(place / name))
    if lost := next(others, None) or next(unlike, None):
        raise InputError(
            f"{target} has {lost}, which belongs to no {what} and would be lost; move it "
            "away, or name another folder"
        )
    if not _has(place / marked, text):
        raise InputError(
            f"{target} has {marked}, which is not that of a {what} and would be lost; move it "
            "away, or name another folder"
        )
    return place


def target_file(
    target: str | Path,
    what: str,
    mark: str | None = None,
    sources: Iterable[str | Path] = (),
) -> Path:
    """The file that a command may write, or write anew, with its links resolved.

    Args:
        what: what it will be, in words.
        mark: text that stands in the first bytes of each file of this kind; None: no file is
            replaced.
        sources: what the command reads.

    Raises:
        InputError: as `target_folder`.
    """
    place = _reachable(target, what, sources)
    if place.is_dir():
        raise InputError(f"{target} is a folder; name a file for the {what}")
    if not place.exists():
        return place
    if not place.is_file():
        raise InputError(f"{target} is a device or a pipe; name a file for the {what}")
    if mark is None:
        raise InputError(f"{target} is there already; remove it, or name another file")
    if not _has(place, mark):
        raise InputError(
            f"{target} is there already and is no {what}; remove it, or name another file"
        )
    return place


def require_disk(path: str | Path, size: int, what: str) -> None:
    """Check that a disk has room for what is to be written, before hours of computing.

    Args:
        size: in bytes.

    Raises:
        InputError: it has not.
    """
    if size > room(path):
        raise InputError(
            f"{path}: {what} take {size / GIGA:.1f} GB, more than {disk_of(path)} has room for; "
            "free some"
        )


def require_plain_name(name: str, where: str, others: str = "_") -> None:
    """Check a name of which files and folders are named.

    Args:
        others: what it may have beside letters and digits.

    Raises:
        InputError: it has more, as `../mine` has.
    """
    if not name.translate(dict.fromkeys(map(ord, others))).isalnum():
        raise InputError(
            f"{where} {name!r}: a name has letters, digits and {' '.join(others)} only, as it "
            "names files"
        )


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _has(file: Path, text: str) -> bool:
    with file.open("rb") as content:
        return text.encode() in content.read(MARK_WITHIN)


def _resolved(path: str | Path) -> Path:
    return Path(os.path.realpath(path))


def _reachable(target: str | Path, what: str, sources: Iterable[str | Path]) -> Path:
    place = _resolved(target)
    for source in map(_resolved, sources):
        if place == source or source in place.parents or place in source.parents:
            raise InputError(
                f"{target} is {source}, which is read, or lies in it or around it; name another "
                f"place for the {what}"
            )
    if place.is_symlink():
        raise InputError(f"{target} is a link to itself; name another place for the {what}")
    for folder in place.parents:
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{target}: {folder} is a file; name another place for the {what}")
    return place
