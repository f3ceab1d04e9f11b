"""Ratios of sides that take turns in one run; every table goes to reports/benchmarks."""

import tempfile
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from benchmarks import ENVIRONMENT, dump, results
from benchmarks import calibration as calibration_benchmark
from benchmarks import card as card_benchmark
from benchmarks import coverage as coverage_simulation
from benchmarks import grid as grid_benchmark
from benchmarks import layer_probes as layer_probes_benchmark
from benchmarks import rebuild as rebuild_benchmark
from benchmarks import tuning as tuning_benchmark
from benchmarks.product_rates import probe
from stages.core.runtime.runtime import Precision, Runtime, read_runtime, start
from stages.core.stage.command import stage_command

app = typer.Typer(add_completion=False, no_args_is_help=True, help=__doc__)
Encoder = Annotated[str, typer.Option(help="default or bert-base")]
Examples = Annotated[int | None, typer.Option(help="of MRPC's 408 pairs; default: all")]
Rounds = Annotated[int, typer.Option(help="times that every side runs")]


@app.command()
def grid(
    encoder: Encoder = "default",
    examples: Examples = None,
    every: Annotated[int, typer.Option(help="take every so-many-th head")] = 1,
    rounds: Rounds = 3,
    against: Annotated[str, typer.Option(help="loop, TransformerLens")] = "loop,TransformerLens",
) -> None:
    """Every head off: the engine of `ablate`, a loop of forward passes, and TransformerLens."""
    runtime = begin()
    sides = [name for name in against.split(",") if name]
    table = grid_benchmark.compare(encoder, examples, every, rounds, runtime, sides)
    show(f"grid-{encoder}", table)


@app.command()
def statistics(encoder: Encoder = "default", examples: Examples = None, rounds: Rounds = 5) -> None:
    """Statistics of every head without maps, against output_attentions and numpy."""
    begin()
    show(f"statistics-{encoder}", dump.statistics(encoder, examples, rounds))


@app.command()
def maps(encoder: Encoder = "default", examples: Examples = None, rounds: Rounds = 3) -> None:
    """Maps of every head on disk, against output_attentions and numpy's savez_compressed."""
    begin()
    show(f"maps-{encoder}", dump.maps_on_disk(encoder, examples, rounds))


@app.command()
def calibration(
    encoders: Annotated[int, typer.Option(help="of random weights")] = 20,
    configuration: Annotated[Path, typer.Option(help="its folder; it was built")] = Path("."),
    seed: Annotated[int, typer.Option(help="of the first encoder's weights")] = 1000,
) -> None:
    """How often claims about attention on corpora hold of encoders that have learnt nothing."""
    begin()
    name = rebuild_benchmark.name_of(configuration)
    show(f"calibration-{name}", calibration_benchmark.measure(encoders, configuration, seed))


@app.command()
def coverage(
    runs: Annotated[int, typer.Option(help="data sets a setting; the large ones have fewer")] = 400,
) -> None:
    """How often each kind of interval covers the truth, and shows an effect."""
    begin()
    show("coverage", coverage_simulation.measure(coverage_simulation.EVERY, runs))


@app.command()
def rebuild(
    targets: Annotated[list[str] | None, typer.Argument(help="stages; default: all")] = None,
    folder: Annotated[
        Path | None, typer.Option(help="a clone that is there; it goes on where it was interrupted")
    ] = None,
    into: Annotated[
        Path | None, typer.Option(help="folder of a new clone; default: a temporary one")
    ] = None,
    configuration: Annotated[Path, typer.Option(help="its folder in the clone")] = Path("."),
) -> None:
    """A whole `dvc repro` in a clone: DVC, start and compute of every stage."""
    clone = folder or into or Path(tempfile.mkdtemp(prefix="rebuild-"))
    if folder is None:
        rebuild_benchmark.clone(clone)
        typer.echo(f"The clone: {clone}")
    begin()
    name = rebuild_benchmark.name_of(configuration)
    record = rebuild_benchmark.run(clone, configuration, targets or [], dict(ENVIRONMENT))
    table = rebuild_benchmark.table(record).assign(rate=probe())  # which `tools.estimate` reads
    # Without the folder of the clone, which is the caller's own affair.
    of_others = [] if name == "default" else ["--configuration", configuration.as_posix()]
    show(f"rebuild-{name}", table, ["rebuild", *of_others, *(targets or [])])


@app.command()
def card(
    encoder: Encoder = "bert-base",
    precision: Annotated[Precision, typer.Option(help="of both sides")] = "bf16",
    rounds: Rounds = 3,
) -> None:
    """144 heads off on 1,000 examples of 128 tokens, on a CUDA card."""
    table = card_benchmark.compare(encoder, precision, rounds, begin())
    show(f"card-{encoder}-{precision}", table)


@app.command()
def tuning(
    task: Annotated[str, typer.Option(help="a task of the configuration")] = "mrpc",
    configuration: Annotated[Path, typer.Option(help="its folder; its tasks were prepared")] = Path(
        "configurations/glue"
    ),
    seeds: Annotated[int, typer.Option(help="that are tuned, from 0 on")] = 3,
    rounds: Rounds = 3,
) -> None:
    """Seeds tuned side by side here, against transformers' Trainer one after the other."""
    table = tuning_benchmark.compare(configuration, task, seeds, rounds, begin())
    show(f"tuning-{task}", table)


@app.command()
def layer_probes(
    sentences: Annotated[int, typer.Option(help="to train on; the release has 40,000")] = 2000,
    rounds: Rounds = 3,
) -> None:
    """Probes of all layers together, against one after another with states made anew."""
    begin()
    show("layer-probes", layer_probes_benchmark.compare(sentences, rounds))


def begin() -> Runtime:
    """Settle threads, memory and seeds as a stage does."""
    runtime = read_runtime()
    start(runtime, seed=0)
    return runtime


def show(name: str, table: pd.DataFrame, words: list[str] | None = None) -> None:
    """Print a table and keep it."""
    typer.echo(table.to_string(index=False, float_format=lambda value: f"{value:.3g}"))
    results.keep(name, table, words=words)


if __name__ == "__main__":
    stage_command(app)
