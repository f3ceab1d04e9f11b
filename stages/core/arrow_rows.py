"""Rows of tables in Arrow, of Parquet files and of the Hub, as Python has them."""

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

Row = tuple[dict[str, Any] | None, str]  # its values, or why there are none


def arrow_rows(batches: Iterable[pa.RecordBatch | pa.Table]) -> Iterator[Row]:
    """The rows of batches, in order; a row whose texts are not UTF-8 has no values but a fault."""
    for batch in batches:
        try:
            rows: list[Row] = [(values, "") for values in batch.to_pylist()]
        except UnicodeDecodeError:
            rows = [_alone(batch.slice(row, 1)) for row in range(batch.num_rows)]
        yield from rows


def _alone(batch: pa.RecordBatch | pa.Table) -> Row:
    try:
        return batch.to_pylist()[0], ""
    except UnicodeDecodeError as error:
        return None, f"a text that is not UTF-8 ({error}), as where an emoji was cut"
