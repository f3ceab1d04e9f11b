"""`python -m benchmarks --help`."""

from typing import Annotated

import pandas as pd
import typer

from benchmarks import grid as grid_benchmark
from stages.core.runtime import read_runtime, start

app = typer.Typer(add_completion=False, help=__doc__)


@app.command()
def grid(
    encoder: Annotated[str, typer.Option(help="default, bert-base or bert-large")] = "default",
    examples: Annotated[int | None, typer.Option(help="of MRPC's 408 pairs; default: all")] = None,
    every: Annotated[int, typer.Option(help="take every so-many-th head")] = 1,
    rounds: Annotated[int, typer.Option(help="times that every side runs")] = 3,
    against: Annotated[str, typer.Option(help="loop, TransformerLens")] = "loop,TransformerLens",
) -> None:
    """Every head off: the engine of `ablate`, a loop of forward passes, and TransformerLens."""
    runtime = read_runtime()
    start(runtime, seed=0)
    sides = [name for name in against.split(",") if name]
    show(grid_benchmark.compare(encoder, examples, every, rounds, runtime, sides))


@app.callback()
def main() -> None:
    """Ratios of pairs that take turns in one run."""


def show(table: pd.DataFrame) -> None:
    """Print a table."""
    typer.echo(table.to_string(index=False, float_format=lambda value: f"{value:.3g}"))


if __name__ == "__main__":
    app()
