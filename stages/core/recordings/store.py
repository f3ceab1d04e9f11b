"""Attention maps on disk: a folder that any number of processes map into memory.

The folder holds the maps of one model on one set of examples. It is also the form in which
attention recorded elsewhere is read, so it is written down here in full:

* `store.json`: `format` ("attention-maps"), `version`, `layers`, `heads`, and `files`: name, size
  in bytes and SHA-256 of every other file of the folder; nothing else in it is read or copied.
* `index.parquet`: one row an example: `id`, `length` (its number of tokens T, [CLS] and [SEP]
  counted, padding not), `shard` (a number), `offset` (bytes from the start of the shard).
* `maps-00000.f16`, `maps-00001.f16`, ...: the shards, little-endian float16 without a header. At
  its offset an example has the array [layer, head, query, key] of shape [layers, heads, T, T],
  rows contiguous. Within and across the shards the longest examples come first, and examples of
  equal length keep the order of the index: a run of equal lengths is one array.
* `tokens.parquet`: one row an example, in the order of the index: `id`, `tokens` (T word pieces)
  and `segments` (T numbers, 0 for the first text and 1 for the second). Further columns are kept.

Rounding: a weight has a relative error of at most 2^-11, so a row of float16 weights sums to 1
within 5e-4, and within 2e-3 when the rows were not exact to begin with. Statistics that need better
are computed from the model's own float32 probabilities.
"""

import json
import math
import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from jaxtyping import Float16
from pydantic import BaseModel, NonNegativeInt, PositiveInt

from stages.core.recordings.layout import ELEMENT, FORMAT, bytes_of, sha256_of, shard_name
from stages.core.stage.files import InputError
from stages.core.stage.places import WORK
from stages.core.stage.plain_files import copy_plain
from stages.core.stage.settings import checked

HEADER, INDEX, TOKENS = "store.json", "index.parquet", "tokens.parquet"
# More than annotation has: a token is one of a few words, mentions and frames.
VALUES_A_TOKEN = 100


class File(BaseModel, extra="forbid"):
    """What store.json says of another file."""

    name: str
    bytes: NonNegativeInt
    sha256: str


class Header(BaseModel):
    """What store.json says beside its format."""

    layers: PositiveInt
    heads: PositiveInt
    files: list[File]


