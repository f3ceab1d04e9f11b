"""The head in which each kind of token gains most by tuning."""

import numpy as np
import pandas as pd
from jaxtyping import Float

from stages.core.intervals.held_out import held_out
from stages.core.stage.arms import TUNED, UNTUNED


def rise_table(
    shares: dict[str, dict[tuple[str, str], Float[np.ndarray, "head example"]]],
    heads: int,
    resamples: int,
    seed: int,
) -> tuple[pd.DataFrame, Float[np.ndarray, "column row resample"]]:
    """One row a kind and aggregate: the head in which it gains most by tuning, held out.

    One half of the examples chooses the head, the other is measured.

    Returns:
        The table, and its columns `CHOICE_RESAMPLED` on resamples.
    """
    rows, drawn = [], []
    for (kind, aggregate), after in shares[TUNED].items():
        change = after - shares[UNTUNED][kind, aggregate]
        change = change[:, ~np.isnan(change).any(0)].T
        none = np.zeros((len(change), 1))
        choice = held_out(change, none, np.arange(len(change)), resamples, seed)
        layer, head = divmod(choice.best, heads)
        place = {"kind": kind, "aggregate": aggregate, "layer": layer, "head": head}
        rows.append(place | choice.columns())
        drawn.append(choice.drawn)
    return pd.DataFrame(rows), np.stack(drawn, axis=1)
