"""Whether the same heads hurt again: on other seeds of a task, and on other tasks.

What one fine-tuning chose is scored on another, each head alone, on examples that chose nothing: of
another seed of the same task on the other half, as both are of the same examples. The interval over
seeds is a jackknife (each seed left out once, a t interval of its few values), to which that of
the examples adds in quadrature. Losses have other units on other tasks, so changes are in percent
of the loss with all heads on.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import scipy  # whose submodules load when they are first used
from jaxtyping import Bool, Float

from stages.core.intervals.intervals import LEVEL, Interval
from stages.core.tables import drawn_of
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.estimates import Estimate, mean_on_same_examples, over_seeds

PERCENT = 100


@dataclass(frozen=True)
class OfRun:
    """The heads of one fine-tuning on the halves of each division.

    `losses` are changes without each head alone in percent of the half's loss with all heads on;
    `drawn` the same on resamples.
    """

    chosen: Bool[np.ndarray, "division 2 head"]
    losses: Float[np.ndarray, "division 2 head"]
    drawn: Float[np.ndarray, "division 2 head resample"]
    examples: int


def of_run(rows: pd.DataFrame) -> OfRun:
    """The rows of one run of the table `HALVES`, read with its resamples."""
    rows = rows.sort_values(["division", "half", "layer", "head"])
    shape = (rows["division"].nunique(), 2, -1)
    scale = PERCENT / rows["full"].to_numpy()
    drawn = np.stack(list(rows[drawn_of("loss")])).astype(float) * scale[:, None]
    return OfRun(
        rows["chosen"].to_numpy(dtype=bool).reshape(shape),
        (rows["loss"].to_numpy() * scale).reshape(shape),
        drawn.reshape(*shape, drawn.shape[1]),
        int(rows.groupby(["division", "half"])["examples"].first().groupby("division").sum().max()),
    )


def in_percent(row: dict[str, Any], name: str) -> Estimate:
    """A change in percent of the figure with all heads, both on the same resamples.

    Args:
        row: of the table `SCORES`, with its resamples.
    """
    drawn = row[drawn_of(name)].astype(float) / row[drawn_of("full")]
    return Estimate.of_drawn(row[name] / row["full"], drawn, int(row["examples"])).scaled(PERCENT)


def runs_of(rows: pd.DataFrame) -> dict[int, OfRun]:
    """The runs of one task, by seed."""
    return {int(seed): of_run(heads) for seed, heads in rows.groupby("seed", sort=False)}


# What one run's choice says of another: of one half's choice and the other half's losses.
Compare = Callable[[OfRun, OfRun, int, int], float | Float[np.ndarray, " resample"]]


def loss_without(choosing: OfRun, scoring: OfRun, division: int, half: int) -> float:
    """The mean change of the other's loss without each head that the half of the one chose."""
    return _mean(scoring.losses[division, 1 - half], choosing.chosen[division, half])


def drawn_loss_without(
    choosing: OfRun, scoring: OfRun, division: int, half: int
) -> Float[np.ndarray, " resample"]:
    """`loss_without` on resamples of the examples that score."""
    return _mean(scoring.drawn[division, 1 - half], choosing.chosen[division, half])


def overlap(choosing: OfRun, scoring: OfRun, division: int, half: int) -> float:
    """The share of the one's chosen heads that the other half of the other chose, beyond chance."""
    heads, others = choosing.chosen[division, half], scoring.chosen[division, 1 - half]
    return float(others[heads].mean() - others.mean()) if heads.any() else np.nan


def rank_correlation(choosing: OfRun, scoring: OfRun, division: int, half: int) -> float:
    """Spearman over heads, of effects on the one's half and on the other's other half."""
    ranks = [
        scipy.stats.rankdata(losses)
        for losses in (choosing.losses[division, half], scoring.losses[division, 1 - half])
    ]
    return float(np.corrcoef(ranks)[0, 1])


