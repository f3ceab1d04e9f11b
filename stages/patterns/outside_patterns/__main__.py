"""The command of this stage: see `stage.py`."""

from stages.core.stage.command import CorpusOption, stage_command


def main(corpus: CorpusOption) -> None:
    """Score the pattern classifier on the labelled maps of CORPUS, which others recorded."""
    from stages.patterns.outside_patterns.stage import run_stage  # --help needs none of it

    run_stage(corpus)


if __name__ == "__main__":
    stage_command(main)
