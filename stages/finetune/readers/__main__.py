"""The command of this stage: see `stage.py`."""

from stages.core.stage.command import SeedsOption, TaskOption, stage_command


def main(task: TaskOption, seed: SeedsOption = None) -> None:
    """Tune readers of TASK; write them, and what they make of the validation questions.

    Runs that are finished are kept. Killed and run again, the others go on from their last saved
    states, to the same bits.
    """
    from stages.finetune.readers.stage import run_stage  # --help needs none of it

    run_stage(task, seed)


if __name__ == "__main__":
    stage_command(main)
