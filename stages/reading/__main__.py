"""The command of this room: see `stage.py`."""

from stages.core.stage.command import SeedsOption, TaskOption, stage_command


def main(task: TaskOption, seed: SeedsOption = None) -> None:
    """Ask readers of multiple-choice questions, intact and attacked, with each head off and on.

    Killed and run again, it takes finished pieces of scores and grids from `work/scratch`.
    """
    from stages.reading.stage import run_stage  # --help needs none of it

    run_stage(task, seed)


if __name__ == "__main__":
    stage_command(main)
