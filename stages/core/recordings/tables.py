"""Writing what a stage measured."""

from collections.abc import Mapping, Sequence

import pandas as pd

from stages.core.project.files import atomic


def write_tables(name: str, tables: Mapping[str, pd.DataFrame | Sequence[pd.DataFrame]]) -> None:
    """Write `work/measures/NAME` with each suffix; several tables of one suffix as one.

    Args:
        name: as `syntax/treebank`.
    """
    for suffix, parts in tables.items():
        table = parts if isinstance(parts, pd.DataFrame) else pd.concat(parts, ignore_index=True)
        with atomic(f"work/measures/{name}{suffix}.parquet") as partial:
            table.to_parquet(partial, index=False)
