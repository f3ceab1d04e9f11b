"""The file of labelled maps: 8 bits a weight, so that a clone carries few MB.

`maps.npz` has `lengths`, the tokens of each map, and `levels`: one byte a weight, maps one after
the other and columns within a map, compressed as one xz stream. A level is the weight's share of
the map's largest, to the power of `POWER`, in steps of 1/255: finer for small weights, which a sink
leaves to all other tokens, than for large ones. Rows are brought to a sum of 1 on reading, so
the largest weight itself is not needed.
"""

import lzma
import zipfile
import zlib
from pathlib import Path

import numpy as np
from jaxtyping import Float

from stages.core.stage.files import InputError, atomic

# The underscores: maps beside each other need not be of one size.
Map = Float[np.ndarray, "_query _key"]

POWER, LEVELS = 0.7, 255
# float16 weights of some 60 tokens add up to 1 within this.
ROW_SUM_TOLERANCE = 5e-3
# Levels of the rows of one map have the same scale, so their sums differ by rounding only.
SCALE_TOLERANCE = 0.05


def write_maps(path: Path, maps: list[Map]) -> None:
    """Write maps of any sizes as one compressed file.

    Raises:
        ValueError: a row of a map does not add up to 1.
    """
    for number, weights in enumerate(maps):
        if np.abs(weights.sum(1, dtype=np.float64) - 1).max() > ROW_SUM_TOLERANCE:
            raise ValueError(f"a row of map {number} does not add up to 1")
    lengths = np.array([len(weights) for weights in maps], dtype=np.int16)
    # Columns one after the other: a sink is then one run of bright levels, which packs better.
    levels = np.concatenate([_levels(weights).T.ravel() for weights in maps])
    packed = np.frombuffer(lzma.compress(levels.tobytes()), dtype=np.uint8)
    with atomic(path) as partial, open(partial, "wb") as stream:
        np.savez(stream, lengths=lengths, levels=packed)


def read_maps(path: Path) -> list[Map]:
    """Read what `write_maps` wrote, as float32; rows add up to 1.

    Raises:
        InputError: the file is missing, cut short or altered.
    """
    try:
        with np.load(path) as archive:
            lengths, packed = archive["lengths"].astype(int), archive["levels"].tobytes()
        levels = np.frombuffer(lzma.decompress(packed), dtype=np.uint8)
    except FileNotFoundError:
        message = f"{path}: no such file; draw maps with `python -m tools.labelling draw`"
        raise InputError(message) from None
    except (
        OSError,
        ValueError,
        KeyError,
        EOFError,
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
    ) as error:
        raise InputError(f"{path}: not a file of maps ({error}); draw the maps anew") from None
    if (lengths**2).sum() != len(levels):
        raise InputError(f"{path}: {len(levels)} weights for {(lengths**2).sum()} cells; draw anew")
    pieces = np.split(levels, np.cumsum(lengths**2)[:-1])
    return [
        _weights(piece.reshape(length, length).T, f"{path}: map {number}")
        for number, (piece, length) in enumerate(zip(pieces, lengths, strict=True))
    ]


def kept(weights: Map) -> Map:
    """The map as it comes back from the file."""
    return _weights(_levels(weights), "map")


def _levels(weights: Map) -> np.ndarray:
    return np.rint((weights / weights.max()) ** POWER * LEVELS).astype(np.uint8)


def _weights(levels: np.ndarray, where: str) -> Map:
    shares = (levels / LEVELS) ** (1 / POWER)
    sums = shares.sum(1, keepdims=True)
    if sums.min() < (1 - SCALE_TOLERANCE) * sums.max():
        raise InputError(f"{where}: its rows do not add up to the same; draw the maps anew")
    return np.ascontiguousarray(shares / sums, dtype=np.float32)
