"""Rows of several fine-tunings as one row, joined as claims join them."""

import numpy as np
import pandas as pd

from stages.core.tables import Selection, Table, drawn_of, estimate_columns, interval_of
from stages.core.verdicts.estimates import Estimate, difference_of, over_seeds
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.of_data import studied_rows

PLACE = ["layer", "head"]


def joined(
    measures: Measures, wanted: Table | Selection, *columns: str, scale: float = 1
) -> pd.DataFrame:
    """The rows of a selection over their seeds.

    Intervals end at the declared bounds of a value.

    Args:
        columns: values with intervals that are joined by their resamples, if there are any; a
            fine-tuning without the value is left out. Other columns are those of the first one.
        scale: of these values; 100 makes points or percent of shares.

    Returns:
        The columns of the table without `seed` and resamples.

    Raises:
        NotMeasured: there is no such row.
    """
    table = wanted if isinstance(wanted, Table) else wanted.table
    rows = measures.rows(wanted, drawn=True)
    keys = [key for key in table.key_columns if key != "seed"]
    if "seed" in rows and rows.duplicated(keys).any():
        rows = _over_seeds(rows, keys, list(columns))
    for column in columns:
        least, most = table.values[column].bounds
        if table.values[column].interval:
            ends = {end: rows[end].clip(least, most) for end in interval_of(column)}
            rows = rows.assign(**ends)
    if scale != 1:
        scaled = [name for column in columns for name in (column, *interval_of(column))]
        rows = rows.assign(**{name: scale * rows[name] for name in scaled if name in rows})
    return rows.drop(columns=["seed", *table.resampled], errors="ignore")


def layer_means(measures: Measures, wanted: Table | Selection, column: str) -> pd.DataFrame:
    """The mean over the heads of each layer, over seeds; with its interval, if there are resamples.

    Returns:
        The keys of the table without `head` and `seed`, the value, and its interval.
    """
    table = wanted if isinstance(wanted, Table) else wanted.table
    keys = [key for key in table.key_columns if key not in ("head", "seed")]
    rows = measures.rows(wanted, drawn=True)
    if not table.values[column].resampled:
        return rows.groupby(keys, sort=False)[column].mean().reset_index()
    means = []
    for values, of_layer in rows.groupby(keys, sort=False):
        runs = [run for _, run in of_layer.groupby("seed")] if "seed" in rows else [of_layer]
        estimates = [
            Estimate.of_drawn(
                run[column].mean(), np.stack(list(run[drawn_of(column)])).mean(0, dtype=float), 0
            )
            for run in runs
        ]
        mean = over_seeds(estimates)
        ends = estimate_columns(column, mean.value, mean.low, mean.high)
        means.append(dict(zip(keys, values, strict=True)) | ends)
    return pd.DataFrame(means)


def with_rival(
    rows: pd.DataFrame, rivals: pd.DataFrame, column: str, keys: list[str]
) -> pd.DataFrame:
    """The rows with a second value of the same unit, and the paired difference to it.

    Args:
        rows: rows of a declared table with their resamples.
        rivals: as `rows`; the rival of a row has the same `keys`.

    Returns:
        The rows without resamples; `rival` and `gain` with intervals, if any row has a rival.
    """
    others = rivals.set_index(keys).to_dict("index")
    joint = []
    for row in rows.to_dict("records"):
        if other := others.get(tuple(row[key] for key in keys)):
            value, rival = (Estimate.of_value(each, column, n=0) for each in (row, other))
            gain = difference_of(value, rival)
            row |= estimate_columns("rival", rival.value, rival.low, rival.high)
            row |= estimate_columns("gain", gain.value, gain.low, gain.high)
        joint.append(row)
    return pd.DataFrame(joint).drop(columns=drawn_of(column))


def _over_seeds(rows: pd.DataFrame, keys: list[str], columns: list[str]) -> pd.DataFrame:
    """One row for each value of the keys, in their first order."""
    of_keys = []
    for _, runs in rows.groupby(keys, sort=False, dropna=False):
        records = runs.to_dict("records")
        row = dict(records[0])
        for column in columns:
            if interval_of(column)[0] not in row:
                row[column] = runs[column].mean()
                continue
            measured = [record for record in records if pd.notna(record[column])] or records
            mean = over_seeds([Estimate.of_value(record, column, n=0) for record in measured])
            ends = (mean.value, mean.low, mean.high)
            row |= dict(zip((column, *interval_of(column)), ends, strict=True))
        of_keys.append(row)
    return pd.DataFrame(of_keys)[list(rows)]


def panels(rows: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """The rows with a column `panel`: the data, the arm if there are several, further columns.

    Random weights stand last of each.
    """
    several = "arm" in rows and ("data" not in rows or rows["arm"].nunique() > 1)
    names = [*(["data"] if "data" in rows else []), *(["arm"] if several else []), *columns]
    panel = rows[names[0]].astype(str)
    for name in names[1:]:
        panel = panel + ", " + rows[name].astype(str)
    return rows.assign(panel=panel)


def control_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of random weights, before or after tuning, that stand beside others."""
    return rows.drop(index=list(studied_rows(rows).index))
