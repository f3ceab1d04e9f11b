"""Whether two tasks rest on the same heads (Kovaleva et al. 2019, section 5).

The source names two heads on which both STS-B and RTE rest. Which two of many heads are the worst
turns over with a few examples, so no examples at hand show that two pairs are the same. What they
can show is that a task loses more without the heads that another task chose than without others:
examples of one task choose, those of the other score, and nothing favours the chosen.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

import pandas as pd

from stages.core.stage.arms import TUNED, Arm
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.chosen_heads import ablated_heads, of_heads, worst_less_others
from stages.core.verdicts.estimates import Estimate, over_seeds
from stages.core.verdicts.measures import Measures

POINTS = 100


def scored_by(choosing: pd.DataFrame, scoring: pd.DataFrame, count: int) -> Estimate:
    """What one task loses without the heads of another less what it loses without the others.

    Args:
        choosing: one row a head of a fine-tuning: layer, head, examples, and effect with resamples;
            the `count` heads with the smallest effects are chosen.
        scoring: the same of a fine-tuning on the other task.

    Returns:
        In points of the scoring task's metric, below 0 where it loses more.
    """
    scores = of_heads(scoring, "effect")
    loss = worst_less_others(of_heads(choosing, "effect"), scores, count)
    return replace(loss, n=int(scoring["examples"].iloc[0])).scaled(POINTS)


def by_each_other(
    measures: Measures, tasks: Sequence[str], count: int, arm: Arm = TUNED
) -> dict[str, Estimate]:
    """What each of two tasks loses without the heads of the other one; see `scored_by`.

    Raises:
        NotMeasured: one of them is not run, not run in this mode, or not learnt.
    """
    losses = by_heads_of_others(measures, count, arm)
    pairs = list(permutations(tasks, 2))
    if not set(pairs) <= set(losses):
        raise NotMeasured(f"the claim is about {' and '.join(tasks)}, not both run and learnt")
    return {scores: losses[scores, chooses] for scores, chooses in pairs}


def by_heads_of_others(
    measures: Measures, count: int, arm: Arm = TUNED
) -> dict[tuple[str, str], Estimate]:
    """What each learnt task loses without the heads of each other one, in the source's mode.

    The first fine-tuning of one stands beside the first of the other, and so on.

    Returns:
        By the task that scores and the task that chooses; nothing of a task alone.

    Raises:
        NotMeasured: the arm has no such effects, or has learnt no task.
    """
    rows = ablated_heads(measures, arm)
    runs = {
        str(task): [run for _, run in of_task.groupby("seed", sort=False)]
        for task, of_task in rows.groupby("data", sort=False)
    }
    return {
        (scores, chooses): over_seeds(
            [
                scored_by(choosing, scoring, count)
                for choosing, scoring in zip(runs[chooses], runs[scores], strict=False)
            ]
        )
        for scores, chooses in permutations(runs, 2)
    }
