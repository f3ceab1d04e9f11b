"""Whether a model's confidence is what it gets right (Guo et al. 2017, section 2).

Expected calibration error: examples are sorted into bins of equal width by the probability of the
class that the model names; in each, the mean probability is held against the share that is right.
A regression gives no probability. Its scores are held against the labels instead: bins of equal
width, from the least label to the largest, by the predicted score, in each the mean prediction
against the mean label, in the label's unit.
"""

import numpy as np
from jaxtyping import Float, Int, Real


def weighted_calibration(
    logits: Float[np.ndarray, "gate example class"],
    labels: Float[np.ndarray, " example"],
    kind: str,
    bins: int,
    weights: Real[np.ndarray, "draw example"],
) -> Float[np.ndarray, "gate draw"]:
    """The expected calibration error of every gate under every weighting of the examples."""
    if kind == "regression":
        predicted = logits[..., 0].astype(float)
        least, largest = labels.min(), labels.max()
        gaps = predicted - labels
        scale = (predicted - least) / max(largest - least, np.finfo(float).tiny)
    else:
        likely = np.exp(logits.astype(float) - logits.max(axis=-1, keepdims=True))
        scale = 1 / likely.sum(axis=-1)  # the largest of the probabilities
        gaps = scale - (logits.argmax(axis=-1) == labels)
    places = _bins(scale, bins)
    errors = np.empty((len(logits), len(weights)))
    for line, gap, bins_of_gate in zip(errors, gaps, places, strict=True):
        of_bins = np.zeros((len(gap), bins))
        of_bins[np.arange(len(gap)), bins_of_gate] = gap
        line[:] = np.abs(weights @ of_bins).sum(axis=1) / weights.sum(axis=1)
    return errors


def _bins(values: Float[np.ndarray, "*any"], bins: int) -> Int[np.ndarray, "*any"]:
    """The bin of each value: equal widths from 0 to 1, upper ends included, the rest outermost."""
    return np.clip(np.ceil(values * bins).astype(int) - 1, 0, bins - 1)
