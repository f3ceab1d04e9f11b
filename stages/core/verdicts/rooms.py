"""Modules of all rooms by the name of their file: claims for findings, pages for the report."""

import importlib
from pathlib import Path
from types import ModuleType

import stages


def modules_of_rooms(pattern: str) -> dict[tuple[str, str], ModuleType]:
    """The modules of all rooms whose file's name fits a pattern, as `claims.py`.

    Returns:
        By room and name of the file without its suffix, in alphabetical order.
    """
    root = Path(stages.__file__).parent
    files = sorted(root.glob(f"*/{pattern}"))
    return {
        (file.parent.name, file.stem): importlib.import_module(
            f"stages.{file.parent.name}.{file.stem}"
        )
        for file in files
    }
