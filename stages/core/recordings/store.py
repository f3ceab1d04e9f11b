"""Attention maps on disk: a folder that any number of processes map into memory.

The folder holds the maps of one model on one set of examples. It is also the form in which
attention recorded elsewhere is read, so it is written down here in full:

* `store.json`: `format` ("attention-maps"), `version`, `layers`, `heads`, and `files`: name, size
  in bytes and SHA-256 of every other file.
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
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Float16
from pydantic import BaseModel, NonNegativeInt, PositiveInt

from stages.core.recordings.layout import ELEMENT, FORMAT, bytes_of, sha256_of, shard_name
from stages.core.stage.files import InputError
from stages.core.stage.settings import checked


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
        InputError: a file is missing or has not the size that was written.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._files = self._read_header()
        for name, facts in self._files.items():
            self._check_size(name, facts.bytes)
        self.index = self._table("index.parquet", ("id", "length", "shard", "offset"))
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
        return self._table("tokens.parquet", ("id",))

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

    def _read_header(self) -> dict[str, dict]:
        file = self.folder / "store.json"
        try:
            header = json.loads(file.read_text())
        except FileNotFoundError:
            raise InputError(
                f"{file}: no such file: {self.folder} is not a folder of attention maps, or its "
                "writing was cut short; run the stage that writes it again"
            ) from None
        except (ValueError, RecursionError) as error:
            raise self._damaged("store.json", f"it is not valid JSON ({error})") from None
        if not isinstance(header, dict) or {key: header.get(key) for key in FORMAT} != FORMAT:
            raise self._damaged("store.json", f"it does not say {FORMAT}")
        facts = checked(Header, {key: header.get(key) for key in Header.model_fields}, str(file))
        self.layers, self.heads = facts.layers, facts.heads
        return {entry.name: entry for entry in facts.files}

    def _table(self, name: str, columns: tuple[str, ...]) -> pd.DataFrame:
        try:
            table = pd.read_parquet(self.folder / name)
        except (OSError, ValueError) as error:  # pyarrow's own errors are of the latter kind
            raise self._damaged(name, f"it is no table in Parquet ({error})") from None
        if lacking := [column for column in columns if column not in table]:
            raise self._damaged(name, f"it has no column `{lacking[0]}`")
        return table

    def _check_size(self, name: str, expected: int) -> None:
        file = self.folder / name
        if not file.is_file():
            raise self._damaged(name, "it is missing")
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
        return InputError(
            f"{self.folder / name}: {reason}; remove {self.folder} and run the stage that writes "
            "it again"
        )
