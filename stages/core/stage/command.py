"""The stages as commands: where each is defined, and how it ends."""

import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NoReturn

import typer

from stages.core.stage.disk import disk_of, is_full
from stages.core.stage.files import InputError
from stages.core.stage.parent import end_with_parent

ROOT = Path(__file__).parents[3]
COMMAND_FILE = "command.py"  # of a room with commands beside its stage
AGAIN = "run the stage again: what is finished stays"


@cache
def stage_files(root: Path = ROOT) -> dict[str, Path]:
    """The modules that define `run_stage`, relative to the root, by the stages' names.

    A stage has the name of its folder, as in `dvc.yaml`.
    """
    files = [
        file
        for pattern in ("*/*.py", "*/*/*.py")
        for file in sorted((root / "stages").glob(pattern))
        if "core" not in file.parent.parts[-2:]
        if "\ndef run_stage(" in file.read_text(encoding="utf-8")
    ]
    return {file.parent.name: file.relative_to(root) for file in files}


def command_files(root: Path = ROOT) -> dict[str, Path]:
    """The modules of all commands, relative to the root, by name.

    A room's `command.py` comes before its module with `run_stage`.
    """
    rooms = {file.parent.name: file for file in (root / "stages").glob(f"*/{COMMAND_FILE}")}
    return stage_files(root) | {name: file.relative_to(root) for name, file in rooms.items()}


def stage_command(main: Callable[..., None] | typer.Typer) -> None:
    """Run a stage's `main` as a command with `--help`; an `InputError` ends it with status 2.

    So does a file that cannot be read or written, or a disk that is full, of a worker too.

    `main` may be a typer app. A stage that DVC runs ends with it.
    """
    if "DVC_STAGE" in os.environ:
        end_with_parent()
    try:
        main() if isinstance(main, typer.Typer) else typer.run(main)
    except InputError as error:
        _refuse(str(error))
    except Exception as error:
        if is_full(error):
            file = getattr(error, "filename", None)
            written = f"{file}: " if file else ""
            _refuse(f"{written}no room is left on {disk_of(file)}; free some and {AGAIN}")
        if isinstance(error, ChildProcessError):
            _refuse(f"{error}; what it said stands above")
        if not isinstance(error, OSError) or error.filename is None:
            raise  # of a network, or a fault of the code
        _refuse(f"{error.filename}: {error.strerror}; mend that and {AGAIN}")


def _refuse(message: str) -> NoReturn:
    typer.secho(f"error: {message}", fg="red", err=True)
    sys.exit(2)
