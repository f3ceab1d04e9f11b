"""The command of this room: see `stage.py`."""

from stages.core.stage.command import FirstSeedOption, TaskArmsOption, TaskOption, stage_command


def main(
    task: TaskOption,
    seed: FirstSeedOption = None,
    arm: TaskArmsOption = None,
) -> None:
    """Record the attention of the models of TASK on its validation examples."""
    from stages.attend.stage import run_stage  # --help needs none of it

    run_stage(task, seed, arm)


if __name__ == "__main__":
    stage_command(main)
