"""A few plain numbers that describe an attention map: the baseline of the pattern classifier.

All are free of the map's size and of which tokens the model uses as a sink.
"""

import numpy as np
import pandas as pd
from jaxtyping import Float

from stages.core.pattern_data import Map

# Kovaleva's diagonals are the previous and the next token; words split in pieces widen that.
NEAR = 2
# Columns that may form the stripes of one map: [CLS], two [SEP] and a full stop, say.
STRIPES = 3


def features(weights: Map) -> dict[str, float]:
    """Describe one map.

    `rest` is the map without its strongest columns, rows scaled to add up to 1 again: it shows what
    a sink hides.
    """
    length = len(weights)
    columns = weights.mean(0)
    strongest = np.argsort(-columns, kind="stable")[: max(1, min(STRIPES, length // 4))]
    rest = weights.copy()
    rest[:, strongest] = 0
    kept = rest.sum(1, keepdims=True)
    rest = np.divide(rest, kept, out=np.full_like(rest, 1 / length), where=kept > 1e-6)
    entropy = -(weights * np.log(np.maximum(weights, 1e-9))).sum(1).mean()
    return {
        "strongest_column": columns.max(),
        "strong_columns": columns[strongest].sum(),
        "column_variance": _explained(weights, np.broadcast_to(columns, weights.shape)),
        "diagonal": _diagonal(weights),
        "diagonal_of_rest": _diagonal(rest),
        "band": _band(weights),
        "band_of_rest": _band(rest),
        "diagonal_variance": _explained(rest, _constant_diagonals(rest)),
        "block_of_rest": _block(rest),
        "entropy": entropy / np.log(length),
        "log_length": np.log(length),
    }


def feature_table(maps: list[Map]) -> pd.DataFrame:
    """`features` of each map, one row a map."""
    return pd.DataFrame([features(weights) for weights in maps])


def _diagonal(weights: Map) -> float:
    """Largest mean weight on one diagonal at most `NEAR` away from the main one."""
    return max(np.diagonal(weights, offset).mean() for offset in range(-NEAR, NEAR + 1))


def _band(weights: Map) -> float:
    """Share of the weight near the main diagonal, less the share of the cells that lie there."""
    near = np.abs(np.subtract.outer(*[np.arange(len(weights))] * 2)) <= NEAR
    return weights[near].sum() / len(weights) - near.mean()


def _block(weights: Map) -> float:
    """Excess share of the weight inside the two squares of the best split, diagonal left out."""
    length = len(weights)
    offsets = np.abs(np.subtract.outer(np.arange(length), np.arange(length)))
    far = np.where(offsets > NEAR, weights, 0)
    total = far.sum()
    if total < 1e-6:
        return 0.0
    cells, best = offsets > NEAR, 0.0
    for split in range(length // 4, length - length // 4 + 1):
        inside = (slice(None, split),) * 2, (slice(split, None),) * 2
        share = sum(far[square].sum() for square in inside) / total
        chance = sum(cells[square].sum() for square in inside) / cells.sum()
        best = max(best, share - chance)
    return best


def _constant_diagonals(weights: Map) -> Float[np.ndarray, "query key"]:
    """The map with each diagonal replaced by its mean."""
    length = len(weights)
    index = np.subtract.outer(np.arange(length), np.arange(length)) + length - 1
    sums = np.bincount(index.ravel(), weights.ravel())
    return (sums / np.bincount(index.ravel()))[index]


def _explained(weights: Map, model: Map) -> float:
    """Share of the variance of the cells that `model` explains."""
    variance = weights.var()
    return float(1 - (weights - model).var() / variance) if variance > 1e-12 else 0.0
