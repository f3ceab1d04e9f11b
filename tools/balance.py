"""As many rows of each label: `python -m tools.balance SOURCE TARGET --label COLUMN`.

Where one label has most of the rows, a weak model is hardly more accurate than saying it always,
whatever it has learnt. Of every label as many rows are drawn as the rarest has; they keep their
order.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import typer

from stages.core.lines import ending_of
from stages.core.stage.command import stage_command
from stages.core.stage.files import InputError, atomic
from stages.core.stage.targets import target_file
from stages.prepare.formats import columns_of, file_rows

Writer = Callable[[pd.DataFrame, Path], None]
WRITERS: dict[str, Writer] = {
    ".tsv": lambda rows, file: file.write_bytes(_tab_separated(rows)),
    ".csv": lambda rows, file: rows.to_csv(file, index=False),
    ".jsonl": lambda rows, file: rows.to_json(
        file, orient="records", lines=True, force_ascii=False
    ),
    ".parquet": lambda rows, file: rows.to_parquet(file, index=False),
}


def _tab_separated(rows: pd.DataFrame) -> bytes:
    """As `prepare` reads them: a text may hold quotes and carriage returns."""
    lines = ["\t".join(cells) for cells in (rows.columns, *rows.itertuples(index=False))]
    return "".join(f"{line}\n" for line in lines).encode()


def rows_of(file: Path) -> pd.DataFrame:
    """All rows of a file with a header line, every cell of a .tsv or .csv as the text that it is.

    Raises:
        InputError: there is none, it cannot be read, or a row has another number of columns.
    """
    columns = {column: column for column in columns_of(file)}
    if ending_of(file) == ".parquet":
        return pd.read_parquet(file)
    rows = list(file_rows(file, columns))
    if bad := [f"{row.place}: {row.fault}" for row in rows if row.values is None]:
        raise InputError(f"{file}: rows that cannot be read ({len(bad)}), {bad[0]}; mend them")
    return pd.DataFrame([row.values for row in rows])


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
    if target.suffix.lower() != source.suffix.lower():
        raise InputError(f"{target}: name it *{source.suffix}, as the format stays what it was")
    drawn = balanced(rows, label, seed)
    with atomic(place) as partial:
        WRITERS[source.suffix.lower()](drawn, partial)
    each = len(drawn) // drawn[label].nunique()
    typer.echo(f"{target}: {len(drawn)} of {len(rows)} rows, {each} of each label")


if __name__ == "__main__":
    stage_command(main)
