"""Shares of the patterns without the classifier's mistakes, as far as labelled maps tell them.

Let p be the shares of the predictions among all maps, and C the confusion matrix of labelled maps
drawn by chance: C[l, k] is the share of the maps with label l that are predicted as k. If mistakes
are as frequent among all maps, then p = C' q with q the shares of the labels. The corrected shares
are the q that comes nearest to it (least squares) and is a distribution: not negative, of sum 1.
"""

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from scipy.optimize import nnls

from stages.core.intervals.intervals import percentile_interval
from stages.core.tables import drawn_of, estimate_columns
from stages.patterns.labelled_maps import CLASSES
from stages.patterns.scores import Counts, redrawn

# Weight of the condition that shares add up to 1, beside the five equations.
SUM_WEIGHT = 1e3


def corrected_shares(
    shares: Float[np.ndarray, " predicted"],
    counts: Int[np.ndarray, "label predicted"] | Float[np.ndarray, "label predicted"],
) -> Float[np.ndarray, " label"]:
    """The distribution of labels that explains these shares of predictions best.

    A label that no map has counts as always recognised, as nothing says how it is mistaken.
    """
    support = counts.sum(1, keepdims=True)
    rates = np.where(support > 0, counts / np.maximum(support, 1), np.eye(len(counts)))
    equations = np.vstack([rates.T, np.full(len(counts), SUM_WEIGHT)])
    found, _ = nnls(equations, np.append(shares, SUM_WEIGHT))
    return found / found.sum()


def corrected_table(shares: pd.DataFrame, counts: Counts, seed: int) -> pd.DataFrame:
    """One row a pattern: its share of predictions, the corrected one and its interval.

    The bootstrap draws heads and random starts of the labelled maps again, and takes with each draw
    another resample of the shares, which are over texts.

    Args:
        shares: one row a pattern: its share and the resamples of it. If these are not numbers, as
            there are too few texts for an interval, the corrected share has none either.
        counts: of the labelled maps; their starts are put together.

    Returns:
        Columns pattern, share, corrected with its interval, and labelled, the maps with that label.
    """
    shares = shares.set_index("pattern").loc[list(CLASSES)]
    predicted, drawn = shares["share"].to_numpy(), np.stack(list(shares[drawn_of("share")]))
    low = high = np.full(len(CLASSES), np.nan)
    if np.isfinite(drawn).all():
        again = redrawn(counts, drawn.shape[1], seed).sum(1)
        resampled = [corrected_shares(*pair) for pair in zip(drawn.T, again, strict=True)]
        low, high = percentile_interval(np.stack(resampled, axis=-1))
    together = counts.sum((0, 1))
    columns = estimate_columns("corrected", corrected_shares(predicted, together), low, high)
    labelled = together.sum(1) // len(counts)
    return pd.DataFrame({"pattern": CLASSES, "share": predicted, **columns, "labelled": labelled})
