"""The command of this room: see `stage.py`."""

from stages.core.stage.command import TaskArmsOption, TaskOption, stage_command


def main(
    task: TaskOption,
    arm: TaskArmsOption = None,
) -> None:
    """Classify the attention maps that `attend` recorded of the models of TASK."""
    from stages.patterns.stage import run_stage  # --help needs none of it

    run_stage(task, arm)


if __name__ == "__main__":
    stage_command(main)
