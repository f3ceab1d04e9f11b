"""Tables of measures: the room that writes a table declares it, once for all who read it.

A declaration says where the table lies and which columns it has; the claims and pages that read it
import the declaration, so that a column cannot be renamed on one side alone.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from stages.core.stage.files import atomic
from stages.core.stage.places import MEASURES


@dataclass(frozen=True)
class MeasuredTable:
    """A table below `work/measures`, one file for each value of its fields.

    Attributes:
        pattern: its place without the suffix, as `ablate/{task}-{seed}`.
        columns: their names in order.
        numbered: columns of which there are as many as a setting says: `share` for share_1,
            share_2, and so on.
        optional: columns that some encoders or corpora lack.
        resampled: columns whose values on bootstrap resamples stand in a file beside the table,
            so that claims can combine and compare rows by the same resamples.
    """

    pattern: str
    columns: tuple[str, ...]
    numbered: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    resampled: tuple[str, ...] = ()

    @property
    def path_pattern(self) -> Path:
        """The place of its files, with the names of its fields in it."""
        return MEASURES / f"{self.pattern}.parquet"

    def path(self, **fields: Any) -> Path:
        """The file of these fields."""
        return Path(str(self.path_pattern).format(**fields))

    def resampled_path(self, **fields: Any) -> Path:
        """The file of resamples beside the table of these fields."""
        path = self.path(**fields)
        return path.with_name(f"{path.stem}-resampled.npy")

    def write(
        self,
        parts: pd.DataFrame | Sequence[pd.DataFrame],
        drawn: Sequence[Float[np.ndarray, "column row resample"]] | None = None,
        compression: str = "snappy",
        **fields: Any,
    ) -> None:
        """Write a table, or several one below the other.

        Args:
            drawn: of each part the values of the columns `resampled` on its resamples.
            compression: of Parquet.

        Raises:
            ValueError: its columns are not those of the declaration, or its rows not those of the
                resamples.
        """
        table = parts if isinstance(parts, pd.DataFrame) else pd.concat(parts, ignore_index=True)
        if complaint := self.complaint(table):
            raise ValueError(f"{self.path(**fields)}: {complaint}")
        if self.resampled:
            self._write_drawn(np.concatenate(drawn or [np.empty((0, 0, 0))], axis=1), table, fields)
        with atomic(self.path(**fields)) as partial:
            table.to_parquet(partial, index=False, compression=compression)

    def _write_drawn(
        self,
        drawn: Float[np.ndarray, "column row resample"],
        table: pd.DataFrame,
        fields: dict[str, Any],
    ) -> None:
        if drawn.shape[:2] != (len(self.resampled), len(table)):
            raise ValueError(
                f"{self.resampled_path(**fields)}: resamples of {drawn.shape[0]} columns and "
                f"{drawn.shape[1]} rows for {len(self.resampled)} columns and {len(table)} rows"
            )
        with atomic(self.resampled_path(**fields)) as partial, partial.open("wb") as file:
            np.save(file, drawn.astype(np.float32))

    def complaint(self, table: pd.DataFrame) -> str:
        """Say in words what is wrong with the columns of a table; empty when nothing is.

        A table without rows may lack columns.
        """
        found = {name for name in table.columns if not self._is_numbered(name)}
        lacking = set(self.columns) - found - set(self.optional) if len(table) else set()
        unknown = found - set(self.columns) - set(self.optional)
        said = [
            f"{what} {', '.join(sorted(names))}"
            for what, names in (("lacks the columns", lacking), ("has undeclared columns", unknown))
            if names
        ]
        return "; ".join(said)

    def _is_numbered(self, name: str) -> bool:
        return any(re.fullmatch(rf"{stem}_\d+(_low|_high)?", name) for stem in self.numbered)


def interval_columns(name: str, mean: Any, low: Any, high: Any, value: str = "") -> dict[str, Any]:
    """The three columns of a value with its interval.

    They are called NAME, NAME_low and NAME_high. With a `value` the first is NAME_value; without a
    name they are `value`, low and high.
    """
    prefix = f"{name}_" if name else ""
    own = f"{prefix}{value}" if value else name
    return {own: mean, f"{prefix}low": low, f"{prefix}high": high}


def drawn_name(column: str) -> str:
    """The name under which the resamples of a column are read."""
    return f"{column}_drawn"


def interval_names(name: str = "", value: str = "") -> tuple[str, str, str]:
    """The names that `interval_columns` gives."""
    return tuple(interval_columns(name, None, None, None, value))
