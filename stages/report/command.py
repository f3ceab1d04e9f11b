"""The commands of this room: draw the report, and what goes with it."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(add_completion=False)


@app.callback(invoke_without_command=True)
def build(context: typer.Context) -> None:
    """Write the site into reports/site, and heads.csv and plots beside it, which git keeps."""
    if context.invoked_subcommand:
        return
    from stages.report.stage import run_stage  # --help needs none of it

    run_stage()


@app.command()
def fingerprint() -> None:
    """Print the fingerprint of code, settings and data that `dvc.lock` holds now."""
    from stages.report import fingerprint as fingerprints

    typer.echo(fingerprints.fingerprint() or "there is no dvc.lock here")


@app.command()
def compare(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="Folders of configurations; . too.")
    ],
    output: Annotated[Path, typer.Option(help="The page.")] = Path("reports/site/comparison.html"),
) -> None:
    """Write verdicts of several configurations side by side, of their reports/findings.json."""
    from stages.report.comparison import write_comparison
    from stages.report.site import environment

    write_comparison(folders, output, environment())
    typer.echo(f"the comparison: {output.resolve()}")


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def plots(context: typer.Context) -> None:
    """Run `dvc plots` so that its page works without a network, as in: plots diff HEAD~1 HEAD."""
    from stages.report import stage

    raise typer.Exit(stage.plots(context.args))
