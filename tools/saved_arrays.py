"""Arrays that others saved, read one example at a time: a header says how much there is.

A few bytes of a packed file may stand for more than memory holds.
"""

import math
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from safetensors import safe_open

from stages.core.stage.files import InputError

# Of the types of safetensors that NumPy has, those of weights.
FLOATS = {"F64": 8, "F32": 4, "F16": 2}
NUMBERS = "fiub"  # kinds of NumPy's types: floats, whole numbers, truth values
# Arrays in Fortran's order mix all examples, so these are read whole.
LARGEST_WHOLE = 2**30
# Of one example's maps as they were saved, padded: those of bert-large of 512 tokens take 0.8 GB.
LARGEST_EXAMPLE = 2**31
NPY = ".npy"
ALL = re.compile(".*", re.DOTALL)


@dataclass(frozen=True)
class SavedArray:
    """An array of a file of which the header was read.

    Attributes:
        shape: of which the first axis counts the examples.
        bytes: of all of it; 0 where the type has no weights.
        rows: yields each example's array. It raises InputError where the file is damaged.
    """

    shape: tuple[int, ...]
    bytes: int
    rows: Callable[[], Iterator[np.ndarray]]


def saved_arrays(file: Path, read: re.Pattern[str] = ALL) -> dict[str, SavedArray]:
    """The arrays of an `.npz` or `.safetensors` file by their names.

    Args:
        read: the names of arrays that will be read; others may be of any type.

    Raises:
        InputError: the file is damaged, or an array that will be read has no numbers.
    """
    reader = {".npz": _of_archive, ".safetensors": _of_safetensors}[file.suffix]
    if not file.is_file():  # a pipe would be waited for
        raise _damaged(file, "it is no regular file")
    try:
        return reader(file, read)
    except InputError:
        raise
    except Exception as error:  # zip, pickle and safetensors have errors of their own
        raise _damaged(file, error) from None


def require_memory(file: Path, shape: tuple[int, ...], size: int) -> None:
    """Refuse maps of which one example, with `size` bytes, is larger than any encoder's.

    Raises:
        InputError: names the file and the shape of its arrays.
    """
    if size > LARGEST_EXAMPLE:
        raise InputError(
            f"{file}: maps of shape {list(shape)} take {size / 1e9:.0f} GB an example; cut the "
            "padding, and save float16"
        )


def _damaged(file: Path, error: object) -> InputError:
    return InputError(f"{file}: it cannot be read ({error}); save it again")


def _of_archive(file: Path, read: re.Pattern[str]) -> dict[str, SavedArray]:
    arrays = {}
    with zipfile.ZipFile(file) as archive:
        for member in archive.namelist():
            if not member.endswith(NPY):
                continue
            with archive.open(member) as stream:
                shape, by_columns, dtype = _header(stream)
            name = member.removesuffix(NPY)
            unfit = dtype.kind not in NUMBERS or min(shape, default=0) < 0
            if unfit and read.fullmatch(name):
                raise _damaged(file, f"`{name}` has {dtype} of shape {shape}")
            size = math.prod(shape) * dtype.itemsize
            if by_columns and size > LARGEST_WHOLE and read.fullmatch(name):
                raise InputError(
                    f"{file}: `{name}` is in Fortran's order, and has {size} bytes; save "
                    "np.ascontiguousarray of it"
                )
            arrays[name] = SavedArray(shape, size, partial(_rows_of_archive, file, member))
    return arrays


def _header(stream: zipfile.ZipExtFile) -> tuple[tuple[int, ...], bool, np.dtype]:
    readers = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    version = np.lib.format.read_magic(stream)
    if version not in readers:
        raise ValueError(f"version {version} of NumPy's format")
    return readers[version](stream)


def _rows_of_archive(file: Path, member: str) -> Iterator[np.ndarray]:
    try:
        with zipfile.ZipFile(file) as archive, archive.open(member) as stream:
            shape, by_columns, dtype = _header(stream)
            size = math.prod(shape[1:]) * dtype.itemsize
            if by_columns:
                numbers = np.frombuffer(stream.read(size * shape[0]), dtype)
                yield from numbers.reshape(shape, order="F")
            else:
                for _ in range(shape[0]):
                    yield np.frombuffer(stream.read(size), dtype).reshape(shape[1:])
            if stream.read(1):  # at the end the checksum is compared
                raise ValueError(f"{member} is longer than its header says")
    except Exception as error:  # as above
        raise _damaged(file, error) from None


def _of_safetensors(file: Path, read: re.Pattern[str]) -> dict[str, SavedArray]:
    arrays = {}
    with safe_open(file, "np") as stored:
        for name in stored.keys():  # noqa: SIM118
            header = stored.get_slice(name)
            shape, dtype = tuple(header.get_shape()), header.get_dtype()
            if dtype not in FLOATS and read.fullmatch(name):
                raise InputError(
                    f"{file}: `{name}` has numbers of the type {dtype}; save them as float32 or "
                    "float16"
                )
            size = math.prod(shape) * FLOATS.get(dtype, 0)
            arrays[name] = SavedArray(shape, size, partial(_rows_of_safetensors, file, name))
    return arrays


def _rows_of_safetensors(file: Path, name: str) -> Iterator[np.ndarray]:
    with safe_open(file, "np") as stored:
        numbers = stored.get_slice(name)
        for row in range(numbers.get_shape()[0]):
            yield numbers[row : row + 1][0]
