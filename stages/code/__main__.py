"""The command of this room: see `stage.py`."""

from stages.core.stage.command import stage_command


def main() -> None:
    """Write the sums of the source files that each stage runs to work/code."""
    from stages.code.stage import run_stage  # --help needs none of it

    run_stage()


if __name__ == "__main__":
    stage_command(main)
