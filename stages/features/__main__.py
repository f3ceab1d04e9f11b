"""The command of this room: see `stage.py`."""

from stages.core.stage.command import FirstSeedOption, TaskOption, stage_command


def main(task: TaskOption, seed: FirstSeedOption = None) -> None:
    """Measure attention to kinds of tokens before and after tuning on TASK."""
    from stages.features.stage import run_stage  # --help needs none of it

    run_stage(task, seed)


if __name__ == "__main__":
    stage_command(main)
