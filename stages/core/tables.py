"""Measured tables: each is declared once, for the stage that writes it and for all who read it.

Every table has the key columns `data, seed, arm, layer, head`, in this order, as far as they apply:
`data` is the task, corpus, question set or stimulus set; `arm` is whose attention or prediction a
row is of (`stages.core.stage.arms`). A stage writes one folder, `work/measures/STAGE/DATA`.
"""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from jaxtyping import Float

from stages.core.stage.files import atomic
from stages.core.stage.places import MEASURES

WHOLE_KEYS = (
    "seed",
    "layer",
    "head",
    "text",
)  # keys that hold whole numbers; all others hold names
Type = Literal["float64", "int64", "bool", "str", "object"]


@dataclass(frozen=True)
class Value:
    """A column of values, or three with an interval.

    Attributes:
        title: its heading, in words.
        unit: as `points`, `share` or `nats`; empty where there is none.
        format: of the numbers that readers see.
        bounds: the smallest and the largest value that are possible; None where there is none.
        type: of the column.
        interval: whether columns NAME_low and NAME_high stand beside it.
        resampled: whether a column NAME_drawn holds the value on each resample: [resample].
        optional: whether some encoders or data lack it.
        numbered: whether there are several, NAME_1, NAME_2 and so on; settings say how many.
    """

    title: str
    unit: str = ""
    format: str = ".2f"
    bounds: tuple[float | None, float | None] = (None, None)
    type: Type = "float64"
    interval: bool = False
    resampled: bool = False
    optional: bool = False
    numbered: bool = False

    @property
    def heading(self) -> str:
        """The title with the unit; a share is none."""
        return f"{self.title}, {self.unit}" if self.unit not in ("", "share") else self.title


def count(title: str, **attributes: Any) -> Value:
    """A value that counts."""
    return Value(title, format=",d", bounds=(0, None), type="int64", **attributes)


def name(title: str, **attributes: Any) -> Value:
    """A value in letters."""
    return Value(title, format="", type="str", **attributes)


def flag(title: str, **attributes: Any) -> Value:
    """A value that is true or false."""
    return Value(title, format="", type="bool", **attributes)


