"""What all heads know together: a regression over their margins, on texts it did not learn from."""

import numpy as np
from jaxtyping import Bool, Float, Int
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from stages.boundaries.positions import Positions
from stages.core.intervals.held_out import SPLITS, divisions


def marks_of_regression(
    positions: Positions, group: Int[np.ndarray, " position"], penalty: float, seed: int
) -> Bool[np.ndarray, "position split"]:
    """Whether a word ends, as a logistic regression says that saw the other half of the groups.

    Args:
        group: of each position; the texts of a group stay on one side.
        penalty: of half the squared weights of the standardised margins, beside the sum of losses.
    """
    marks = np.empty((len(group), SPLITS), dtype=bool)
    ways = divisions(group, seed)
    for number, (learnt, read) in enumerate(
        tqdm(ways, "all heads together", 2 * SPLITS, unit="fit")
    ):
        marks[read, number // 2] = _fitted(
            positions.margins[learnt], positions.ends[learnt], positions.margins[read], penalty
        )
    return marks


def _fitted(
    margins: Float[np.ndarray, "learnt head"],
    ends: Bool[np.ndarray, " learnt"],
    others: Float[np.ndarray, "read head"],
    penalty: float,
) -> Bool[np.ndarray, " read"]:
    if len(np.unique(ends)) < 2:
        return np.full(len(others), bool(ends.any()))
    model = make_pipeline(
        StandardScaler(), LogisticRegression(C=1 / penalty, solver="newton-cholesky")
    )
    with threadpool_limits(1):  # so many small products take threads longer than one
        return model.fit(margins.astype(float), ends).predict(others.astype(float))
