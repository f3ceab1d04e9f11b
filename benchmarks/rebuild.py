"""A whole `dvc repro` in a clone: what each stage takes, and how much of it is not compute."""

from pathlib import Path

import altair as alt
import pandas as pd
import torch

from benchmarks import record
from benchmarks.encoders import classifier
from benchmarks.product_rates import probe, product_rates
from stages.core.stage.files import InputError
from stages.core.stage.targets import target_folder
from tools.repository import clone_to

RECORD = Path("work/rebuild")  # in the clone; a folder for each configuration
WORDS = {
    "dvc": "DVC",
    "python": "start, imports and end of Python",
    "compute": "compute",
}
HEIGHT = 13  # pixels of a stage


def clone(folder: Path) -> None:
    """Clone the repository of this folder, as it was committed, into a new one.

    Raises:
        InputError: there is something already, or git cannot.
    """
    target_folder(folder, "clone (`--folder` takes one that is there)")
    clone_to(Path(), folder)


def run(
    folder: Path,
    configuration: Path,
    targets: list[str],
    environment: dict[str, str],
    operations: bool = False,
) -> Path:
    """Run `dvc repro` of a configuration in a clone, with a recorder; the folder of its record.

    Args:
        targets: stages of DVC; none: all. To count operations, these run although they are done.
        environment: the variables of the stages.

    Raises:
        InputError: a stage failed, or was interrupted; what is known of it is in the record.
    """
    place = folder / configuration
    if not (place / "dvc.yaml").exists():
        raise InputError(f"{place} has no dvc.yaml: it is no configuration")
    name = name_of(configuration)
    kept = folder / RECORD / name
    words = [*(["--force", "--single-item"] if operations and targets else []), *targets]
    status = record.repro(place, kept, words, environment, operations)
    if status:
        raise InputError(
            f"dvc repro in {place} ended with status {status}; run it again with --folder {folder}"
        )
    return kept


def name_of(configuration: Path) -> str:
    """A configuration's name in the names of files."""
    return "default" if configuration == Path(".") else configuration.name


def with_rate(table: pd.DataFrame) -> pd.DataFrame:
    """The table with `rate`: this machine's by `probe`, for `tools.estimate` on others.

    Where operations were counted, `share_of_rate` is the share that compute reaches of the rate of
    products, in fp32.
    """
    table = table.assign(rate=probe())
    if "operations" not in table:
        return table
    rate = product_rates(classifier("default"), torch.get_num_threads()).layer
    return table.assign(share_of_rate=1e12 * table["operations"] / table["compute"] / rate)


def plot(table: pd.DataFrame) -> alt.Chart:
    """Seconds of every stage in stacked bars, the longest first."""
    rows = table[~table["stage"].isin([record.ALL, record.NOTHING])]
    order = rows["stage"].tolist()
    long = rows[["stage", *record.PARTS]].melt("stage", var_name="part", value_name="seconds")
    long["seconds"] = long["seconds"].round(2)
    long["part"] = long["part"].map(WORDS)
    long["place"] = long["part"].map({word: place for place, word in enumerate(WORDS.values())})
    return (
        alt.Chart(long)
        .mark_bar()
        .encode(
            x=alt.X("seconds:Q", title="seconds"),
            y=alt.Y("stage:N", sort=order, title=None),
            color=alt.Color("part:N", sort=list(WORDS.values()), title=None),
            order="place:Q",
        )
        .properties(width=600, height=alt.Step(HEIGHT))
    )
