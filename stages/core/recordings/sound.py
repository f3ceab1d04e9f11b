"""Whether maps that were recorded elsewhere can be attention at all, and fit their tokens."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from jaxtyping import Float16
from tqdm import tqdm

from stages.core.recordings.store import INDEX, TOKENS, MapStore
from stages.core.stage.files import InputError
from stages.core.stage.plain_files import require_plain_file

# How far a row's sum may be from 1. What float16 rounds of rows that were exact before is 5e-4 at
# most; rows that were recorded in float16 or bfloat16 to begin with are off by some 4e-3.
TOLERANCE = 0.01
# Columns of tokens.parquet with one entry a token.
OF_TOKENS = ("tokens", "segments", "word")
LISTS = (*OF_TOKENS, "words", "mentions", "frames")
LIST_TYPES = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
TEXT_TYPES = (pa.types.is_string, pa.types.is_large_string, pa.types.is_null)


def open_sound(folder: Path, required: tuple[str, ...] = ()) -> MapStore:
    """Open a folder of maps that someone else recorded, all of it read once and found sound.

    Args:
        required: columns of tokens.parquet beside `id`, `tokens` and `segments`.

    Raises:
        InputError: a file is missing, damaged or a link, maps cannot be attention, or tokens,
            segments or words do not fit them.
    """
    store = MapStore(folder)
    for name in store.files:
        require_plain_file(folder / name)
    store.verify()
    check_tokens(store, required)
    check_maps(store)
    return store


def check_tokens(store: MapStore, required: tuple[str, ...] = ()) -> None:
    """Compare tokens.parquet with the index: one row an example, in its order, of its length.

    Raises:
        InputError: names the first example that differs.
    """
    file = store.folder / TOKENS
    tokens = store.tokens
    _check_columns(file, ("id", *OF_TOKENS[:2], *required))
    if not all(isinstance(identity, str) for identity in store.ids):
        raise InputError(f"{store.folder / INDEX}: an `id` is no text; write texts")
    if len(set(store.ids)) < len(store.ids):
        repeated = pd.Series(store.ids)[pd.Series(store.ids).duplicated()].iloc[0]
        raise InputError(f"{store.folder / INDEX}: two examples have the id {repeated!r}")
    if tokens["id"].tolist() != store.ids:
        pairs = zip(tokens["id"].tolist(), store.ids, strict=False)
        unlike = ((row, *pair) for row, pair in enumerate(pairs) if pair[0] != pair[1])
        first = next(unlike, None)
        where = (
            f"it has {len(tokens)} rows for {len(store.ids)} examples"
            if first is None
            else "row {} is {!r}, but the index has {!r}".format(*first)
        )
        raise InputError(f"{file}: {where}; write its rows in the order of the index")
    for row, length in zip(tokens.to_dict("records"), store.index["length"], strict=True):
        if fault := _fault_of_tokens(row, int(length)):
            raise InputError(
                f"{file}, example {row['id']!r}: {fault}; mend the row or record the maps again"
            )


def _check_columns(file: Path, required: tuple[str, ...]) -> None:
    schema = pq.read_schema(file)
    if lacking := [name for name in required if name not in schema.names]:
        raise InputError(f"{file}: it has no column `{lacking[0]}`; write it, one entry an example")
    for name in LISTS:
        if name not in schema.names:
            continue
        kind = schema.field(name).type
        if pa.types.is_null(kind) and name not in (*OF_TOKENS, *required):
            continue  # empty for each example
        if not any(is_list(kind) for is_list in LIST_TYPES):
            raise InputError(f"{file}: `{name}` is of the type {kind}; write a list an example")
        holds_text = any(is_text(kind.value_type) for is_text in TEXT_TYPES)
        holds_numbers = pa.types.is_integer(kind.value_type)
        if (name == "tokens" and not holds_text) or (name in OF_TOKENS[1:] and not holds_numbers):
            wanted = "texts" if name == "tokens" else "whole numbers"
            raise InputError(f"{file}: `{name}` has lists of {kind.value_type}; write {wanted}")
        if name in OF_TOKENS:
            column = pq.read_table(file, columns=[name])[name]
            if column.null_count or sum(chunk.flatten().null_count for chunk in column.chunks):
                raise InputError(f"{file}: `{name}` has an entry that is null; write one a token")


def _fault_of_tokens(row: dict, length: int) -> str:
    """What is wrong with the tokens, segments or words of an example; nothing if they fit."""
    of_tokens = [column for column in OF_TOKENS if column in row]
    for column in of_tokens:
        if len(row[column]) != length:
            return (
                f"{len(row[column])} entries under `{column}`, but the maps are of {length} tokens"
            )
    segments = list(map(int, row["segments"]))
    if not {0, 1}.issuperset(segments) or segments != sorted(segments):
        return "its `segments` are not 0 for the first text, then 1 for the second"
    if "word" not in row:
        return ""
    numbers = list(map(int, row["word"]))
    if min(numbers) < -1:
        return f"a token belongs to word {min(numbers)}; words count from 0, and -1 stands for none"
    of_words = [number for number in numbers if number >= 0]
    if of_words != sorted(of_words):
        return (
            "its words do not stand in the order of its tokens; count those of a second text on "
            "from the first"
        )
    words = row.get("words")
    if words is None or not len(words):
        return ""
    if max(numbers) >= len(words):
        return f"a token belongs to word {max(numbers)}, but there are {len(words)} words"
    for number, segment in zip(numbers, segments, strict=True):
        known = number >= 0 and isinstance(words[number], dict)  # else its annotation is refused
        if known and (words[number].get("segment") or 0) != segment:
            return f"word {number} is of another segment than a token of it"
    return ""


def check_maps(store: MapStore) -> None:
    """Check that every row of every map is finite, not negative and sums to 1.

    Raises:
        InputError: names the example, layer, head and query of the first that is not.
    """
    for identity in tqdm(store.ids, "maps", unit="example"):
        if fault := _fault(store[identity]):
            layer, head, query, what = fault
            raise InputError(
                f"{store.folder}: example {identity!r}, layer {layer}, head {head}: row {query} "
                f"{what}; maps are of shape [layer, head, query, key] after the softmax, without "
                "padding: record them again"
            )


def _fault(
    maps: Float16[np.ndarray, "layer head query key"],
) -> tuple[int, int, int, str] | None:
    weights = maps.astype(np.float32)
    sums = weights.sum(-1)
    unsound = {
        "has a weight that is not finite": ~np.isfinite(weights).all(-1),
        "has a negative weight": (weights < 0).any(-1),
        "sums to {:.3g} in place of 1": ~(np.abs(sums - 1) <= TOLERANCE),
    }
    for what, rows in unsound.items():
        if rows.any():
            layer, head, query = map(int, np.argwhere(rows)[0])
            return layer, head, query, what.format(sums[layer, head, query])
    return None
