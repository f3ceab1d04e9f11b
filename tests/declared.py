"""Declared tables of random numbers."""

import contextlib
from pathlib import Path

import numpy as np
import pandas as pd

from stages.core.tables import Table, estimate_columns


def write_declared(
    folder: Path, table: Table, rows: pd.DataFrame, data: str, width: float = 0.01
) -> None:
    """Write rows of a declared table; intervals and resamples that they lack are random."""
    generator = np.random.default_rng(len(rows))
    for column, value in table.values.items():
        if column in rows and value.interval and f"{column}_low" not in rows:
            mean = rows[column].to_numpy()
            drawn = mean[:, None] + width / 2 * generator.normal(size=(len(rows), 50))
            made = estimate_columns(
                column, mean, mean - width, mean + width, drawn if value.resampled else None
            )
            rows = rows.assign(**made)
    with contextlib.chdir(folder):
        table.write(rows, data=data)
