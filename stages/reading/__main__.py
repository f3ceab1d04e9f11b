"""The command of this room: see `stage.py`."""

from typing import Annotated

import typer

from stages.core.stage.command import SeedsOption, stage_command

QuestionsOption = Annotated[
    str, typer.Option("--questions", help="A set of questions of `reading` in params.yaml.")
]


def main(questions: QuestionsOption, seed: SeedsOption = None) -> None:
    """Ask readers of multiple-choice questions, intact and attacked, with each head off and on.

    What is finished of a reader is kept. Killed and run again, it goes on with the first piece that
    was not finished.
    """
    from stages.reading.stage import run_stage  # --help needs none of it

    run_stage(questions, seed)


if __name__ == "__main__":
    stage_command(main)
