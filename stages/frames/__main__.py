"""The command of this room: see `stage.py`."""

from stages.core.stage.command import CorpusOption, stage_command


def main(corpus: CorpusOption) -> None:
    """Measure the attention between predicates and frame elements in the texts of CORPUS."""
    from stages.frames.stage import run_stage  # --help needs none of it

    run_stage(corpus)


if __name__ == "__main__":
    stage_command(main)