def between_seeds(runs: Sequence[OfRun], compare: Compare) -> np.ndarray:
    """A comparison of every run with every other, mean over halves and divisions.

    Returns:
        [one, other], or [one, other, resample]; NaN of a run with itself.
    """
    places = [(division, half) for division in range(len(runs[0].losses)) for half in (0, 1)]
    pairs = {
        (row, column): np.nanmean(
            [compare(runs[row], runs[column], *cell) for cell in places], axis=0
        )
        for row, column in permutations(range(len(runs)), 2)
    }
    example = next(iter(pairs.values()))
    compared = np.full((len(runs), len(runs), *np.shape(example)), np.nan)
    for cell, value in pairs.items():
        compared[cell] = value
    return compared


def jackknife(pairs: Float[np.ndarray, "seed seed"]) -> Interval:
    """The mean over pairs of different seeds, with its interval over seeds.

    Leaving out each of n seeds gives n means; (n - 1) / n times the sum of their squared deviations
    is the variance, and t has n - 1 degrees of freedom. Two seeds have but one pair: no interval.
    """
    count = len(pairs)
    value = float(np.nanmean(pairs))
    if count < 3:
        return Interval(value, np.nan, np.nan)
    subsets = [np.delete(np.delete(pairs, seed, 0), seed, 1) for seed in range(count)]
    without = np.array([np.nanmean(subset) for subset in subsets])
    error = np.sqrt((count - 1) / count * np.sum((without - without.mean()) ** 2))
    half_width = error * scipy.stats.t.isf((1 - LEVEL) / 2, count - 1)
    return Interval(value, value - half_width, value + half_width)


def on_other_seeds(runs: Sequence[OfRun]) -> Estimate:
    """The loss without the heads that other seeds chose, each alone, in percent.

    Raises:
        NotMeasured: there are fewer than three seeds.
    """
    if len(runs) < 3:
        raise NotMeasured("no task has three seeds, which an interval over seeds needs")
    seeds = jackknife(between_seeds(runs, loss_without))
    drawn = np.nanmean(between_seeds(runs, drawn_loss_without), axis=(0, 1))
    examples = Estimate.of_drawn(seeds.value, drawn, runs[0].examples)
    return Estimate(
        seeds.value,
        seeds.value - np.hypot(seeds.value - examples.low, seeds.value - seeds.low),
        seeds.value + np.hypot(examples.high - seeds.value, seeds.high - seeds.value),
        runs[0].examples,
    )


def on_another_task(choosing: OfRun, scoring: OfRun) -> Estimate:
    """The loss on a task without the heads that another one's halves chose, each alone, in percent.

    Raises:
        NotMeasured: the other task chose no heads.
    """
    sets = [heads for division in choosing.chosen for heads in division if heads.any()]
    if not sets:
        raise NotMeasured("no head hurts the other task")
    losses, drawn = scoring.losses.mean(axis=(0, 1)), scoring.drawn.mean(axis=(0, 1))
    value = np.mean([_mean(losses, heads) for heads in sets])
    lines = np.mean([_mean(drawn, heads) for heads in sets], axis=0)
    return Estimate.of_drawn(value, lines, scoring.examples)


def between_tasks(tasks: dict[str, dict[int, OfRun]]) -> dict[tuple[str, str], Estimate]:
    """`on_another_task` over seeds, by the task that scores and the task that chooses.

    The first fine-tuning of one stands beside the first of the other, and so on.
    """
    compared = {}
    for scores, chooses in permutations(tasks, 2):
        pairs = zip(tasks[chooses].values(), tasks[scores].values(), strict=False)
        try:
            compared[scores, chooses] = over_seeds([on_another_task(*pair) for pair in pairs])
        except NotMeasured:
            continue
    return compared


def on_other_tasks(tasks: dict[str, dict[int, OfRun]]) -> dict[str, Estimate]:
    """Of each task, the mean of `between_tasks` over the other tasks that choose."""
    pairs = between_tasks(tasks)
    compared = {
        task: [estimate for (scores, _), estimate in pairs.items() if scores == task]
        for task in tasks
    }
    return {task: mean_on_same_examples(parts) for task, parts in compared.items() if parts}


def _mean(values: np.ndarray, chosen: Bool[np.ndarray, " head"]) -> float | np.ndarray:
    """The mean over the chosen heads; unknown where there is none."""
    if not chosen.any():
        return np.full(values.shape[1:], np.nan)[()]
    return values[chosen].mean(axis=0)
