"""The command of this room: see `stage.py`."""

from stages.core.stage.command import CorpusOption, stage_command


def main(corpus: CorpusOption) -> None:
    """Read every head as a segmenter of the texts of CORPUS, which write no spaces."""
    from stages.boundaries.stage import run_stage  # --help needs none of it

    run_stage(corpus)


if __name__ == "__main__":
    stage_command(main)
