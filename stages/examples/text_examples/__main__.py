"""The command of this stage: see `stage.py`."""

from stages.core.stage.command import CorpusOption, stage_command


def main(corpus: CorpusOption) -> None:
    """Keep few texts of CORPUS with their maps."""
    from stages.examples.text_examples.stage import run_stage  # --help needs none of it

    run_stage(corpus)


if __name__ == "__main__":
    stage_command(main)
