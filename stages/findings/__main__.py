"""The commands of this room: see `stage.py`."""

from pathlib import Path
from typing import Annotated

import typer

from stages.core.stage.command import stage_command

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
) -> None:
    """Work every verdict out again, compare with other findings; exit with 1 on what is wrong.

    Wrong is: a verdict that does not follow from the figures beside it, in either file; a region,
    measure or published value that is not that of data/claims.yaml; a value outside of the
    committed interval; another region; a claim that has no verdict any more.
    """
    from stages.findings import stage

    raise typer.Exit(0 if stage.check(against, rebuilt) else 1)


if __name__ == "__main__":
    stage_command(app)
