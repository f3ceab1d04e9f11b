"""What tests of claims share: hand-made measures, and the answer that a measure gives of them.

The fixture `measures` of `tests/conftest.py` is the configuration that they are of.
"""

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

import stages.findings
from stages.core.stage.places import MEASURES
from stages.core.tables import Table, drawn_of, interval_of
from stages.core.tasks.tables import BASELINES, PREDICTIONS
from stages.core.verdicts.answers import Answer
from stages.core.verdicts.claims import REGISTERED, Settings
from stages.core.verdicts.depth import Band
from stages.core.verdicts.measures import Measures
from stages.finetune.tables import PAIR_PREDICTIONS

SETTINGS = Settings(configuration="test", resamples=50)
MIDDLE = Band(Fraction(6, 12), Fraction(10, 12))
UPPER_HALF = Band(Fraction(7, 12), Fraction(1))
# Values of keys and other columns that no test reads.
KEYS = {"seed": 0, "arm": "untuned", "layer": 0, "head": 0}
BLANK = {"float64": np.nan, "int64": 0, "bool": False, "str": "", "object": None}
OF_PREDICTIONS = {
    "finetune": PREDICTIONS,
    "pair_baselines": PAIR_PREDICTIONS,
    "prepare": BASELINES,
    "baseline": BASELINES,
}
LABELS = [0.0, 1.0] * 10
stages.findings.load()


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
    path = measures.folder / table.path(data if "data" in table.key_columns else "").relative_to(
        MEASURES
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    frame = pd.DataFrame(full, columns=None if full else table.columns)
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


def write_beside(
    measures: Measures, name: str, rows: list[dict[str, Any]], keys: list[str]
) -> None:
    """Write rows into a table of predictions in place of those with the same `keys`.

    Args:
        name: as `finetune/TASK`, `pair_baselines/TASK` or `prepare/TASK-baselines`.
    """
    stage, _, task = name.partition("/")
    task = task.removesuffix("-baselines")
    table = OF_PREDICTIONS[stage]
    file = measures.folder / table.path(task).relative_to(MEASURES)
    if file.exists():
        before = pd.read_parquet(file)
        new = pd.MultiIndex.from_frame(pd.DataFrame(rows)[keys])
        before = before[~pd.MultiIndex.from_frame(before[keys]).isin(new)]
        rows = [*before.to_dict("records"), *rows]
        file.unlink()
    write_table(measures, table, rows, data=task)


def found(measures: Measures, name: str, **arguments: Any) -> Answer:
    """What the measure of this name answers."""
    return REGISTERED[name](measures, SETTINGS, **arguments)
