"""The commands of this room: see `stage.py`."""

import typer

from stages.core.stage.command import stage_command

app = typer.Typer(add_completion=False)


@app.callback(invoke_without_command=True)
def build(context: typer.Context) -> None:
    """Write reports/index.html, one page for each stage, and their figures and tables."""
    if context.invoked_subcommand:
        return
    from stages.report.stage import run_stage  # --help needs none of it

    run_stage()


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def plots(context: typer.Context) -> None:
    """Run `dvc plots` so that its page works without a network, as in: plots diff HEAD~1 HEAD."""
    from stages.report import stage

    raise typer.Exit(stage.plots(context.args))


if __name__ == "__main__":
    stage_command(app)
