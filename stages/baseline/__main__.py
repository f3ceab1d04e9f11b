"""The command of this room: see `stage.py`."""

from stages.core.stage.command import TaskOption, stage_command


def main(task: TaskOption) -> None:
    """Write work/measures/baseline/TASK.parquet: a row for each validation example and baseline."""
    from stages.baseline.stage import run_stage  # --help needs none of it

    run_stage(task)


if __name__ == "__main__":
    stage_command(main)
