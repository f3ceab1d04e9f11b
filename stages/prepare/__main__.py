"""The command of this room: see `stage.py`."""

from stages.core.stage.command import TaskOption, stage_command


def main(task: TaskOption) -> None:
    """Write the examples of TASK to work/tasks/TASK, and the predictions of baselines on them."""
    from stages.prepare.stage import run_stage  # --help needs none of it

    run_stage(task)


if __name__ == "__main__":
    stage_command(main)
