"""The command of this room: see `stage.py`."""

from stages.core.stage.command import SeedsOption, TaskOption, stage_command


def main(task: TaskOption, seed: SeedsOption = None) -> None:
    """Grade pairs whose second text is shuffled, with order heads on and off.

    Killed and run again, it takes finished batches of grades from `work/scratch`.
    """
    from stages.word_order.stage import run_stage  # --help needs none of it

    run_stage(task, seed)


if __name__ == "__main__":
    stage_command(main)
