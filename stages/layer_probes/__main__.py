"""The command of this room: see `stage.py`."""

from typing import Annotated

import typer

from stages.core.stage.command import stage_command

SetOption = Annotated[str, typer.Option("--set", help="An entry of `stimuli` in params.yaml.")]


def main(stimuli: SetOption) -> None:
    """Train and score a probe of every layer on the sentences of a set of stimuli."""
    from stages.layer_probes.stage import run_stage  # --help needs none of it

    run_stage(stimuli)


if __name__ == "__main__":
    stage_command(main)
