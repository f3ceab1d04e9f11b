"""The clearest of some maps, and the median: the clearest alone would look nicer than they are."""

import numpy as np
from jaxtyping import Float

from stages.core.viewer.tables import CLEAREST, MEDIAN


def clearest_and_median(values: Float[np.ndarray, " case"]) -> dict[str, int]:
    """Places of the largest value and of the median; of equal ones the first.

    The median of an even number is the lower one of the two in the middle, so that it is a case.
    Values that are NaN are no cases; without any the answer is empty.
    """
    known = np.flatnonzero(~np.isnan(values))
    if not len(known):
        return {}
    order = known[np.argsort(values[known], kind="stable")]
    middle = values[order[(len(order) - 1) // 2]]
    return {
        CLEAREST: int(known[np.argmax(values[known])]),
        MEDIAN: int(known[np.argmax(values[known] == middle)]),
    }
