"""The command of this room: see `stage.py`."""

from stages.core.stage.command import TaskOption, stage_command


def main(task: TaskOption) -> None:
    """Keep few examples of TASK with the maps that `attend` recorded."""
    from stages.examples.stage import run_stage  # --help needs none of it

    run_stage(task)


if __name__ == "__main__":
    stage_command(main)
