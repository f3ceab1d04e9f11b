"""Checking the options of a draw, and finding what it draws from."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from stages.core.stage.arms import FROM_CHECKPOINT, UNTUNED
from stages.core.stage.files import InputError
from stages.patterns.labelled_maps import CLASSES, read_table
from tools.labelling.draw import NONE_BEFORE, DrawnBy, Model

DEFAULT_ENCODER = "all-MiniLM-L6-v2"
TASKS = ("relevance", "sentiment", "similarity")
MODELS = ",".join(f"{task}/{arm}-0" for task in TASKS for arm in FROM_CHECKPOINT)


def check_guesses(by: DrawnBy, classifier: Path | None, classes: Sequence[str]) -> None:
    """Refuse options of a draw that do not go together.

    Raises:
        InputError: a class is unknown, a classifier is lacking, or the draw has no use for one.
    """
    if unknown := set(classes) - set(CLASSES):
        raise InputError(f"--class {min(unknown)}: no such class; use {', '.join(CLASSES)}")
    if (classifier is not None) != (by in (DrawnBy.MAPS, DrawnBy.HEADS)):
        raise InputError(
            "--by maps and --by heads need --classifier; other draws have no use for it"
        )
    if classes and by is DrawnBy.CHANCE:
        raise InputError("--by chance has no use for --class; use a balanced draw")


def maps_before(folder: Path, more: bool) -> pd.DataFrame:
    """The table of the maps that a draw adds to.

    Raises:
        InputError: maps are there, and the draw is not to add to them.
    """
    if more:
        return read_table(folder / "maps.csv")
    if (folder / "maps.csv").exists():
        raise InputError(f"{folder / 'maps.csv'} is there; add to it with --more, or give --folder")
    return NONE_BEFORE


def models_drawn_from(
    folder: Path, names: str, encoder: str, checkpoint: Path | None
) -> list[Model]:
    """The models of the pipeline with these names, or an untuned checkpoint on every task.

    Raises:
        InputError: the checkpoint has no name.
    """
    if checkpoint is None:
        return [Model.of_pipeline(folder / name) for name in names.split(",")]
    if encoder == DEFAULT_ENCODER:
        raise InputError(f"--checkpoint {checkpoint}: say with --encoder what it is called")
    return [Model(task, UNTUNED, 0, checkpoint) for task in TASKS]
