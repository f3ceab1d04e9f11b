"""Whether what stages wrote, here and in DVC's cache, still has the bytes that a lock says."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from stages.core.stage.files import InputError
from tools.pipeline import ROOT

DVC = [sys.executable, "-m", "dvc"]
FOLDER = ".dir"  # ends the hash of a folder
IGNORED = [line.strip("/") for line in (ROOT / ".dvcignore").read_text().splitlines() if line]


def folder_hash(files: dict[str, str]) -> str:
    """DVC's hash of a folder that holds `files` (relative path -> MD5)."""
    entries = [{"md5": files[path], "relpath": path} for path in sorted(files)]
    return hashlib.md5(json.dumps(entries).encode()).hexdigest() + FOLDER


def bytes_complaints(folder: Path, lock: dict) -> list[str]:
    """One line for each output, and each file of it in the cache, that the lock has otherwise.

    What is not there is passed over.

    Args:
        lock: the stages of `folder/dvc.lock`.

    Raises:
        InputError: DVC cannot say where its cache lies.
    """
    cache = cache_of(folder)
    outs = {out["path"]: out["md5"] for stage in lock.values() for out in stage.get("outs", [])}
    complaints = []
    for path, expected in outs.items():
        place = folder / path
        if place.exists() and _hash(place) != expected:
            complaints.append(f"{path} is not what dvc.lock says; remove it and run dvc repro")
    checked: set[str] = set()
    for path, expected in outs.items():
        complaints += (
            f"{file}, of {path}, has other bytes than its name says; remove both and run dvc repro"
            for file in _altered(cache, expected, checked)
        )
    return complaints


def cache_of(folder: Path) -> Path:
    """The folder of DVC's cache that holds files by their MD5."""
    asked = subprocess.run([*DVC, "cache", "dir"], cwd=folder, capture_output=True, text=True)
    if asked.returncode:
        raise InputError(f"{folder}: `dvc cache dir` failed: {asked.stderr.strip()}")
    return Path(folder, asked.stdout.strip(), "files", "md5")


def _hash(place: Path) -> str:
    if not place.is_dir():
        return _md5(place)
    files = (path for path in place.rglob("*") if path.is_file() and not _ignored(path))
    return folder_hash({path.relative_to(place).as_posix(): _md5(path) for path in files})


def _ignored(file: Path) -> bool:
    """Whether `.dvcignore` leaves a file out of a folder."""
    return any(fnmatch(name, pattern) for name in file.parts for pattern in IGNORED)


def _altered(cache: Path, expected: str, checked: set[str]) -> Iterator[Path]:
    """The files of an output in the cache whose bytes have another hash."""
    file = cache / expected[:2] / expected[2:]
    if expected in checked or not file.is_file():
        return
    checked.add(expected)
    if _md5(file) != expected.removesuffix(FOLDER):
        yield file
    elif expected.endswith(FOLDER):
        for entry in json.loads(file.read_text(encoding="utf-8")):
            yield from _altered(cache, entry["md5"], checked)


def _md5(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "md5").hexdigest()
