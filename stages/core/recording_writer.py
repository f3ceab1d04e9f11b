"""Writing a folder of attention maps; `store.py` describes it and reads it."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import BinaryIO

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int
from torch import Tensor

from stages.core.recordings.layout import (
    ELEMENT,
    FORMAT,
    MEGABYTE,
    bytes_of,
    sha256_of,
    shard_name,
)
from stages.core.stage.files import InputError, atomic
from stages.core.stage.targets import require_disk, target_folder

STORE = "store.json"
MARK = '"format": ' + json.dumps(FORMAT["format"])
OTHERS = r"maps-\d{5}\.f16|(index|tokens)\.parquet"


def maps_target(path: str | Path, sources: Iterable[str | Path] = ()) -> Path:
    """The folder in which maps can be written; one of maps alone is replaced.

    Args:
        sources: folders that are read.

    Raises:
        InputError: there is something else, or a source.
    """
    return target_folder(path, "folder of maps", (STORE, MARK), OTHERS, sources)


@contextmanager
def write_maps(
    path: str | Path, tokens: pd.DataFrame, layers: int, heads: int, shard_megabytes: int
) -> Iterator["MapWriter"]:
    """Yield a writer of the folder `path`, which appears only when every map has been written.

    Args:
        tokens: one row an example with `id`, `tokens`, `segments` and any further columns.
        shard_megabytes: upper bound of the size of one file, in units of 1,000,000 bytes.

    Raises:
        InputError: an id stands twice, one example is larger than a shard may be, the disk has no
            room, or `path` has something else than maps.
        ValueError: at the end, when a map of some example and layer was not written.
    """
    with atomic(maps_target(path)) as partial:
        writer = MapWriter(partial, tokens, layers, heads, shard_megabytes * MEGABYTE)
        try:
            yield writer
        finally:
            writer.release()
        writer.finish()


class MapWriter:
    """Writes maps one layer at a time, so that memory holds no more than the layer at hand.

    The place of every example is settled beforehand by its length: batches may come in any order,
    and from several threads, and the layout does not depend on the batch size.
    """

    def __init__(
        self, folder: Path, tokens: pd.DataFrame, layers: int, heads: int, shard_bytes: int
    ) -> None:
        folder.mkdir(parents=True)
        self.folder, self.layers, self.heads = folder, layers, heads
        self.index = _placed(tokens, layers * heads, shard_bytes)
        size = int(bytes_of(self.index["length"], layers * heads).sum())
        require_disk(folder, size, "its maps")
        self._lengths = self.index["length"].to_numpy()
        self._shards = self.index["shard"].to_numpy()
        self._offsets = self.index["offset"].to_numpy()
        self._written = np.zeros((len(tokens), layers), dtype=bool)
        self._open: tuple[int, BinaryIO] | None = None
        self._lock = Lock()
        self.index.to_parquet(folder / "index.parquet", index=False)
        tokens.to_parquet(folder / "tokens.parquet", index=False)
        for shard in np.unique(self._shards):
            (folder / shard_name(shard)).touch()

    def write(
        self,
        layer: int,
        rows: Int[np.ndarray, " example"] | Sequence[int],
        probabilities: Float[Tensor, "example head query key"],
    ) -> None:
        """Write one layer's maps of the examples `rows` (positions in the index), padding cut."""
        halves = probabilities.to(torch.float16).cpu()
        for row, maps in zip(rows, halves, strict=True):
            length = self._lengths[row]
            block = maps[:, :length, :length].contiguous().numpy().astype(ELEMENT, copy=False)
            if block.shape != (self.heads, length, length):
                raise ValueError(
                    f"maps of shape {tuple(maps.shape)} for {length} tokens, {self.heads} heads"
                )
            with self._lock:
                shard = self._shard(self._shards[row])
                shard.seek(self._offsets[row] + layer * block.nbytes)
                shard.write(block)
                self._written[row, layer] = True

    def release(self) -> None:
        """Close the shard that is open."""
        if self._open:
            self._open[1].close()
            self._open = None

    def finish(self) -> None:
        """Check that every map is there and write the sizes and checksums."""
        if not self._written.all():
            row, layer = np.argwhere(~self._written)[0]
            raise ValueError(
                f"the maps of example {self.index['id'][row]!r}, layer {layer}, were not written"
            )
        names = sorted(file.name for file in self.folder.iterdir())
        files = [
            {
                "name": name,
                "bytes": (self.folder / name).stat().st_size,
                "sha256": sha256_of(self.folder / name),
            }
            for name in names
        ]
        store = {**FORMAT, "layers": self.layers, "heads": self.heads, "files": files}
        (self.folder / STORE).write_text(json.dumps(store, indent=1) + "\n")

    def _shard(self, number: int) -> BinaryIO:
        # Batches sorted by length go through the shards in order: one open file is enough.
        if self._open is None or self._open[0] != number:
            self.release()
            self._open = number, (self.folder / shard_name(number)).open("r+b")
        return self._open[1]


def _placed(tokens: pd.DataFrame, maps: int, shard_bytes: int) -> pd.DataFrame:
    """The index: where each example goes, longest first, no shard larger than `shard_bytes`."""
    if tokens["id"].duplicated().any():
        repeated = tokens["id"][tokens["id"].duplicated()].iloc[0]
        raise InputError(f"two examples have the id {repeated!r}; ids must differ")
    lengths = tokens["tokens"].map(len).to_numpy(dtype=np.int64)
    if (tokens["segments"].map(len).to_numpy() != lengths).any():
        raise ValueError("every token has one segment")
    sizes = bytes_of(lengths, maps)
    if sizes.max() > shard_bytes:
        raise InputError(
            f"one example of {lengths.max()} tokens takes {sizes.max() / MEGABYTE:.0f} MB of maps, "
            f"a shard may have {shard_bytes / MEGABYTE:.0f}; raise `shard_megabytes` or lower the "
            "task's `max_length` in params.yaml"
        )
    shards, offsets = np.zeros(len(tokens), np.int32), np.zeros(len(tokens), np.int64)
    shard, end = 0, 0
    for row in np.argsort(-lengths, kind="stable"):
        if end + sizes[row] > shard_bytes:
            shard, end = shard + 1, 0
        shards[row], offsets[row] = shard, end
        end += sizes[row]
    return pd.DataFrame(
        {
            "id": tokens["id"].to_numpy(),
            "length": lengths.astype(np.int32),
            "shard": shards,
            "offset": offsets,
        }
    )
