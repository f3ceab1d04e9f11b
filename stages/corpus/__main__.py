"""The command of this room: see `stage.py`."""

from typing import Annotated

import typer

from stages.core.stage.command import stage_command


def main(
    corpus: Annotated[
        str | None,
        typer.Option(
            "--corpus", help="A corpus of `corpora` in params.yaml; DVC names its stage's own."
        ),
    ] = None,
) -> None:
    """Write work/corpora/CORPUS: its texts and annotations, and its maps if they were recorded."""
    from stages.corpus.stage import run_stage  # --help needs none of it

    run_stage(corpus)


if __name__ == "__main__":
    stage_command(main)