class MapStore:
    """Reads a folder of maps through memory mapping; opening it reads the index alone.

    `store[id]` is the read-only array [layer, head, query, key] of one example and
    `store[id][layer, head]` one map: views of the file, nothing is copied before it is used.

    Raises:
        InputError: a file is missing, has not the size that was written, or is not listed.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._files = self._read_header()
        for name, facts in self._files.items():
            self._check_size(name, facts.bytes)
        self.index = self._read_index()
        self.ids: list[str] = self.index["id"].tolist()
        self._rows = {identity: row for row, identity in enumerate(self.ids)}
        self._lengths = self.index["length"].tolist()
        self._shards = self.index["shard"].tolist()
        self._offsets = self.index["offset"].tolist()
        self._mapped: dict[int, Float16[np.ndarray, " weight"]] = {}
        self._check_index()

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, identity: str) -> Float16[np.ndarray, "layer head query key"]:
        return self._array(self._rows[identity], 1)[0]

    @cached_property
    def tokens(self) -> pd.DataFrame:
        """`id`, `tokens`, `segments` and further columns, in the order of the index."""
        values = VALUES_A_TOKEN * int(self.index["length"].sum())
        return self._table(TOKENS, ("id",), len(self), values)

    def groups(
        self,
    ) -> Iterator[tuple[list[str], Float16[np.ndarray, "example layer head query key"]]]:
        """Yield all maps, longest first, as arrays of examples of one length, with their ids."""
        order = np.lexsort((self._offsets, self._shards))
        places = self.index[["shard", "length"]].to_numpy()[order]
        starts = np.flatnonzero(np.any(np.diff(places, axis=0, prepend=-1) != 0, axis=1))
        for rows in np.split(order, starts[1:]):
            yield [self.ids[row] for row in rows], self._array(rows[0], len(rows))

    def verify(self) -> None:
        """Compare the checksum of every file with the one written.

        Raises:
            InputError: names the first file that was altered.
        """
        for name, facts in self._files.items():
            if sha256_of(self.folder / name) != facts.sha256:
                raise self._damaged(name, "its content is not what was written (SHA-256 differs)")

    @property
    def files(self) -> list[str]:
        """Names of the header and of every file that it lists: nothing else is the store's."""
        return [HEADER, *self._files]

    def copy(self, target: Path) -> None:
        """Copy `files` to the new folder `target`.

        Raises:
            InputError: one of them is a link or no regular file.
        """
        copy_plain(self.folder, self.files, target)

    def _array(self, row: int, count: int) -> Float16[np.ndarray, "example layer head query key"]:
        length = self._lengths[row]
        shape = (count, self.layers, self.heads, length, length)
        start = self._offsets[row] // ELEMENT.itemsize
        weights = self._shard(self._shards[row])
        return weights[start : start + math.prod(shape)].reshape(shape)

    def _shard(self, number: int) -> Float16[np.ndarray, " weight"]:
        if number not in self._mapped:
            file = self.folder / shard_name(number)
            # A plain array: every slice of a memmap object costs several times as much.
            self._mapped[number] = np.memmap(file, ELEMENT, mode="r").view(np.ndarray)
        return self._mapped[number]

    def _read_header(self) -> dict[str, File]:
        file = self.folder / HEADER
        if file.exists() and not file.is_file():
            raise self._damaged(HEADER, "it is no regular file")
        try:
            header = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise InputError(
                f"{file}: no such file: {self.folder} is not a folder of attention maps, or its "
                f"writing was cut short; {self._mend}"
            ) from None
        except (ValueError, RecursionError, OSError) as error:
            raise self._damaged(HEADER, f"it cannot be read as JSON ({error})") from None
        if not isinstance(header, dict) or {key: header.get(key) for key in FORMAT} != FORMAT:
            raise self._damaged(HEADER, f"it does not say {FORMAT}")
        facts = checked(Header, {key: header.get(key) for key in Header.model_fields}, str(file))
        self.layers, self.heads = facts.layers, facts.heads
        files = {entry.name: entry for entry in facts.files}
        for name in files:
            if name in ("", ".", "..", HEADER) or set("/\\\0") & set(name):
                raise self._damaged(HEADER, f"it lists {name!r}, which is no file of the folder")
        if len(files) < len(facts.files):
            raise self._damaged(HEADER, "it lists a file twice")
        for name in (INDEX, TOKENS):
            if name not in files:
                raise self._damaged(HEADER, f"it does not list {name}")
        return files

    def _read_index(self) -> pd.DataFrame:
        """The index: every example has a weight at least, and no more than the shards hold."""
        tables = (INDEX, TOKENS)
        shards = (facts.bytes for name, facts in self._files.items() if name not in tables)
        most = sum(shards) // (self.layers * self.heads * ELEMENT.itemsize)
        index = self._table(INDEX, ("id", "length", "shard", "offset"), most, most)
        for column in ("length", "shard", "offset"):
            if not pd.api.types.is_integer_dtype(index[column]) or (index[column] < 0).any():
                raise self._damaged(INDEX, f"its `{column}` are no whole numbers from 0 on")
        if len(index) and int(index["length"].max()) ** 2 > most:  # int64 would overflow below
            longest = index.loc[index["length"].idxmax()]
            raise self._damaged(INDEX, f"it does not fit {shard_name(longest['shard'])}")
        return index

    def _table(self, name: str, columns: tuple[str, ...], rows: int, values: int) -> pd.DataFrame:
        """Read a table of at most so many rows, and values in a column.

        Its header says how many: few bytes may stand for more than memory holds.
        """
        file = self.folder / name
        try:
            header = pq.read_metadata(file)
            groups = [header.row_group(number) for number in range(header.num_row_groups)]
            columns_of = range(header.num_columns)
            counts = [sum(group.column(n).num_values for group in groups) for n in columns_of]
            fits = header.num_rows <= rows and max(counts, default=0) <= max(values, rows)
            table = pd.read_parquet(file) if fits else pd.DataFrame()
        except (OSError, ValueError) as error:  # pyarrow's own errors are of the latter kind
            raise self._damaged(name, f"it is no table in Parquet ({error})") from None
        if not fits:
            raise self._damaged(
                name,
                f"it has {header.num_rows} rows, and up to {max(counts, default=0)} values in a "
                f"column; the maps have room for {rows} and {max(values, rows)}",
            )
        if lacking := [column for column in columns if column not in table]:
            raise self._damaged(name, f"it has no column `{lacking[0]}`")
        return table

    def _check_size(self, name: str, expected: int) -> None:
        file = self.folder / name
        if not os.path.isfile(file):  # a name that is too long is an error to Path.is_file
            raise self._damaged(name, "it is missing, or no regular file")
        size = file.stat().st_size
        if size != expected:
            raise self._damaged(name, f"it has {size} bytes, {expected} were written")

    def _check_index(self) -> None:
        """Examples follow each other in a shard without a gap, and fill it."""
        sizes = bytes_of(self.index["length"], self.layers * self.heads)
        for shard, rows in self.index.assign(size=sizes).groupby("shard"):
            rows, name = rows.sort_values("offset"), shard_name(shard)
            follow = np.concatenate([[0], rows["size"].cumsum()])
            fits = name in self._files and self._files[name].bytes == follow[-1]
            if not fits or (rows["offset"] != follow[:-1]).any() or (rows["length"] < 1).any():
                raise self._damaged("index.parquet", f"it does not fit {name}")

    def _damaged(self, name: str, reason: str) -> InputError:
        return InputError(f"{self.folder / name}: {reason}; {self._mend}")

    @property
    def _mend(self) -> str:
        if WORK.absolute() in Path(os.path.abspath(self.folder)).parents:
            return f"remove {self.folder} and run the stage that writes it again"
        return "record or convert it again"
