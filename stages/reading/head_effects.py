"""Through which heads an attack goes: its effect with each head off, less that with all on.

Beyond Si et al. 2019. The effect of an attack is the outcome of a question under it less that of
the same question intact, at the same cut of the passage. A head through which the attack goes makes
it cost less when it is off. One without which the reader knows nothing does so too: therefore it
stands beside what the head off changes on attacked questions, which are then answered better, and
on intact ones.
"""

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from stages.core.intervals.groups import resampled_means
from stages.core.intervals.held_out import held_out
from stages.core.stage.tables import interval_columns
from stages.reading.tables import (
    ATTACKED,
    CHANGES,
    EFFECT,
    OUTCOMES_OF_HEADS,
    PROBABILITY,
    UNTOUCHED,
)

# Both outcomes of intact and of attacked questions, with every head on and then each one off.
WithHeads = Float[np.ndarray, "outcome version state question"]
INTACT_VERSION, ATTACKED_VERSION = 0, 1
Changes = Float[np.ndarray, "question head"]


def changes_of(
    outcomes: Float[np.ndarray, "version state question"],
) -> dict[str, Float[np.ndarray, "question head"]]:
    """What each head off changes on each question, by the names of `CHANGES`."""
    less = outcomes[:, 1:] - outcomes[:, :1]
    attacked, untouched = less[ATTACKED_VERSION].T, less[INTACT_VERSION].T
    return {EFFECT: attacked - untouched, ATTACKED: attacked, UNTOUCHED: untouched}


def heads_table(
    outcomes: WithHeads, heads: int, groups: Int[np.ndarray, " question"], resamples: int, seed: int
) -> pd.DataFrame:
    """One row a head: mean changes of the probability of the right option, with 95% intervals.

    Args:
        heads: of a layer.
        groups: questions of one passage are drawn together.
    """
    changes = changes_of(outcomes[OUTCOMES_OF_HEADS.index(PROBABILITY)])
    layer, head = np.divmod(np.arange(outcomes.shape[2] - 1), heads)
    table = {"layer": layer, "head": head}
    for name in CHANGES:
        found = resampled_means(changes[name].T, groups, resamples, seed)
        table |= interval_columns(name, found.value, found.low, found.high)
    return pd.DataFrame(table).assign(examples=outcomes.shape[-1])


def choices_table(
    outcomes: WithHeads, heads: int, groups: Int[np.ndarray, " question"], resamples: int, seed: int
) -> tuple[pd.DataFrame, Float[np.ndarray, "column row resample"]]:
    """One row an outcome and change: the head of the largest, chosen on the other half.

    Args:
        heads: of a layer.
        groups: passages, of which halves are made, and which are resampled.

    Returns:
        The rows, and the resamples of `CHOICE_RESAMPLED`.
    """
    rows, drawn = [], []
    for outcome, of_outcome in zip(OUTCOMES_OF_HEADS, outcomes, strict=True):
        changes = changes_of(of_outcome)
        for name in (EFFECT, ATTACKED):
            # The rival is no head off, which changes nothing.
            none = np.zeros((len(groups), 1))
            choice = held_out(changes[name], none, groups, resamples, seed)
            layer, head = divmod(choice.best, heads)
            place = {"outcome": outcome, "change": name, "layer": layer, "head": head}
            rows.append(place | choice.columns())
            drawn.append(choice.drawn)
    return pd.DataFrame(rows), np.stack(drawn, axis=1)
