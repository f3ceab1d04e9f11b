"""What tests of claims share: hand-made measures, and the answer that a measure gives of them.

The fixture `measures` of `tests/conftest.py` is the configuration that they are of.
"""

import re
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

import stages.findings
from stages.core.stage.places import MEASURES
from stages.core.stage.tables import MeasuredTable
from stages.core.tables import Table, drawn_of, interval_of
from stages.core.verdicts.answers import Answer
from stages.core.verdicts.claims import REGISTERED, Settings
from stages.core.verdicts.depth import Band
from stages.core.verdicts.measures import Measures

SETTINGS = Settings(configuration="test", resamples=50)
MIDDLE = Band(Fraction(6, 12), Fraction(10, 12))
UPPER_HALF = Band(Fraction(7, 12), Fraction(1))
# Values of keys and other columns that no test reads.
KEYS = {"seed": 0, "arm": "untuned", "layer": 0, "head": 0}
BLANK = {"float64": np.nan, "int64": 0, "bool": False, "str": "", "object": None}
LABELS = [0.0, 1.0] * 10
stages.findings.load()


def write(measures: Measures, name: str, rows: list[dict[str, Any]]) -> None:
    """Write a table of measures; declared columns that it lacks, which no test reads, are blank."""
    path = measures.folder / f"{name}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pd.DataFrame(rows)
    lacking = [column for one in declared(name) for column in one.lacks(table.columns)]
    table.assign(**dict.fromkeys(lacking, np.nan)).to_parquet(path, index=False)


def declared(name: str) -> list[MeasuredTable]:
    """The declarations of the stages that this name fits."""
    modules = [one for key, one in sys.modules.items() if key.startswith("stages.")]
    tables = (one for module in modules for one in vars(module).values())
    of_stages = {one.pattern: one for one in tables if isinstance(one, MeasuredTable)}
    return [
        one
        for pattern, one in of_stages.items()
        if re.fullmatch(re.sub(r"\{\w+\}", r"\\w+", pattern), name)
    ]


def write_rows(
    measures: Measures, table: MeasuredTable, rows: list[dict[str, Any]], **fields: Any
) -> None:
    """As `write`, of a declared table with the values of its fields; others become columns."""
    columns = {key: value for key, value in fields.items() if f"{{{key}}}" not in table.pattern}
    name = str(table.path(**fields).relative_to(MEASURES).with_suffix(""))
    write(measures, name, [columns | row for row in rows])


def write_drawn(
    measures: Measures,
    table: MeasuredTable,
    rows: list[dict[str, Any]],
    spread: float = 0.0,
    **fields: Any,
) -> None:
    """Write rows of a table with resamples: each value with normal noise, 200 times.

    Args:
        spread: standard deviation of the noise, the same in every column and row, so that two
            tables that are written alike are drawn alike.
    """
    write_rows(measures, table, rows, **fields)
    noise = spread * np.random.default_rng(0).normal(size=200)
    drawn = [[row[column] + noise for row in rows] for column in table.resampled]
    path = measures.folder / table.resampled_path(**fields).relative_to(MEASURES)
    np.save(path, np.array(drawn, dtype=np.float32))


def write_table(
    measures: Measures,
    table: Table,
    rows: list[dict[str, Any]],
    spread: float = 0.0,
    data: str = "one",
    **keys: Any,
) -> None:
    """Add rows to the table of one data set; intervals and resamples that they lack are made.

    Args:
        spread: standard deviation of the noise of 200 resamples, the same in every column and row,
            so that rows are drawn alike.
        keys: key columns with one value for all rows.
    """
    noise = spread * np.random.default_rng(0).normal(size=200)
    full = []
    for row in rows:
        whole = dict.fromkeys(table.key_columns, "") | KEYS
        whole = {key: whole[key] for key in table.key_columns}
        whole |= ({"data": data} if "data" in whole else {}) | keys | row
        for column, value in table.values.items():
            if value.numbered or (value.optional and column not in whole):
                continue
            number = whole.setdefault(column, BLANK[value.type])
            if value.interval:
                low, high = interval_of(column)
                whole.setdefault(low, number - 2 * spread)
                whole.setdefault(high, number + 2 * spread)
            if value.resampled:
                whole.setdefault(drawn_of(column), (number + noise).astype(np.float32))
        full.append(whole)
    stage, _, name = table.file.partition("/")
    folder = (
        measures.folder / stage / data if "data" in table.key_columns else (measures.folder / stage)
    )
    path = folder / f"{name}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    frame = pd.DataFrame(full)
    if path.exists():
        frame = pd.concat([pd.read_parquet(path), frame], ignore_index=True)
    assert not table.complaint(frame.columns), table.complaint(frame.columns)
    frame.to_parquet(path, index=False)


def write_run(measures: Measures, name: str, wrong: int, **columns: Any) -> None:
    """Predictions on twenty examples of which the first `wrong` are wrong.

    Args:
        columns: of the model, as `arm` and `seed`. Those of other models stay in the table.
    """
    rows = [
        {
            "id": f"x{row}",
            "label": label,
            "prediction": 1 - label if row < wrong else label,
            **columns,
        }
        for row, label in enumerate(LABELS)
    ]
    write_beside(measures, name, rows, list(columns))


def baselines_file(name: str) -> tuple[str, dict[str, str]]:
    """The file of `finetune/TASK` or `prepare/TASK-baselines`, and its key of the data."""
    stage, _, task = name.partition("/")
    task = task.removesuffix("-baselines")
    table = {
        "finetune": "finetune/{}/predictions",
        "pair_baselines": "pair_baselines/{}/predictions",
        "prepare": "prepare/{}/baselines",
        "baseline": "prepare/{}/baselines",
    }[stage]
    return table.format(task), {"data": task}


def write_beside(
    measures: Measures, name: str, rows: list[dict[str, Any]], keys: list[str]
) -> None:
    """Write rows into a table in place of those with the same `keys`, beside the others."""
    name, keys_of_data = baselines_file(name)
    table, path = pd.DataFrame(rows).assign(**keys_of_data), measures.folder / f"{name}.parquet"
    if path.exists():
        before = pd.read_parquet(path)
        new = pd.MultiIndex.from_frame(table[keys])
        before = before[~pd.MultiIndex.from_frame(before[keys]).isin(new)]
        table = pd.concat([before, table], ignore_index=True)
    write(measures, name, table.to_dict("records"))


def found(measures: Measures, name: str, **arguments: Any) -> Answer:
    """What the measure of this name answers."""
    return REGISTERED[name](measures, SETTINGS, **arguments)
