"""The command of this room: see `stage.py`."""

from stages.core.stage.command import SeedsOption, TaskOption, stage_command


def main(task: TaskOption, seed: SeedsOption = None) -> None:
    """Compare maps and turn heads off in the encoders that were tuned from random weights.

    Every head and every layer alone in each mode, and random shares of heads in the mode zero.
    Tables of a seed that are finished are kept. Killed and run again, it goes on with the first
    batch that was not finished.
    """
    from stages.control.stage import run_stage  # --help needs none of it

    run_stage(task, seed)


if __name__ == "__main__":
    stage_command(main)
