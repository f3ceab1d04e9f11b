"""The command of this stage: see `stage.py`."""

from stages.core.stage.command import SeedsOption, TaskOption, stage_command


def main(task: TaskOption, seed: SeedsOption = None) -> None:
    """Work out the effects of the gates of `work/ablate`, with paired bootstrap intervals."""
    from stages.ablate.effects.stage import run_stage  # --help needs none of it

    run_stage(task, seed)


if __name__ == "__main__":
    stage_command(main)
