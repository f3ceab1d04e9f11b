"""New maps from labelled ones: other sinks, other sharpness, and classes made from other classes.

The labelled maps come from two encoders; what an annotator would label alike must not depend on
their habits. All functions take and return row-stochastic maps.
"""

import numpy as np
from jaxtyping import Bool, Float
from scipy.ndimage import gaussian_filter1d

from stages.patterns.labelled_maps import CLASSES
from stages.patterns.map_file import Map
from stages.patterns.views import BRIGHTEST, NEAR, STRIPE, VISIBLE

VERTICAL, DIAGONAL, BOTH, BLOCK, HETEROGENEOUS = range(len(CLASSES))

SHORTEST_FOR_BLOCKS = 14  # tokens: two squares and a sink need room


def recompose(weights: Map, label: int, generator: np.random.Generator) -> tuple[Map, int]:
    """Make a map of another class, as the guideline defines the classes by their parts.

    Vertical + Diagonal without its stripes is Diagonal; Diagonal with a sink is Vertical +
    Diagonal; Vertical or Heterogeneous cut into squares is Block; with the rows of what is no
    stripe shuffled it is Heterogeneous; with all rows drawn to their mean it is Vertical.

    Returns:
        The new map and its class, or the old ones where the parts do not allow it.
    """
    stripes = find_stripes(weights)
    if label == BOTH:
        rest = np.where(stripes, weights * generator.uniform(0, 0.03), weights)
        kept = rest.sum(1, keepdims=True)
        # Rows that give all their weight to the stripes have nothing that could be shown.
        if stripes.mean() <= 0.3 and (kept < 0.03).mean() <= 0.3:
            return np.where(kept > 0.01, rest / np.maximum(kept, 0.01), weights), DIAGONAL
    elif label == DIAGONAL:
        return add_sink(weights, generator), BOTH
    elif label in (VERTICAL, HETEROGENEOUS):
        kind = generator.random()
        faded = _normalised(np.where(stripes, weights * generator.uniform(0, 0.2), weights) + 1e-6)
        if kind < 0.4 and len(weights) >= SHORTEST_FOR_BLOCKS:
            squares = cut_into_squares(faded, generator)
            if generator.random() < 0.7:
                squares = add_sink(squares, generator)
            return squares, BLOCK
        if kind < 0.7:
            return generator.permuted(faded, axis=1), HETEROGENEOUS
        pull = generator.uniform(0.5, 0.95)
        columns = weights.mean(0) ** generator.uniform(1.0, 2.0)
        return (1 - pull) * weights + pull * columns / columns.sum(), VERTICAL
    return weights, label


def find_stripes(weights: Map) -> Bool[np.ndarray, " key"]:
    """Columns that are visible in many rows away from the diagonal."""
    visible = weights >= np.quantile(weights, BRIGHTEST) * VISIBLE
    far = np.abs(_offsets(len(weights))) > NEAR
    return (visible & far).sum(0) >= STRIPE * np.maximum(far.sum(0), 1)


def add_sink(weights: Map, generator: np.random.Generator) -> Map:
    """Give part of the weight of most rows to one token, or to two that the rows share out."""
    length = len(weights)
    rows = np.arange(length)
    share = generator.beta(2, 1.5, length)
    share *= generator.random(length) < generator.uniform(0.55, 1)
    first, second = (
        int(generator.choice([0, length - 1, generator.integers(length)])) for _ in "12"
    )
    sink = np.full(length, first)
    if generator.random() < 0.35:
        sink[generator.random(length) < generator.uniform(0.2, 0.8)] = second
    result = weights * (1 - share)[:, None]
    result[rows, sink] += share
    return result


def cut_into_squares(weights: Map, generator: np.random.Generator) -> Map:
    """Keep the weight within two to seven spans of the text, with few leaks between them."""
    length = len(weights)
    spans = int(generator.integers(2, max(3, min(7, length // 6) + 1)))
    ends = np.cumsum(generator.dirichlet(np.full(spans, 4.0))) * length
    span = np.searchsorted(ends, np.arange(length) + 0.5)
    inside = span[:, None] == span[None, :]
    return _normalised(np.where(inside, weights, weights * generator.uniform(0, 0.12)) + 1e-9)


def vary(weights: Map, generator: np.random.Generator) -> Float[np.ndarray, "query key"]:
    """A map that an annotator would label the same.

    Some tokens left out; rows sharper or flatter; the sink stronger or weaker, at another token, or
    shared out between two tokens, as [CLS] and [SEP] do in some models; the text reversed; noise.
    """
    length = len(weights)
    shorter = max(8, length - int(generator.integers(max(1, length // 4))))
    result = _shortened(weights, min(length, shorter), generator)
    length = len(result)
    result = result ** generator.uniform(0.8, 1.25)
    if generator.random() < 0.25:
        result = gaussian_filter1d(result, generator.uniform(0.3, 1.2), axis=1, mode="nearest")
    sink = int(result.mean(0).argmax())
    if generator.random() < 0.5:
        result[:, sink] *= np.exp(generator.uniform(-0.4, 0.4))
    if generator.random() < 0.5:
        other = int(generator.choice([0, length - 1, generator.integers(length)]))
        rows = generator.random(length) < generator.choice([0.3, 0.5, 1.0])
        result[np.ix_(rows, [sink, other])] = result[np.ix_(rows, [other, sink])]
    if generator.random() < 0.5:
        result = result[::-1, ::-1]
    if generator.random() < 0.3:
        noise = _normalised(generator.gamma(0.5, 2.0, result.shape) + 1e-9)
        result = _normalised(result) + generator.uniform(0, 0.1) * noise
    return _normalised(result).astype(np.float32)


def _shortened(weights: Map, length: int, generator: np.random.Generator) -> Map:
    """Leave out a run of tokens, but no strong column, and let the rows add up to 1 again."""
    keep = np.ones(len(weights), dtype=bool)
    strong = np.argsort(-weights.mean(0), kind="stable")[:2]
    weak = keep.copy()
    weak[strong] = False
    order = (np.arange(len(weights)) + int(generator.integers(len(weights)))) % len(weights)
    keep[order[weak[order]][: len(weights) - length]] = False
    return _normalised(weights[keep][:, keep].astype(np.float64) + 1e-6)


def _offsets(length: int) -> np.ndarray:
    return np.subtract.outer(np.arange(length), np.arange(length))


def _normalised(weights: Map) -> Map:
    return weights / weights.sum(1, keepdims=True)
