"""Where the stage `code` writes which source files each stage runs, and their sums."""

from pathlib import Path

from stages.core.stage.places import WORK

SUMS = WORK / "code"
FILES = WORK / "code.json"  # what stands for the files of every stage, by its name


def sums_file(name: str) -> Path:
    """The sums of the files that a stage runs, as `md5sum` prints them."""
    return SUMS / f"{name}.txt"
