"""Drawing maps of a recording, by chance over examples, layers and heads."""

import numpy as np
import pandas as pd

from stages.core.recordings.store import MapStore
from stages.core.stage.files import InputError
from stages.patterns.outside import COLUMNS, checksum


def draw_outside(store: MapStore, count: int, seed: int) -> pd.DataFrame:
    """Which maps are to be labelled: every map of the recording is as likely as any other.

    Returns:
        A table with `COLUMNS`, in the order of the draw, so that any first part of it is a draw by
        chance as well.

    Raises:
        InputError: the recording has fewer maps.
    """
    shape = (len(store), store.layers, store.heads)
    if count > np.prod(shape):
        raise InputError(f"{store.folder}: {np.prod(shape)} maps, {count} are to be drawn")
    chosen = np.random.default_rng(seed).choice(np.prod(shape), count, replace=False)
    rows = []
    for number, place in enumerate(np.stack(np.unravel_index(chosen, shape), axis=1).tolist()):
        example, layer, head = place
        identity = store.ids[example]
        rows.append((number, identity, layer, head, checksum(store[identity][layer, head])))
    return pd.DataFrame(rows, columns=list(COLUMNS))
