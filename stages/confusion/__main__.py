"""The command of this room: see `stage.py`."""

from typing import Annotated

import typer

from stages.core.stage.command import stage_command


def main(
    name: Annotated[str, typer.Option("--set", help="An entry of `stimuli` in params.yaml.")],
) -> None:
    """Measure how much the distractors of the stimuli SET confuse every layer and head."""
    from stages.confusion.stage import run_stage  # --help needs none of it

    run_stage(name)


if __name__ == "__main__":
    stage_command(main)
