"""The command of this room: see `stage.py`."""

from typing import Annotated

import typer

from stages.core.stage.command import stage_command


def main(
    name: Annotated[
        str | None,
        typer.Option(
            "--set", help="An entry of `stimuli` in params.yaml; DVC names its stage's own."
        ),
    ] = None,
) -> None:
    """Write work/stimuli/SET: sentences for probes, and sentences whose attention is read."""
    from stages.stimuli.stage import run_stage  # --help needs none of it

    run_stage(name)


if __name__ == "__main__":
    stage_command(main)
