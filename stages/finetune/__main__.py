"""The command of this room: see `stage.py`."""

from typing import Annotated

import typer

from stages.core.stage.arms import ARM_HELP, Arm
from stages.core.stage.command import SeedsOption, TaskOption, stage_command


def main(
    task: TaskOption,
    arm: Annotated[
        Arm | None, typer.Option(help=f"One arm alone; by default all. {ARM_HELP}")
    ] = None,
    seed: SeedsOption = None,
) -> None:
    """Make the models of TASK; write them, their predictions and scores.

    Killed and run again, it goes on: finished runs are kept, the others begin at their last saved
    states, and end with the same bits.
    """
    from stages.finetune.stage import run_stage  # --help needs none of it

    run_stage(task, arm, seed)


if __name__ == "__main__":
    stage_command(main)
