"""The command of this room: see `stage.py`."""

from stages.core.stage.command import stage_command


def main() -> None:
    """Say all that is wrong with params.yaml in this folder; else write work/checked.txt."""
    from stages.check.stage import run_stage  # --help needs none of it

    run_stage()


if __name__ == "__main__":
    stage_command(main)
