"""A metric of many predictions on many weightings of the examples, as matrix products.

A resample counts how often it draws each example, half of the examples counts 1 and the others 0:
both are weights. scikit-learn's metrics take one prediction and one weighting at a time; the tests
hold these against them.
"""

from collections.abc import Callable

import numpy as np
import scipy  # whose submodules load when they are first used
from jaxtyping import Float, Real, Shaped

Labels = Float[np.ndarray, " example"]
Predictions = Float[np.ndarray, "gate example"]
Weights = Real[np.ndarray, "draw example"]
Scores = Float[np.ndarray, "gate draw"]
# Of a sum of squares: less of it than this is rounding, and the side is constant.
ROUNDING = 1e-12


def weighted_scores(
    metric: str, labels: Labels, predictions: Predictions, weights: Weights
) -> Scores:
    """The metric of every gate's predictions under every weighting.

    Whole weights give the metric of the examples repeated as often. macro F1 is over the classes
    that the labels or a gate's predictions hold among all examples.

    Args:
        metric: one of `stages.core.tasks.metrics.METRICS`.
    """
    return METRICS[metric](labels, predictions, weights)


def _sums(values: Shaped[np.ndarray, "gate example"], weights: Weights) -> Scores:
    return values.astype(float) @ weights.T.astype(float)


def _accuracy(labels: Labels, predictions: Predictions, weights: Weights) -> Scores:
    return _sums(predictions == labels, weights) / weights.sum(axis=1)


def _f1_of(labels: Labels, predictions: Predictions, weights: Weights, positive: float) -> Scores:
    predicted, actual = predictions == positive, labels == positive
    both = _sums(predicted & actual, weights)
    total = _sums(predicted, weights) + _sums(actual[None], weights)
    return np.divide(2 * both, total, out=np.zeros_like(total), where=total > 0)


def _f1(labels: Labels, predictions: Predictions, weights: Weights) -> Scores:
    return _f1_of(labels, predictions, weights, 1.0)


def _macro_f1(labels: Labels, predictions: Predictions, weights: Weights) -> Scores:
    total = np.zeros((len(predictions), len(weights)))
    classes = np.zeros((len(predictions), 1))
    for value in np.union1d(labels, predictions):
        held = (predictions == value).any(axis=1, keepdims=True) | (labels == value).any()
        total += np.where(held, _f1_of(labels, predictions, weights, value), 0.0)
        classes += held
    return total / classes


def _matthews(labels: Labels, predictions: Predictions, weights: Weights) -> Scores:
    size = weights.sum(axis=1)
    actual = _sums((labels == 1)[None], weights)
    predicted = _sums(predictions == 1, weights)
    both = _sums((predictions == 1) & (labels == 1), weights)
    spread = np.sqrt(predicted * (size - predicted) * actual * (size - actual))
    numerator = size * both - predicted * actual
    return np.divide(numerator, spread, out=np.zeros_like(spread), where=spread > 0)


def _pearson(labels: Labels, predictions: Predictions, weights: Weights) -> Scores:
    size = weights.sum(axis=1)
    true = (labels - labels.mean())[None]  # as sums of squares lose digits far from 0
    guess = predictions - predictions.mean(axis=1, keepdims=True)

    def product(
        first: Float[np.ndarray, "#gate example"], second: Float[np.ndarray, "#gate example"]
    ) -> Float[np.ndarray, "#gate draw"]:
        squares = _sums(first * second, weights)
        spread = squares - _sums(first, weights) * _sums(second, weights) / size
        return np.where(np.abs(spread) > ROUNDING * np.abs(squares), spread, 0.0)

    return _correlation(product(guess, true), product(guess, guess), product(true, true))


def _correlation(
    together: Float[np.ndarray, "*gate draw"],
    first: Float[np.ndarray, "*gate draw"],
    second: Float[np.ndarray, "... draw"],
) -> Float[np.ndarray, "*gate draw"]:
    spread = np.sqrt(first * second)
    return np.divide(together, spread, out=np.zeros_like(spread), where=spread > 0)


def _spearman(labels: Labels, predictions: Predictions, weights: Weights) -> Scores:
    drawn = np.ascontiguousarray(weights.T, dtype=float)
    true = _middle_ranks(labels, drawn)
    spread_of_true = (drawn * true**2).sum(axis=0)
    scores = np.empty((len(predictions), len(weights)))
    for line, guesses in zip(scores, predictions, strict=True):
        guess = _middle_ranks(guesses, drawn)
        times = drawn * guess
        together, spread = (times * true).sum(axis=0), (times * guess).sum(axis=0)
        line[:] = _correlation(together, spread, spread_of_true)
    return scores


def _middle_ranks(
    values: Float[np.ndarray, " example"], drawn: Float[np.ndarray, "example draw"]
) -> Float[np.ndarray, "example draw"]:
    """Ranks of the examples as often as they are drawn, ties in their middle; 0 is the middle."""
    order = np.argsort(values, kind="stable")
    upto = np.cumsum(drawn[order], axis=0)
    before = np.concatenate([np.zeros((1, drawn.shape[1])), upto])
    last = scipy.stats.rankdata(values, "max").astype(int)
    first = scipy.stats.rankdata(values, "min").astype(int)
    return (before[last] + before[first - 1] - upto[-1]) / 2


METRICS: dict[str, Callable[[Labels, Predictions, Weights], Scores]] = {
    "accuracy": _accuracy,
    "f1": _f1,
    "macro_f1": _macro_f1,
    "matthews": _matthews,
    "pearson": _pearson,
    "spearman": _spearman,
}
