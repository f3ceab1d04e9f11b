"""The command of this stage: see `stage.py`."""

from stages.core.stage.command import SeedsOption, TaskOption, stage_command


def main(task: TaskOption, seed: SeedsOption = None) -> None:
    """Tune readers of TASK; write them, and what they make of the validation questions.

    Killed and run again, it goes on: finished runs are kept, the others begin at their last saved
    states, and end with the same bits.
    """
    from stages.finetune.readers.stage import run_stage  # --help needs none of it

    run_stage(task, seed)


if __name__ == "__main__":
    stage_command(main)
