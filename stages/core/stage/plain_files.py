"""Copying files of a folder that someone else made: nothing from outside of it comes along."""

import shutil
import stat
from collections.abc import Iterable
from pathlib import Path

from stages.core.stage.files import InputError


def require_plain_file(file: Path) -> None:
    """Refuse what is no regular file, as a link (to a private key, say), a pipe or a device.

    In the Hub's cache files are links to their content, which lies in the same download: these
    are plain, too.

    Raises:
        InputError: names the file and what it is.
    """
    try:
        mode = file.lstat().st_mode
    except FileNotFoundError:
        raise InputError(f"{file}: no such file; copy the whole folder again") from None
    if stat.S_ISREG(mode) or (stat.S_ISLNK(mode) and _in_cache(file)):
        return
    if stat.S_ISLNK(mode):
        raise InputError(
            f"{file}: it is a link, and links are not followed; put the file itself there "
            f"(cp -L makes a copy of it)"
        )
    raise InputError(f"{file}: it is no regular file; put the file itself there, or remove it")


def copy_plain(folder: Path, names: Iterable[str], target: Path) -> None:
    """Copy the files `names` of a folder, and nothing else, to the new folder `target`.

    Raises:
        InputError: one of them is no regular file.
    """
    names = list(names)
    for name in names:
        require_plain_file(folder / name)
    target.mkdir()
    for name in names:
        shutil.copy2(folder / name, target / name)


def _in_cache(link: Path) -> bool:
    """Whether a link of `models--NAME/snapshots/COMMIT/` leads to `models--NAME/blobs/`."""
    snapshots = (parent for parent in link.absolute().parents if parent.name == "snapshots")
    blobs = [(parent.parent / "blobs").resolve() for parent in snapshots]
    try:
        return link.resolve(strict=True).parent in blobs and link.is_file()
    except (OSError, RuntimeError):  # a link to itself
        return False
