"""The command of this room: see `stage.py`."""

from typing import Annotated

import typer

from stages.core.stage.command import stage_command


def main(
    encoder: Annotated[str, typer.Option(help="Name of a folder of data/pretrained.")],
    keep: Annotated[
        bool, typer.Option(help="Make it by the section `pretrain`, which takes hours.")
    ] = False,
) -> None:
    """Bring the making of an encoder that is kept into the report; with --keep, make it.

    Killed and run again, --keep goes on from the last saved state, to the same bits.
    """
    from stages.pretrain.stage import run_stage  # --help needs none of it

    run_stage(encoder, keep)


if __name__ == "__main__":
    stage_command(main)
