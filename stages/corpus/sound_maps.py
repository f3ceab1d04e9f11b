"""Whether maps that were recorded elsewhere can be attention at all, and fit their tokens."""

import numpy as np
import pandas as pd
from jaxtyping import Float16
from tqdm import tqdm

from stages.core.recordings.store import MapStore
from stages.core.stage.files import InputError

# How far a row's sum may be from 1. What float16 rounds of rows that were exact before is 5e-4 at
# most; rows that were recorded in float16 or bfloat16 to begin with are off by some 4e-3.
TOLERANCE = 0.01
# Columns of tokens.parquet with one entry a token.
OF_TOKENS = ("tokens", "segments", "word")


def check_tokens(store: MapStore) -> None:
    """Compare tokens.parquet with the index: one row an example, in its order, of its length.

    Raises:
        InputError: names the first example that differs.
    """
    file, tokens = store.folder / "tokens.parquet", store.tokens
    if lacking := [name for name in ("id", *OF_TOKENS[:2]) if name not in tokens]:
        raise InputError(f"{file}: it has no column `{lacking[0]}`; write it, one entry an example")
    if len(set(store.ids)) < len(store.ids):
        repeated = pd.Series(store.ids)[pd.Series(store.ids).duplicated()].iloc[0]
        raise InputError(f"{store.folder}/index.parquet: two examples have the id {repeated!r}")
    if tokens["id"].tolist() != store.ids:
        pairs = zip(tokens["id"].tolist(), store.ids, strict=False)
        place = next((number for number, (one, other) in enumerate(pairs) if one != other), None)
        where = (
            f"it has {len(tokens)} rows for {len(store.ids)} examples"
            if place is None
            else f"row {place} is {tokens['id'][place]!r}, but the index has {store.ids[place]!r}"
        )
        raise InputError(f"{file}: {where}; write its rows in the order of the index")
    lengths = store.index["length"].to_numpy()
    for column in OF_TOKENS:
        if column not in tokens:
            continue
        found = tokens[column].map(len).to_numpy()
        if (found != lengths).any():
            row = int(np.argmax(found != lengths))
            raise InputError(
                f"{file}, example {store.ids[row]!r}: {found[row]} entries under `{column}`, but "
                f"the maps are of {lengths[row]} tokens; mend the row or record the maps again"
            )


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
