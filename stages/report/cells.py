"""Cells of tables as text."""

import pandas as pd

from stages.core.pages.charts import PLACES


def cell(value: object) -> str:
    """A table's cell as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "" if pd.isna(value) else f"{round(value, PLACES) + 0.0:.4g}"
    return str(value)
