"""The command of this room: see `stage.py`."""

from stages.core.stage.command import FirstSeedOption, TaskOption, stage_command


def main(
    task: TaskOption,
    seed: FirstSeedOption = None,
) -> None:
    """Measure the gradients of the loss with respect to attention weights on TASK."""
    from stages.gradients.stage import run_stage  # --help needs none of it

    run_stage(task, seed)


if __name__ == "__main__":
    stage_command(main)
