"""Where the labelling tool writes: labels that somebody gave are never replaced."""

import csv
from collections.abc import Iterable
from pathlib import Path

from stages.core.stage.files import InputError
from stages.core.stage.targets import target_file, target_folder

LABELS = "labels.csv"


def sheets_folder(out: Path, maps: Path | None = None) -> Path:
    """The folder for sheets, with their empty labels.csv.

    Args:
        maps: the folder of the maps that are drawn.

    Raises:
        InputError: it holds something else, or labels.
    """
    sources = [] if maps is None else [maps / "maps.csv", maps / "maps.npz"]
    place = target_folder(out, "folder of sheets", LABELS, r"sheet-\d+\.png", sources)
    if (place / LABELS).is_file() and any(_given(place / LABELS)):
        raise InputError(f"{out / LABELS} has labels; move it away, or name another folder")
    return place


def adjudicated_files(folder: Path) -> tuple[Path, Path]:
    """The places of labels.csv and agreement.json, which are made of the annotators' files.

    Raises:
        InputError: one of them is something else, as an annotator's own file.
    """
    labels = target_file(folder / LABELS, "file of adjudicated labels", "map,first,first_doubt,")
    return labels, target_file(folder / "agreement.json", "file of agreements", '"first_look"')


def _given(file: Path) -> Iterable[str]:
    """Every cell of an annotator's file but the maps' numbers."""
    with file.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
        rows = csv.reader(stream)
        next(rows, None)
        for row in rows:
            yield from (cell.strip() for cell in row[1:])
