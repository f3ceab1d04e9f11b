"""As many rows of each label: `python -m tools.balance SOURCE TARGET --label COLUMN`.

Where one label has most of the rows, a weak model is hardly more accurate than saying it always,
whatever it has learnt. Of every label as many rows are drawn as the rarest has; they keep their
order.
"""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer

from stages.core.stage.command import stage_command
from stages.core.stage.files import InputError, atomic
from stages.core.stage.targets import target_file
from tools.new import table_of

# As `prepare` reads them: every cell is the text that stands there, "NA", "null" and "None" too.
SEPARATED: dict[str, dict[str, Any]] = {
    ".tsv": {"sep": "\t", "quoting": csv.QUOTE_NONE},
    ".csv": {},
}
Writer = Callable[[pd.DataFrame, Path], None]
WRITERS: dict[str, Writer] = {
    ".tsv": lambda rows, file: rows.to_csv(file, sep="\t", index=False, quoting=csv.QUOTE_NONE),
    ".csv": lambda rows, file: rows.to_csv(file, index=False),
    ".jsonl": lambda rows, file: rows.to_json(
        file, orient="records", lines=True, force_ascii=False
    ),
    ".parquet": lambda rows, file: rows.to_parquet(file, index=False),
}


def rows_of(file: Path) -> pd.DataFrame:
    """All rows of a file with a header line.

    Raises:
        InputError: there is none, or it cannot be read.
    """
    if file.suffix not in SEPARATED:
        return table_of(file)
    try:
        return pd.read_csv(file, dtype=str, keep_default_na=False, **SEPARATED[file.suffix])
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: it cannot be read ({error}); mend it") from None


def balanced(rows: pd.DataFrame, label: str, seed: int) -> pd.DataFrame:
    """As many rows of each value of the column `label`, drawn without replacement, in order."""
    least = int(rows[label].value_counts().min())
    generator = np.random.default_rng(seed)
    groups = rows.groupby(label, sort=True).indices.values()
    drawn = [generator.permutation(group)[:least] for group in groups]
    return rows.iloc[np.sort(np.concatenate(drawn))].reset_index(drop=True)


def main(
    source: Annotated[Path, typer.Argument(help=".tsv, .csv, .jsonl or .parquet")],
    target: Annotated[Path, typer.Argument(help="new file, in the same format")],
    label: Annotated[str, typer.Option(help="column of the labels")],
    seed: Annotated[int, typer.Option(help="of the draw")] = 0,
) -> None:
    """Write as many rows of each label as the rarest has."""
    place = target_file(target, "file of drawn rows", sources=[source])
    rows = rows_of(source)
    if label not in rows:
        raise InputError(f"{source}: no column {label!r}; it has {', '.join(map(str, rows))}")
    if missing := int((rows[label].isna() | (rows[label] == "")).sum()):
        raise InputError(f"{source}: {missing} rows have no {label!r}; fill or remove them")
    if target.suffix != source.suffix:
        raise InputError(f"{target}: name it *{source.suffix}, as the format stays what it was")
    drawn = balanced(rows, label, seed)
    with atomic(place) as partial:
        WRITERS[source.suffix](drawn, partial)
    each = len(drawn) // drawn[label].nunique()
    typer.echo(f"{target}: {len(drawn)} of {len(rows)} rows, {each} of each label")


if __name__ == "__main__":
    stage_command(main)
