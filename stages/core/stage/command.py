"""Running a stage as a command."""

import gc
import sys
from collections.abc import Callable
from typing import Annotated

import typer

from stages.core.stage.files import InputError

# The options that say which part of a stage's matrix runs.
TaskOption = Annotated[str, typer.Option("--task", help="A task of `tasks` in params.yaml.")]
CorpusOption = Annotated[
    str, typer.Option("--corpus", help="A corpus of `corpora` in params.yaml.")
]
SeedOption = Annotated[
    int, typer.Option("--seed", help="A seed of `run.seeds`: of fresh weights, dropout and order.")
]


def stage_command(main: Callable[..., None] | typer.Typer) -> None:
    """Run a stage's `main` as a command with `--help`; an `InputError` ends it with status 2.

    A stage with further commands gives its typer app instead.
    """
    gc.freeze()  # what was imported stays to the end, which is sooner for it
    try:
        main() if isinstance(main, typer.Typer) else typer.run(main)
    except InputError as error:
        typer.secho(f"error: {error}", fg="red", err=True)
        sys.exit(2)
