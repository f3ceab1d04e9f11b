"""What writing and reading a folder of attention maps share; `store.py` describes the folder."""

import hashlib
from pathlib import Path

import numpy as np
import pandas as pd

FORMAT = {"format": "attention-maps", "version": 1}
ELEMENT = np.dtype("<f2")
MEGABYTE = 1_000_000


def bytes_of(lengths: pd.Series | np.ndarray, maps: int) -> pd.Series | np.ndarray:
    """What so many maps take of examples of these lengths."""
    return lengths.astype(np.int64) ** 2 * maps * ELEMENT.itemsize


def shard_name(number: int) -> str:
    """The file of a shard."""
    return f"maps-{number:05d}.f16"


def sha256_of(file: Path) -> str:
    """The checksum of a file."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
