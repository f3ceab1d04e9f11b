"""The commands of this room: decide every claim, and check decided ones."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(add_completion=False)
FINDINGS_FILE = Path("reports/findings.json")


@app.callback(invoke_without_command=True)
def build(context: typer.Context) -> None:
    """Decide every claim of data/claims.yaml from work/measures; write findings and metrics."""
    if context.invoked_subcommand:
        return
    from stages.findings.stage import run_stage  # --help needs none of it

    run_stage()


@app.command()
def check(
    against: Annotated[str, typer.Option(help="A findings.json, or a revision of git.")],
    rebuilt: Annotated[Path, typer.Option(help="The findings to check.")] = FINDINGS_FILE,
    turned: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CLAIM",
            help="A claim whose verdict may have turned, as some do on another processor, while "
            "its value stays in the other interval. May be given several times.",
        ),
    ] = None,
) -> None:
    """Work every verdict out again, compare with other findings; exit with 1 on what is wrong.

    Wrong is: a verdict that does not follow from the figures beside it, in either file; a claim of
    which data/claims.yaml says something else; a verdict that turned, a value outside of the other
    interval, an interval that is narrower than so many cases make it, a control, setting, seed or
    case that differs, a claim that is missing or stands twice. With work/measures at hand every
    claim is decided from them again, and the figures must be the same.
    """
    from stages.findings import against as held  # --help needs none of it

    raise typer.Exit(0 if held.check(against, rebuilt, turned or []) else 1)
