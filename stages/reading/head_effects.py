"""Heads through which an attack works: its effect with each head ablated, minus that with all.

Beyond Si et al. 2019. The effect of an attack is the outcome of a question under it minus the
outcome of the intact question at the same cut. If the attack works through a head, it costs less
when the head is ablated. It also costs less without a head that the reader needs for all questions.
Therefore the changes on attacked questions (then answered better) and on intact ones are measured,
too.
"""

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from stages.core.intervals.groups import resampled_means
from stages.core.intervals.held_out import held_out
from stages.core.tables import estimate_columns
from stages.reading.tables import (
    ATTACKED,
    CHANGES,
    EFFECT,
    OUTCOMES_OF_HEADS,
    PROBABILITY,
    UNTOUCHED,
)

# Both outcomes of intact and of attacked questions, with all heads and then with each ablated.
WithHeads = Float[np.ndarray, "outcome version state question"]
INTACT_VERSION, ATTACKED_VERSION = 0, 1
Changes = Float[np.ndarray, "question head"]


def changes_of(
    outcomes: Float[np.ndarray, "version state question"],
) -> dict[str, Changes]:
    """The change of each question by each ablated head, by the names of `CHANGES`."""
    less = outcomes[:, 1:] - outcomes[:, :1]
    attacked, untouched = less[ATTACKED_VERSION].T, less[INTACT_VERSION].T
    return {EFFECT: attacked - untouched, ATTACKED: attacked, UNTOUCHED: untouched}


def effects_table(
    outcomes: WithHeads, heads: int, groups: Int[np.ndarray, " question"], resamples: int, seed: int
) -> pd.DataFrame:
    """One row a head: the values of `HEADS`, in probability of the right option.

    Args:
        heads: number of heads of a layer.
        groups: questions of one passage are drawn together.
    """
    changes = changes_of(outcomes[OUTCOMES_OF_HEADS.index(PROBABILITY)])
    layer, head = np.divmod(np.arange(outcomes.shape[2] - 1), heads)
    table = {"layer": layer, "head": head, "examples": outcomes.shape[-1]}
    for name in CHANGES:
        means = resampled_means(changes[name].T, groups, resamples, seed)
        table |= estimate_columns(name, means.value, means.low, means.high)
    return pd.DataFrame(table)


def choices_table(
    outcomes: WithHeads, heads: int, groups: Int[np.ndarray, " question"], resamples: int, seed: int
) -> pd.DataFrame:
    """One row an outcome and change: the values of `CHOICES`.

    Args:
        heads: number of heads of a layer.
        groups: passages, which are divided into halves and resampled.
    """
    rows = []
    for outcome, of_outcome in zip(OUTCOMES_OF_HEADS, outcomes, strict=True):
        changes = changes_of(of_outcome)
        for name in (EFFECT, ATTACKED):
            no_head = np.zeros((len(groups), 1))  # the rival: it changes nothing
            choice = held_out(changes[name], no_head, groups, resamples, seed)
            layer, head = divmod(choice.best, heads)
            keys = {"outcome": outcome, "change": name, "layer": layer, "head": head}
            rows.append(keys | choice.row())
    return pd.DataFrame(rows)
