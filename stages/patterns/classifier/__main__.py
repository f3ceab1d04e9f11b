"""The command of this stage: see `stage.py`."""

from stages.core.stage.command import stage_command


def main() -> None:
    """Cross-validate the pattern classifier on the labelled maps, then train it on all of them."""
    from stages.patterns.classifier.stage import run_stage  # --help needs none of it

    run_stage()


if __name__ == "__main__":
    stage_command(main)
