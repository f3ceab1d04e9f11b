"""A configuration for data of one's own: `python -m tools.new NAME --train FILE ...`.

It writes `configurations/NAME/settings.yaml`, with the task's columns and the classes that stand in
the data, and makes the rest of the folder as `python -m tools.configurations` does.
"""

import csv
import os
import re
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer
from ruamel.yaml import YAML

from stages.core.stage.command import stage_command
from stages.core.stage.edited import SETTINGS_FILE as SETTINGS
from stages.core.stage.files import InputError, atomic, read_yaml
from tools.configurations import write
from tools.pipeline import ROOT

MOST_CLASSES = 20
QUICK = ROOT / "configurations/quick" / SETTINGS
QUICK_ROWS = {"train": 960, "validation": 400}  # at most so many are drawn
# Of the quick configuration: what is not about its own task.
NOT_TAKEN = ("findings", "tasks")
# Words as they are: NA may be a class. An empty field is none.
TEXT = {"dtype": str, "keep_default_na": False, "na_values": [""]}
READERS = {
    ".tsv": lambda file: pd.read_csv(file, sep="\t", quoting=csv.QUOTE_NONE, **TEXT),
    ".csv": lambda file: pd.read_csv(file, **TEXT),
    ".jsonl": lambda file: pd.read_json(file, lines=True, dtype=False),
    ".parquet": pd.read_parquet,
}


def table_of(file: Path) -> pd.DataFrame:
    """A file with a header line, as `prepare` reads it.

    Raises:
        InputError: there is none, or it cannot be read.
    """
    if file.suffix not in READERS:
        raise InputError(f"{file}: it is none of {', '.join(READERS)}; save it as one of these")
    try:
        return READERS[file.suffix](file)
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: it cannot be read ({error}); mend it") from None


def labels_of(values: pd.Series, file: Path) -> list[str] | None:
    """The classes of a column, in order; None where its values are scores.

    Raises:
        InputError: there is one class alone, or too many that are no numbers.
    """
    found = sorted(set(values.dropna().astype(str)))
    numbers = pd.to_numeric(pd.Series(found), errors="coerce")
    if numbers.notna().all() and (len(found) > MOST_CLASSES or (numbers % 1 != 0).any()):
        return None
    if not 1 < len(found) <= MOST_CLASSES:
        raise InputError(
            f"{file}: the column {values.name!r} has {len(found)} different values; name a column "
            f"of 2 to {MOST_CLASSES} classes, or of scores"
        )
    if numbers.notna().all():
        return [found[place] for place in numbers.argsort()]
    return found


def entry(
    train: Path, validation: Path, columns: dict[str, str], folder: Path, rate: float
) -> dict[str, Any]:
    """The entry of a task in `settings.yaml`.

    Raises:
        InputError: a file or a column is missing.
    """
    table = table_of(train)
    for key, column in columns.items():
        if column not in table:
            raise InputError(f"{train}: no column {column!r} for --{key}; it has {list(table)}")
    labels = labels_of(table[columns["label"]], train)
    splits = {"train": train, "validation": validation}
    task = {
        "data": {
            "source": "files",
            "splits": {name: os.path.relpath(file, folder) for name, file in splits.items()},
            "columns": columns,
        }
    }
    if labels is None:
        return task | {"kind": "regression", "metrics": ["spearman", "pearson"]} | _tuning(rate)
    metrics = ["accuracy", "f1"] if len(labels) == 2 else ["accuracy", "macro_f1"]
    kind = {"kind": "classification", "labels": labels, "metrics": metrics}
    return task | kind | _tuning(rate)


def _tuning(rate: float) -> dict[str, Any]:
    return {"finetune": {"learning_rate": rate}}


def checkpoint_of(named: str) -> dict[str, str]:
    """The section `checkpoint`: a folder that is there, or a model of the Hub."""
    if Path(named).is_dir():
        return {"source": "folder", "path": str(Path(named).resolve())}
    if re.fullmatch(r"[\w.-]+/[\w.-]+", named):
        return {"source": "hub", "id": named, "revision": "main"}
    raise InputError(f"--checkpoint {named}: neither a folder nor organisation/name of the Hub")


def main(
    name: Annotated[str, typer.Argument(help="of the configuration, and of its task")],
    train: Annotated[Path, typer.Option(help="examples to tune on: .tsv, .csv, .jsonl, .parquet")],
    validation: Annotated[Path, typer.Option(help="examples to measure on")],
    text: Annotated[str, typer.Option(help="column of the text, or of the first of a pair")],
    label: Annotated[str, typer.Option(help="column of the class or score")],
    second: Annotated[str | None, typer.Option(help="column of the second text, of pairs")] = None,
    checkpoint: Annotated[
        str | None, typer.Option(help="folder, or organisation/name of the Hub; else the default")
    ] = None,
    rate: Annotated[float, typer.Option(help="learning rate of the tuning")] = 1.0e-4,
    quick: Annotated[bool, typer.Option(help="few examples, and no pattern classifier")] = False,
) -> None:
    """Make configurations/NAME for a task of your own files; then `dvc repro` there."""
    if not name.replace("_", "").isalnum():
        raise InputError(f"{name!r}: a name has letters, digits and _ only, as it names files")
    folder = ROOT / "configurations" / name
    if (folder / SETTINGS).exists():
        raise InputError(f"{folder / SETTINGS} is there already; edit it, or take another name")
    columns = {"text_a": text} | ({"text_b": second} if second else {}) | {"label": label}
    settings = {"findings": {"configuration": name}}
    if quick:
        taken = read_yaml(QUICK)
        settings |= {key: value for key, value in taken.items() if key not in NOT_TAKEN}
    settings["run"] = settings.get("run", {}) | {"tasks": [name]}
    if checkpoint:
        settings["checkpoint"] = checkpoint_of(checkpoint)
    settings["tasks"] = {name: entry(train, validation, columns, folder, rate)}
    if quick:
        settings["tasks"][name]["data"] |= QUICK_ROWS
    folder.mkdir(parents=True, exist_ok=True)
    yaml = YAML()
    with atomic(folder / SETTINGS) as partial, partial.open("w", encoding="utf-8") as stream:
        stream.write("# What differs from params.yaml at the root. After a change of it:\n")
        stream.write(f"# python -m tools.configurations configurations/{name}\n")
        yaml.dump(settings, stream)
    write(folder)
    typer.echo(f"made configurations/{name}")
    typer.echo(f"how long it takes here: python -m tools.estimate configurations/{name}")
    typer.echo(f"to run it: cd configurations/{name} && dvc repro")


if __name__ == "__main__":
    stage_command(main)
