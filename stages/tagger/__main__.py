"""The command of this room: see `stage.py`."""

from stages.core.stage.command import stage_command


def main() -> None:
    """Write work/tagger: the trained pipeline and its scores, or a note that there is none."""
    from stages.tagger.stage import run_stage  # --help needs none of it

    run_stage()


if __name__ == "__main__":
    stage_command(main)
