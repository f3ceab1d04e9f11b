"""Whether the loss falls on single examples or everywhere."""

from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Real

from stages.core.intervals.intervals import percentile_interval
from stages.core.outcomes.paired import draw_weights
from stages.core.tables import drawn_of, estimate_columns

TOP = 0.05  # the examples whose loss falls most; as many are left out at both ends by `trimmed`
COLUMNS = ("falls", "top_share", "trimmed")


def spread(
    falls: Float[np.ndarray, " example"],
    weights: Real[np.ndarray, "line example"],
    top: float = TOP,
) -> Float[np.ndarray, "3 line"]:
    """How the falls of the loss are spread over examples, under each weighting of these.

    Returns:
        The share of the examples whose loss falls; of all that falls (what rises left out), the
        share that is in the `top` of the examples; the mean fall without the `top` of the examples
        at either end. The share is unknown where no loss falls.
    """
    order = np.argsort(-falls, kind="stable")
    falls, weights = falls[order], weights[:, order].astype(float)
    size = weights.sum(axis=1, keepdims=True)
    before = np.cumsum(weights, axis=1) - weights
    # Of each example the part that is among the first, and the part that is in the middle.
    first = np.clip(top * size - before, 0, weights)
    middle = np.clip((1 - top) * size - before, 0, weights) - first
    positive = np.maximum(falls, 0)
    total = weights @ positive
    share = np.divide(first @ positive, total, out=np.full_like(total, np.nan), where=total > 0)
    return np.stack(
        [weights @ (falls > 0) / size[:, 0], share, middle @ falls / middle.sum(axis=1)]
    )


def spread_row(
    falls: Float[np.ndarray, " example"], resamples: int, seed: int, widening: float = 1.0
) -> dict[str, Any]:
    """`spread` of the data with its intervals and resamples.

    Args:
        widening: of the intervals (`choices.widening`).
    """
    ones = np.ones((1, len(falls)))
    lines = spread(falls, np.concatenate([ones, draw_weights(len(falls), resamples, seed)]))
    drawn = lines[:, :1] + widening * (lines[:, 1:] - lines[:, :1])
    row: dict[str, Any] = {"examples": len(falls)}
    for name, line, resampled in zip(COLUMNS, lines, drawn, strict=True):
        row |= estimate_columns(name, line[0], *percentile_interval(resampled))
        row[drawn_of(name)] = resampled
    return row


def most_helped(
    examples: pd.DataFrame, losses: Float[np.ndarray, "2 example"], count: int
) -> pd.DataFrame:
    """The `count` examples whose loss falls most, with their share of all that falls.

    Args:
        examples: id, text_a, text_b, label, full and cut (what the model says with all heads on,
            and without the chosen ones).
        losses: of each example with all heads on, and without the chosen ones.

    Returns:
        The columns of `examples`, loss_full, loss_cut, fall and share.
    """
    fall = losses[0] - losses[1]
    rows = np.argsort(-fall, kind="stable")[:count]
    rows = rows[fall[rows] > 0]
    table = examples.iloc[rows].reset_index(drop=True)
    falls_of = {"loss_full": losses[0][rows], "loss_cut": losses[1][rows], "fall": fall[rows]}
    return table.assign(**falls_of, share=fall[rows] / np.maximum(fall, 0).sum())
