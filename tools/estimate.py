"""About how long a configuration takes here, and how much disk: `python -m tools.estimate`.

Counted is what grows with data and model: fine-tunings, grids of heads that are off, and the
studies that have encoders read examples or sentences (`tools/estimate_studies.py`) or questions
(`tools/estimate_readers.py`), by their matrix products at the rate that this machine has now; and
some seconds a stage.
"""

import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import torch
import typer
from transformers import BertConfig, BertModel

from benchmarks.cost import COLUMNS, TUNING, Sizes, Split, parts
from benchmarks.product_rates import product_rates
from stages.core.checkpoint_source import Checkpoint, locate
from stages.core.control_seeds import control_seeds
from stages.core.encoder.checkpoint import load_encoder
from stages.core.kept_encoders import KEPT
from stages.core.runtime.runtime import find_device, read_runtime
from stages.core.stage.command import stage_command
from stages.core.stage.disk import GIGA, disk_of, room
from stages.core.stage.files import InputError, read_yaml
from stages.core.stage.settings import PARAMETER_FILE, section
from stages.core.tasks.tables import TASK_SIZES
from stages.core.tasks.task import seeds_of
from stages.importance.cost import Geometry
from stages.pretrain.settings import Pretrain, in_bf16
from tools.estimate_readers import TUNED_READERS, of_readers, question_tasks, readers_of
from tools.estimate_studies import (
    CONFUSION,
    LSTM,
    PROBES,
    TOWERS,
    of_stimuli,
    of_task,
    pretraining,
    sets_of,
)
from tools.repository import require_repository

# Of the rate of a layer's products: what tuning and grids reach on two cores (reports/benchmarks);
# a step of tuning has norms, activations and small attention products beside them, an LSTM reads
# token by token, and studies of sentences draw resamples.
SHARES_OF_RATE = {TUNING: 0.55, TOWERS: 0.55, LSTM: 0.4, PROBES: 0.5, CONFUSION: 0.5}
SHARES_OF_RATE[TUNED_READERS] = SHARES_OF_RATE[TUNING]
SHARE_OF_RATE = 0.8
SHARE_OF_PRETRAINING = 0.35  # in bf16, whose products are fast and all else is not
STAGE_SECONDS = 8
SPECIAL_TOKENS = 3
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
    rows = []
    for task in section(list[str], "run.tasks", file):
        sizes = sizes_of(task, folder)
        rows += parts(task, file, geometry, sizes)
        rows += of_task(task, folder, geometry, sizes)
    rows += of_stimuli(folder, geometry)
    rows += of_readers(folder, geometry)
    table = pd.DataFrame(rows, columns=COLUMNS).groupby("part", sort=False)["operations"].sum()
    shares = table.index.map(lambda part: SHARES_OF_RATE.get(part, SHARE_OF_RATE))
    found = table / (operations_a_second * shares) / 60
    found["stages"] = STAGE_SECONDS * _stages(folder) / 60
    return found.rename("minutes").reset_index()


def minutes_before(folder: Path, device: torch.device, threads: int) -> dict[str, float]:
    """Minutes to make each encoder that is to be made before `dvc repro` and is not yet."""
    if "pretrain" not in read_yaml(folder / "dvc.yaml")["stages"]:
        return {}
    own = section(Pretrain, "pretrain", folder / PARAMETER_FILE)
    missing = [name for name in own.encoders if not (folder / KEPT / name).is_dir()]
    if not missing:
        return {}
    config = BertConfig(
        vocab_size=1,
        hidden_size=own.hidden,
        num_hidden_layers=own.layers,
        num_attention_heads=own.heads,
        intermediate_size=own.intermediate,
    )
    model = BertModel(config).to(device)
    if in_bf16(own.precision, device):
        model = model.bfloat16()
    rate = product_rates(model, threads).layer * SHARE_OF_PRETRAINING
    return dict.fromkeys(missing, pretraining(own) / rate / 60)


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
    """Disk for models, readers and the recorded maps of tasks, in units of 1,000,000,000 bytes."""
    file = folder / PARAMETER_FILE
    attend = section(dict[str, Any], "attend", file)
    total = 0.0
    for task in section(list[str], "run.tasks", file):
        seeds, validation = seeds_of(task, file=file), sizes_of(task, folder).validation
        models = 2 * len(seeds) + 2 * len(control_seeds(seeds, file))
        examples = min(attend["examples"] or validation.examples, validation.examples)
        maps = 3 * examples * geometry.layers * geometry.heads * validation.tokens**2 * 2
        total += COPIES * (models * weights * 4 + maps)
    for task in question_tasks(folder):
        total += COPIES * sum(readers_of(task, file).values()) * weights * 4
    return total / GIGA


def main(
    folder: Annotated[
        Path | None, typer.Argument(help="of the configuration; by default this one")
    ] = None,
) -> None:
    """Say about how long `dvc repro` takes in FOLDER, and how much disk.

    Examples and tokens are counted by the stage `prepare`; sentences of known structure and
    questions are made by `stimuli` and `questions`. They are run if anything changed.

    Raises:
        InputError: it fails.
    """
    folder = folder or Path()
    file = folder / PARAMETER_FILE
    runtime = read_runtime(file)
    device = find_device(runtime.device)
    for name, before in minutes_before(folder, device, runtime.threads).items():
        typer.echo(
            f"before `dvc repro`, once, `python -m stages.pretrain --encoder {name} --keep`: "
            f"about {before:.0f} minutes"
        )
    counting = ["prepare"] if section(list[str], "run.tasks", file) else []
    counting += ["stimuli"] if sets_of(folder) else []
    counting += ["questions"] if question_tasks(folder) else []
    if counting:
        require_repository(folder)
        command = [sys.executable, "-m", "dvc", "repro", *counting]
        made = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
        if made.returncode:
            typer.echo(made.stdout + made.stderr, err=True)
            failed = " ".join(command[2:])
            raise InputError(f"{folder}: `{failed}` failed, see above; mend that first")
    encoder = load_encoder(locate(section(Checkpoint, "checkpoint", file)))
    geometry = Geometry.of(encoder.config)
    weights = sum(weight.numel() for weight in encoder.parameters())
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
    if disk * GIGA > room(folder):
        typer.secho(f"warning: {disk_of(folder)} has less room; free some", fg="yellow", err=True)


if __name__ == "__main__":
    stage_command(main)
