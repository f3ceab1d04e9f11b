"""Running a stage as a command."""

import os
import sys
from collections.abc import Callable
from typing import Annotated, NoReturn

import typer

from stages.core.stage.arms import ARM_HELP, TASK_ARMS
from stages.core.stage.disk import disk_of, is_full
from stages.core.stage.files import InputError
from stages.core.stage.parent import end_with_parent

AGAIN = "run the stage again: what is finished stays"


def _task_arm(name: str) -> str:
    if name not in TASK_ARMS:
        raise typer.BadParameter(f"{name!r} is none of {', '.join(TASK_ARMS)}")
    return name


# The options that say which part of a stage's matrix runs.
TaskOption = Annotated[str, typer.Option("--task", help="A task of `tasks` in params.yaml.")]
CorpusOption = Annotated[
    str, typer.Option("--corpus", help="A corpus of `corpora` in params.yaml.")
]
# Of fresh weights, dropout and order: `run.seeds`, or the task's own (stages/core/tasks/task.py).
SeedsOption = Annotated[
    int | None, typer.Option("--seed", help="One seed of the task alone; by default all of them.")
]
FirstSeedOption = Annotated[
    int | None, typer.Option("--seed", help="A seed of the task; by default its first.")
]
# Typer takes no list of literals.
TaskArmsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--arm",
        parser=_task_arm,
        metavar=f"[{'|'.join(TASK_ARMS)}]",
        help=f"{ARM_HELP} May be given several times; by default all.",
    ),
]


def stage_command(main: Callable[..., None] | typer.Typer) -> None:
    """Run a stage's `main` as a command with `--help`; an `InputError` ends it with status 2.

    So does a file that cannot be read or written, or a disk that is full, of a worker too.

    A stage with further commands gives its typer app instead. A stage that DVC runs ends with it.
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
