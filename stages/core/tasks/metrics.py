"""Task metrics over the last axis, vectorised over all others, so that a bootstrap is one call.

scikit-learn's metrics take one sample at a time; the tests hold these against them.
"""

import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
import scipy  # whose submodules load when they are first used
from jaxtyping import Float, Int, Shaped

Labels = Shaped[np.ndarray, "... example"]
# NumPy makes a number of an array without axes.
Values = Float[np.ndarray, "..."] | float
Counts = Int[np.ndarray, "..."] | int


def accuracy(labels: Labels, predictions: Labels) -> Values:
    """Share of examples whose prediction is the label."""
    return np.mean(labels == predictions, axis=-1)


def _counts(labels: Labels, predictions: Labels, positive: float) -> tuple[Counts, Counts, Counts]:
    predicted, actual = predictions == positive, labels == positive
    both = np.sum(predicted & actual, axis=-1)
    return both, np.sum(predicted, axis=-1), np.sum(actual, axis=-1)


def _f1_of(labels: Labels, predictions: Labels, positive: float) -> Values:
    both, predicted, actual = _counts(labels, predictions, positive)
    total = predicted + actual
    return np.divide(2.0 * both, total, out=np.zeros(np.shape(total)), where=total > 0)


def f1(labels: Labels, predictions: Labels) -> Values:
    """F1 of class 1, as GLUE reports it for MRPC and QQP; 0 where neither side has the class."""
    return _f1_of(labels, predictions, 1.0)


def macro_f1(labels: Labels, predictions: Labels) -> Values:
    """Mean of the F1 of every class that the labels or the predictions hold."""
    classes = np.union1d(labels, predictions)
    return np.mean([_f1_of(labels, predictions, value) for value in classes], axis=0)


def matthews(labels: Labels, predictions: Labels) -> Values:
    """Matthews correlation of two classes, 0 and 1; 0 where a side is constant."""
    size = np.shape(labels * np.ones(1))[-1]
    both, predicted, actual = _counts(labels, predictions, 1.0)
    spread = np.sqrt(
        predicted.astype(float) * (size - predicted) * actual.astype(float) * (size - actual)
    )
    numerator = size * both.astype(float) - predicted * actual
    return np.divide(numerator, spread, out=np.zeros(np.shape(spread)), where=spread > 0)


def pearson(labels: Labels, predictions: Labels) -> Values:
    """Pearson correlation; 0 where a side is constant, as a constant predicts nothing."""
    labels, predictions = np.broadcast_arrays(labels, predictions)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", scipy.stats.ConstantInputWarning)
        return np.nan_to_num(scipy.stats.pearsonr(labels, predictions, axis=-1).statistic)


def spearman(labels: Labels, predictions: Labels) -> Values:
    """Spearman rank correlation; 0 where a side is constant."""
    return pearson(
        scipy.stats.rankdata(labels, axis=-1), scipy.stats.rankdata(predictions, axis=-1)
    )


METRICS: dict[str, Callable[[Labels, Labels], Values]] = {
    metric.__name__: metric for metric in (accuracy, f1, macro_f1, matthews, pearson, spearman)
}


def scorer(metric: str, labels: Labels) -> Callable[[Labels], Values]:
    """The metric of any predictions on these labels, which a rank correlation ranks only once."""
    if metric == "spearman":
        ranks = scipy.stats.rankdata(labels, axis=-1)
        return lambda predictions: pearson(ranks, scipy.stats.rankdata(predictions, axis=-1))
    return partial(METRICS[metric], labels)


def predictions_from_logits(logits: Float[np.ndarray, "... class"], kind: str) -> Values:
    """The class with the largest logit, or the score itself where `kind` is `regression`."""
    if kind == "regression":
        return logits[..., 0].astype(float)
    return np.argmax(logits, axis=-1).astype(float)
