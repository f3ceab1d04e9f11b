"""About how long a configuration takes here, and how much disk: `python -m tools.estimate`.

Counted are the two parts that grow with data and model, fine-tuning and the grids of heads that are
off, by their matrix products at the rate that this machine has now; and some seconds a stage.
"""

import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from benchmarks.cost import COLUMNS, TUNING, Sizes, Split, parts
from benchmarks.product_rates import product_rates
from stages.core.checkpoint_source import Checkpoint, locate
from stages.core.control_seeds import control_seeds
from stages.core.encoder.checkpoint import load_encoder
from stages.core.runtime.runtime import find_device, read_runtime
from stages.core.stage.command import stage_command
from stages.core.stage.files import InputError, read_yaml
from stages.core.stage.settings import PARAMETER_FILE, section
from stages.core.tasks.tables import TASK_SIZES
from stages.core.tasks.task import seeds_of
from stages.importance.cost import Geometry

# Of the rate of a layer's products: what tuning and grids reach on two cores (reports/benchmarks);
# a step of tuning has norms, activations and small attention products beside them.
SHARES_OF_RATE = {TUNING: 0.55}
SHARE_OF_RATE = 0.8
STAGE_SECONDS = 8
SPECIAL_TOKENS = 3
GIGA = 1e9
COPIES = 2  # outputs lie in work/ and in DVC's cache


def sizes_of(task: str, folder: Path) -> Sizes:
    """Examples and tokens of a task, as `prepare` counted them.

    Raises:
        InputError: it has not yet.
    """
    file = folder / TASK_SIZES.path(task=task)
    if not file.is_file():
        raise InputError(f"{file}: not there yet; `dvc repro prepare` counts in a few seconds")
    rows = pd.read_parquet(file).set_index("split")
    splits = {
        split: Split(int(row["examples"]), round(row["tokens"] / row["examples"]) + SPECIAL_TOKENS)
        for split, row in rows.iterrows()
    }
    return Sizes(splits["train"], splits["validation"])


def minutes(folder: Path, geometry: Geometry, operations_a_second: float) -> pd.DataFrame:
    """Minutes of each part of a configuration; see `SHARES_OF_RATE`."""
    file = folder / PARAMETER_FILE
    rows = [
        row
        for task in section(list[str], "run.tasks", file)
        for row in parts(task, file, geometry, sizes_of(task, folder))
    ]
    table = pd.DataFrame(rows, columns=COLUMNS).groupby("part", sort=False)["operations"].sum()
    shares = table.index.map(lambda part: SHARES_OF_RATE.get(part, SHARE_OF_RATE))
    found = table / (operations_a_second * shares) / 60
    found["stages"] = STAGE_SECONDS * _stages(folder) / 60
    return found.rename("minutes").reset_index()


def _stages(folder: Path) -> int:
    """How many stages `dvc.yaml` makes of its lists."""
    parameters, count = read_yaml(folder / PARAMETER_FILE), 0
    for stage in read_yaml(folder / "dvc.yaml")["stages"].values():
        over: Any = stage.get("foreach") or next(iter(stage.get("matrix", {}).values()), None)
        found = parameters
        for key in over.removeprefix("${").removesuffix("}").split(".") if over else ():
            found = found[key]
        count += len(found) if over else 1
    return count


def gigabytes(folder: Path, geometry: Geometry, weights: int) -> float:
    """Disk for the models and the recorded maps of the tasks, in units of 1,000,000,000 bytes."""
    file = folder / PARAMETER_FILE
    attend = section(dict[str, Any], "attend", file)
    total = 0.0
    for task in section(list[str], "run.tasks", file):
        seeds, validation = seeds_of(task, file=file), sizes_of(task, folder).validation
        models = 2 * len(seeds) + 2 * len(control_seeds(seeds, file))
        examples = min(attend["examples"] or validation.examples, validation.examples)
        maps = 3 * examples * geometry.layers * geometry.heads * validation.tokens**2 * 2
        total += COPIES * (models * weights * 4 + maps)
    return total / GIGA


def main(
    folder: Annotated[
        Path | None, typer.Argument(help="of the configuration; by default this one")
    ] = None,
) -> None:
    """Say about how long `dvc repro` takes in FOLDER, and how much disk.

    Examples and tokens are counted by the stage `prepare`, which is run if anything changed.

    Raises:
        InputError: it fails.
    """
    folder = folder or Path()
    file = folder / PARAMETER_FILE
    tasks = section(list[str], "run.tasks", file)
    if tasks:
        command = [sys.executable, "-m", "dvc", "repro", "prepare"]
        made = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
        if made.returncode:
            typer.echo(made.stdout + made.stderr, err=True)
            raise InputError(f"{folder}: `dvc repro prepare` failed, see above; mend that first")
    runtime = read_runtime(file)
    encoder = load_encoder(locate(section(Checkpoint, "checkpoint", file)))
    geometry = Geometry.of(encoder.config)
    weights = sum(weight.numel() for weight in encoder.parameters())
    device = find_device(runtime.device)
    table = minutes(folder, geometry, product_rates(encoder.to(device), runtime.threads).layer)
    typer.echo(table.to_string(index=False, header=False, float_format="{:.0f} min".format))
    disk = gigabytes(folder, geometry, weights)
    stages = read_yaml(folder / "dvc.yaml")["stages"]
    others = ["maps and statistics", *(["corpora of one's own"] if "corpus" in stages else [])]
    if "classifier" in stages:
        others.append("the pattern classifier (some 6 minutes, once)")
    typer.echo(
        f"about {table['minutes'].sum():.0f} minutes and {disk:.1f} GB of disk; not counted: "
        f"{', '.join(others)}"
    )


if __name__ == "__main__":
    stage_command(main)