@dataclass(frozen=True)
class Table:
    """A measured table.

    Attributes:
        file: its place, as `drift/cosines` for `work/measures/drift/DATA/cosines.parquet`; without
            the key `data` it stands in the folder of the stage.
        keys: names of the key columns, in order, separated by spaces.
        values: the other columns by name.
    """

    file: str
    keys: str
    values: Mapping[str, Value]

    def __hash__(self) -> int:
        return hash(self.file)

    @property
    def key_columns(self) -> list[str]:
        """Names of the key columns."""
        return self.keys.split()

    @property
    def stage(self) -> str:
        """The stage that writes it."""
        return self.file.split("/", maxsplit=1)[0]

    @property
    def columns(self) -> list[str]:
        """All columns but numbered ones, in order; resamples last."""
        columns, drawn = self.key_columns, []
        for column, value in self.values.items():
            if value.numbered:
                continue
            columns += [column, *(interval_of(column) if value.interval else ())]
            drawn += [drawn_of(column)] if value.resampled else []
        return [*columns, *drawn]

    @property
    def resampled(self) -> list[str]:
        """Columns of values on resamples."""
        return [drawn_of(column) for column, value in self.values.items() if value.resampled]

    def path(self, data: str = "") -> Path:
        """The file of one data set, or of a table that is about none."""
        stage, _, table = self.file.partition("/")
        return MEASURES / stage / data / f"{table}.parquet"

    def where(self, **conditions: Any) -> "Selection":
        """The rows that have these values in these columns; a list stands for any of its values."""
        return Selection(self, tuple(conditions.items()))

    def without(self, **exclusions: Sequence[Any]) -> "Selection":
        """The rows that have none of these values in these columns."""
        return Selection(self, exclusions=tuple(exclusions.items()))

    def write(
        self, tables: pd.DataFrame | Sequence[pd.DataFrame], data: str = "", **keys: Hashable
    ) -> None:
        """Write the rows of one data set, one table below the other.

        A table without rows gets all declared columns.

        Args:
            data: empty for a table that is about no data set.
            keys: key columns with one value for all rows.

        Raises:
            ValueError: columns are missing or not declared.
        """
        tables = [tables] if isinstance(tables, pd.DataFrame) else list(tables)
        # A table without rows would change the types of the others' columns.
        tables = [table for table in tables if len(table)] or tables[:1]
        rows = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()
        keys |= {"data": data} if data else {}
        rows = rows.assign(**keys) if len(rows) else self._empty()
        if complaint := self.complaint(rows.columns):
            raise ValueError(f"{self.path(data)}: {complaint}")
        for column in self.resampled:
            if column in rows:
                rows[column] = [np.asarray(line, dtype=np.float32) for line in rows[column]]
        declared = [column for column in self.columns if column in rows]
        numbered = [column for column in rows if column not in declared]
        drawn = [column for column in declared if column in self.resampled]
        plain = [column for column in declared if column not in drawn]
        with atomic(self.path(data)) as partial:
            rows[[*plain, *numbered, *drawn]].to_parquet(partial, index=False, compression="zstd")

    def lacks(self, columns: Iterable[str]) -> list[str]:
        """Declared columns that are not among these; optional ones may be missing."""
        optional = {
            part
            for column, value in self.values.items()
            if value.optional
            for part in (column, *interval_of(column), drawn_of(column))
        }
        return sorted(set(self.columns) - set(columns) - optional)

    def complaint(self, columns: Iterable[str]) -> str:
        """The fault of these columns in words; empty if they are right."""
        unknown = {column for column in columns if not self._is_numbered(column)}
        faults = [
            f"{fault} {', '.join(sorted(names))}"
            for fault, names in (
                ("lacks the columns", self.lacks(unknown)),
                ("has undeclared columns", unknown - set(self.columns)),
            )
            if names
        ]
        return "; ".join(faults)

    def _is_numbered(self, column: str) -> bool:
        return any(
            re.fullmatch(rf"{stem}_\d+(_low|_high)?", column)
            for stem, value in self.values.items()
            if value.numbered
        )

    def _empty(self) -> pd.DataFrame:
        """The table without rows."""
        types: dict[str, Type] = {
            key: "int64" if key in WHOLE_KEYS else "str" for key in self.key_columns
        }
        types |= {column: value.type for column, value in self.values.items()}
        types |= dict.fromkeys(self.resampled, "object")
        columns = {column: pd.Series(dtype=types.get(column, "float64")) for column in self.columns}
        return pd.DataFrame(columns)


@dataclass(frozen=True)
class Selection:
    """Some rows of a declared table.

    Attributes:
        conditions: columns, each with the value that its rows have, or a list of such values.
        exclusions: columns, each with a list of values that its rows do not have.
    """

    table: Table
    conditions: tuple[tuple[str, Any], ...] = ()
    exclusions: tuple[tuple[str, Any], ...] = ()

    def where(self, **conditions: Any) -> "Selection":
        """Those of these rows that have these values in these columns as well."""
        return replace(self, conditions=(*self.conditions, *conditions.items()))

    def without(self, **exclusions: Sequence[Any]) -> "Selection":
        """Those of these rows that have none of these values in these columns."""
        return replace(self, exclusions=(*self.exclusions, *exclusions.items()))

    def of(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Select from the whole table."""
        for column, wanted in self.conditions:
            rows = rows[_has(rows[column], wanted)]
        for column, unwanted in self.exclusions:
            rows = rows[~rows[column].isin(list(unwanted))]
        return rows

    def __str__(self) -> str:
        return ", ".join(f"{column} {wanted}" for column, wanted in self.conditions)


def _has(column: pd.Series, wanted: Any) -> pd.Series:
    if isinstance(wanted, list | tuple | set):
        return column.isin(list(wanted))
    if isinstance(wanted, float):
        return pd.Series(np.isclose(column, wanted), index=column.index)
    return column == wanted


def drawn_of(column: str) -> str:
    """The column with the resamples of a value."""
    return f"{column}_drawn"


def interval_of(column: str) -> tuple[str, str]:
    """The columns with the ends of a value's interval."""
    return f"{column}_low", f"{column}_high"


def estimate_columns(
    column: str,
    value: Any,
    low: Any,
    high: Any,
    drawn: Float[np.ndarray, "row resample"] | None = None,
) -> dict[str, Any]:
    """The columns of a value with its interval and, if there are any, its resamples."""
    columns = dict(zip((column, *interval_of(column)), (value, low, high), strict=True))
    if drawn is not None:
        columns[drawn_of(column)] = list(drawn)
    return columns
