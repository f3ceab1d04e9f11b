"""Hold claims and tables against those of another commit: `python -m tools.gate COMMIT DIR...`.

A redesign must change no number. This command guards it and goes when the redesign ends.

Claims are compared with the committed `reports/findings.json` of COMMIT, at four places. Tables are
compared by value with those of a rebuild of COMMIT (`--work FOLDER/work`). A table or column with
another name now stands in `MOVED`.
"""

import json
import math
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer

from stages.core.stage.command import stage_command
from stages.core.stage.files import InputError
from stages.core.verdicts.findings import FINDINGS_FILE

PLACES = 4
# Keys of a claim's finding that are compared; a dot leads into a mapping.
COMPARED = (
    *("value", "low", "high", "control.value", "control.low", "control.high"),
    *("control.beyond.value", "control.beyond.low", "control.beyond.high", "verdict"),
)
# Tables below work/measures: the path before and the path now; columns as `PATH:COLUMN`.
MOVED: dict[str, str] = {}


def committed(folder: Path, commit: str) -> dict[str, Any]:
    """The findings that a commit has of a configuration.

    Raises:
        InputError: there is no such commit, or it has none.
    """
    file = f"{commit}:./{FINDINGS_FILE}"
    shown = subprocess.run(["git", "show", file], cwd=folder, capture_output=True, text=True)
    if shown.returncode:
        raise InputError(f"{folder}: git has no {file} ({shown.stderr.strip()}); mend the commit")
    return json.loads(shown.stdout)


def claim_differences(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """A line for each figure or verdict of a claim that differs."""
    for claim in sorted(before.keys() | after.keys()):
        if claim not in before or claim not in after:
            yield f"{claim}: {'no finding now' if claim in before else 'no finding before'}"
            continue
        for key in COMPARED:
            old, new = (_entry(findings[claim], key) for findings in (before, after))
            if old != new:
                yield f"{claim}: {key} was {old} and is {new}"


def _entry(finding: dict[str, Any], key: str) -> Any:
    entry: Any = finding
    for name in key.split("."):
        entry = entry.get(name) if isinstance(entry, dict) else None
    return round(entry, PLACES) if isinstance(entry, float) else entry


def table_differences(before: Path, after: Path) -> Iterator[str]:
    """A line for each table below two folders of measures that differs in value.

    Rows are compared in order; columns by name, a column that is new now is no difference.
    """
    for file in sorted(before.rglob("*.parquet")):
        name = file.relative_to(before).as_posix()
        moved = after / MOVED.get(name, name)
        if not moved.is_file():
            yield f"{name}: it is gone"
            continue
        old, new = pd.read_parquet(file), pd.read_parquet(moved)
        if len(old) != len(new):
            yield f"{name}: {len(old)} rows before, {len(new)} now"
            continue
        for column in old:
            renamed = MOVED.get(f"{name}:{column}", column)
            if renamed not in new:
                yield f"{name}: the column {column} is gone"
            elif not _equal(old[column], new[renamed]):
                yield f"{name}: the column {column} has other values"
    for file in sorted(before.rglob("*.npy")):
        name = file.relative_to(before).as_posix()
        moved = after / MOVED.get(name, name)
        if not moved.is_file():
            yield f"{name}: it is gone"
        elif not np.array_equal(np.load(file), np.load(moved), equal_nan=True):
            yield f"{name}: it has other values"


def _equal(old: pd.Series, new: pd.Series) -> bool:
    if pd.api.types.is_numeric_dtype(old) and pd.api.types.is_numeric_dtype(new):
        return bool(np.allclose(old, new, rtol=0, atol=10**-PLACES / 2, equal_nan=True))
    return all(map(_same, old, new))


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray | list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, float) and math.isnan(one):
        return isinstance(other, float) and math.isnan(other)
    return bool(one == other)


def main(
    commit: Annotated[str, typer.Argument(help="a revision of git")],
    folders: Annotated[list[Path], typer.Argument(help="of configurations; . too")],
    work: Annotated[
        Path | None, typer.Option(help="the folder work of a rebuild of COMMIT, for tables")
    ] = None,
) -> None:
    """Print every figure, verdict and table that differs; exit with 1 where one does."""
    count = 0
    for folder in folders:
        after = json.loads((folder / FINDINGS_FILE).read_text(encoding="utf-8"))["claims"]
        lines = list(claim_differences(committed(folder, commit)["claims"], after))
        if work is not None:
            lines += table_differences(work / "measures", folder / "work/measures")
        print("\n".join(f"{folder}: {line}" for line in lines))
        print(f"{folder}: {len(after)} claims, {len(lines)} differences")
        count += len(lines)
    raise typer.Exit(bool(count))


if __name__ == "__main__":
    stage_command(main)
