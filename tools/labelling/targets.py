"""Where the labelling tool writes: labels that somebody gave are never replaced."""

import csv
from collections.abc import Iterable
from pathlib import Path

from stages.core.stage.files import InputError
from stages.core.stage.targets import target_file, target_folder

LABELS = "labels.csv"
# First lines of an annotator's file: of one look, and of labels under both rules.
COLUMNS = (["map", "label", "doubt"], ["map", "any", "special", "sure"])


def sheets_folder(out: Path, maps: Path | None = None) -> Path:
    """The folder for sheets, with their empty labels.csv.

    Args:
        maps: the folder of the maps that are drawn.

    Raises:
        InputError: it holds something else, or labels.
    """
    sources = [] if maps is None else [maps / "maps.csv", maps / "maps.npz"]
    place = target_folder(out, "folder of sheets", (LABELS, "map,"), r"sheet-\d+\.png", sources)
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
    """Every cell of a file but the maps' numbers, and its first line if it is no annotator's."""
    with file.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
        rows = csv.reader(stream)
        header = next(rows, [])
        yield from header if header not in COLUMNS else ()
        for row in rows:
            numbered = bool(row) and row[0].isdecimal()
            yield from (cell.strip() for cell in row[numbered:])
