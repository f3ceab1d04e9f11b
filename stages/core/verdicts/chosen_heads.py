"""Compare a task's most important heads with its other heads on a second measure."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float

from stages.core.outcomes.deciding import deciding_rows
from stages.core.outcomes.tables import GATES
from stages.core.stage.arms import TUNED, Arm
from stages.core.tables import drawn_of
from stages.core.verdicts.estimates import Estimate
from stages.core.verdicts.learnt import learnt_rows
from stages.core.verdicts.measures import Measures


@dataclass(frozen=True)
class OfHeads:
    """A figure of each head, by layer and head, and its resamples."""

    values: Float[np.ndarray, " head"]
    drawn: Float[np.ndarray, "resample head"]


def of_heads(rows: pd.DataFrame, column: str) -> OfHeads:
    """A column of a table with one row a head, read with its resamples."""
    rows = rows.sort_values(["layer", "head"])
    drawn = np.stack(list(rows[drawn_of(column)]), axis=-1)
    return OfHeads(rows[column].to_numpy(), drawn.astype(float))


def ablated_heads(measures: Measures, arm: Arm = TUNED) -> pd.DataFrame:
    """Effects of single heads on the learnt tasks, with resamples: `uniform`, as Kovaleva et al.

    Raises:
        NotMeasured: the arm has no such effects, or has learnt no task.
    """
    return learnt_rows(measures, deciding_rows(GATES, family="head", mode="uniform"), arm)


def lowest(
    effects: Float[np.ndarray, "*resample head"], count: int
) -> Float[np.ndarray, "*resample head"]:
    """1 for the `count` smallest along the last axis, 0 for others; ties share what is left."""
    bound = np.sort(effects, axis=-1)[..., count - 1 : count]
    below, tied = effects < bound, effects == bound
    left = count - below.sum(axis=-1, keepdims=True)
    return below + tied * left / tied.sum(axis=-1, keepdims=True)


def chosen_less_others(
    chosen: Float[np.ndarray, "*#resample head"], values: Float[np.ndarray, "*#resample head"]
) -> Float[np.ndarray, "*resample"] | float:
    """The mean of the values over the chosen heads less that over the others."""
    others = 1 - chosen
    of_chosen = (chosen * values).sum(axis=-1) / chosen.sum(axis=-1)
    return of_chosen - (others * values).sum(axis=-1) / others.sum(axis=-1)


def worst_less_others(choosing: OfHeads, scoring: OfHeads, count: int) -> Estimate:
    """The mean of a figure over the `count` heads with the smallest effects, less that of others.

    Its resamples are those of the figure, and around them what other effects would have chosen.

    Args:
        choosing: the effects.
        scoring: the figure, of cases that are not those of the effects, or that favour no choice.

    Returns:
        An estimate of as many cases as there are heads, in the figure's unit.
    """
    resamples = min(len(choosing.drawn), len(scoring.drawn))
    chosen = lowest(choosing.values, count)
    again = chosen_less_others(lowest(choosing.drawn[:resamples], count), scoring.values)
    around = chosen_less_others(chosen, scoring.drawn[:resamples]) + again - again.mean()
    value = float(chosen_less_others(chosen, scoring.values))
    return Estimate.of_drawn(value, around, len(scoring.values))
