"""The command of this room: see `stage.py`."""

from stages.core.stage.command import SeedsOption, TaskOption, stage_command


def main(task: TaskOption, seed: SeedsOption = None) -> None:
    """Find the heads that hurt the tuned encoders of TASK, and score the encoders without them.

    Killed and run again, it takes finished batches of grids from `work/scratch`.
    """
    from stages.harmful.stage import run_stage  # --help needs none of it

    run_stage(task, seed)


if __name__ == "__main__":
    stage_command(main)
