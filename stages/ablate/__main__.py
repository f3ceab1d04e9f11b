"""The command of this room: see `stage.py`."""

from stages.core.stage.command import SeedsOption, TaskOption, stage_command


def main(task: TaskOption, seed: SeedsOption = None) -> None:
    """Ablate every head, every layer and random shares of heads of the tuned encoders of TASK.

    Outcomes of a seed that are finished are kept. Killed and run again, it goes on with the first
    batch that was not finished.
    """
    from stages.ablate.stage import run_stage  # --help needs none of it

    run_stage(task, seed)


if __name__ == "__main__":
    stage_command(main)
