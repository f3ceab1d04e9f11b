"""Running a stage as a command."""

import gc
import sys
from collections.abc import Callable
from typing import Annotated

import typer

from stages.core.stage.arms import ARM_HELP, TASK_ARMS
from stages.core.stage.files import InputError


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

    A stage with further commands gives its typer app instead.
    """
    gc.freeze()  # imported modules stay to the end: collecting garbage need not look at them
    try:
        main() if isinstance(main, typer.Typer) else typer.run(main)
    except InputError as error:
        typer.secho(f"error: {error}", fg="red", err=True)
        sys.exit(2)
