"""Tables of measures: the room that writes a table declares it, once for all who read it.

A declaration says where the table lies and which columns it has; the claims and pages that read it
import the declaration, so that a column cannot be renamed on one side alone.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from stages.core.stage.files import atomic
from stages.core.stage.places import MEASURES

# Columns that hold no numbers with a fraction, by the type that they have where a table is empty.
TYPES = {
    "str": (
        *("aggregate", "arm", "attack", "auxiliary", "band", "best", "condition", "deep_path"),
        *("direction", "drawn_by", "encoder", "exact", "example", "family", "figure", "first"),
        *("gate", "group", "id", "kind", "map_alone", "measure", "metric", "mode", "model"),
        *("modifier", "name", "network", "norm", "off", "outcome", "pairing", "part", "pattern"),
        *("pattern_special", "phenomenon", "picked", "place", "precision", "probe", "quantity"),
        *("reader", "relation", "removed", "rival", "rule", "sample", "second", "split", "state"),
        *("statistic", "text_a", "text_b", "unit", "variant", "what", "which", "within"),
    ),
    "bool": ("chosen", "converged", "drawn", "found", "punctuation", "same", "shared", "written"),
    "int64": ("count", "draw", "draws", "examples", "head", "layer", "position", "seed", "step"),
    "object": ("pieces", "segments"),
}
_TYPE = {name: kind for kind, names in TYPES.items() for name in names}


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
        drawn: Sequence[Float[np.ndarray, "column _row _resample"]] | None = None,
        compression: str = "snappy",
        **fields: Any,
    ) -> None:
        """Write a table, or several one below the other.

        A table without rows gets the declared columns that it lacks, but for optional ones.

        Args:
            drawn: of each part the values of the columns `resampled` on its resamples; a table
                without rows needs none.
            compression: of Parquet.

        Raises:
            ValueError: its columns are not those of the declaration, or its rows not those of the
                resamples.
        """
        parts = [parts] if isinstance(parts, pd.DataFrame) else list(parts)
        filled = [part for part in parts if len(part)] or parts  # empty ones have no types
        table = pd.concat(filled, ignore_index=True) if filled else pd.DataFrame()
        table = table if len(table) else self.with_columns(table)
        if complaint := self.complaint(table):
            raise ValueError(f"{self.path(**fields)}: {complaint}")
        if self.resampled:
            none = np.empty((len(self.resampled), 0, 0))
            self._write_drawn(np.concatenate(drawn or [none], axis=1), table, fields)
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

    def with_columns(self, empty: pd.DataFrame) -> pd.DataFrame:
        """A table without rows, with every column that is neither optional nor numbered."""
        required = [name for name in self.columns if name not in self.optional]
        others = [name for name in empty.columns if name not in required]
        types = {name: _TYPE.get(name, "float64") for name in required}
        return empty.reindex(columns=[*required, *others]).astype(types)

    def lacks(self, names: Iterable[str]) -> list[str]:
        """The declared columns that are not among these names, but for optional ones."""
        return sorted(set(self.columns) - set(names) - set(self.optional))

    def complaint(self, table: pd.DataFrame) -> str:
        """Say in words what is wrong with the columns of a table; empty when nothing is."""
        found = {name for name in table.columns if not self._is_numbered(name)}
        lacking = self.lacks(found)
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
