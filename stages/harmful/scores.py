"""What the encoder scores without the heads that the other half chose, and without random ones.

The score of a half is that without the heads that the other half chose; the mean is over both
halves and over the divisions. Its interval is of the mean gain of the very sets that were chosen,
as that of a k-fold test error is of the very models that were fitted (Bayle et al. 2020): resamples
draw examples, and of random heads the sets as well. That both halves choose for each other makes it
wider by a factor (`choices.widening`). Simulated where no head hurts and where some do, it covers
as it should (tests/harmful/test_scores.py).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int

from stages.core.intervals.intervals import percentile_interval
from stages.core.losses import losses
from stages.core.outcomes.deciding import effect_metrics
from stages.core.outcomes.outcomes import Outcomes
from stages.core.outcomes.paired import draw_weights, one_more_each_way
from stages.core.outcomes.weighted import weighted_scores
from stages.core.tables import drawn_of, estimate_columns
from stages.core.tasks.metrics import predictions_from_logits
from stages.core.tasks.task import Task
from stages.harmful.calibration import weighted_calibration
from stages.harmful.tables import CALIBRATION, LOSS

Logits = Float[np.ndarray, "gate example class"]
Labels = Float[np.ndarray, " example"]
Lines = Float[np.ndarray, " line"]  # the data's value, and behind it those of the resamples
# A figure of every gate's logits under every weighting of the examples.
Figure = Callable[[Logits, Labels, np.ndarray], Float[np.ndarray, "gate draw"]]


@dataclass(frozen=True)
class Cut:
    """The logits of a task's examples with all heads on, and without sets of heads.

    Attributes:
        sides: 0 or 1 for each example, its half of each division.
        chosen: without the heads that each half of each division chose.
        random: without sets of random heads, of the examples `random_rows`.
        widening: of the intervals of what was chosen, as both halves choose for each other.
    """

    labels: Labels
    full: Float[np.ndarray, "example class"]
    sides: Int[np.ndarray, "division example"]
    chosen: Float[np.ndarray, "division 2 example class"]
    random_rows: Int[np.ndarray, " some"]
    random: Float[np.ndarray, "set some class"]
    widening: float = 1.0

    def held_out(self) -> Float[np.ndarray, "division example class"]:
        """Logits of each example without the heads that the half without it chose."""
        rows = np.arange(len(self.labels))
        divisions = zip(self.chosen, self.sides, strict=True)
        return np.stack([sets[1 - side, rows] for sets, side in divisions])


def example_losses(
    logits: Float[np.ndarray, "*gate example class"], labels: Labels, kind: str
) -> Float[np.ndarray, "*gate example"]:
    """The loss of each example: cross-entropy in nats, or squared error."""
    targets = torch.tensor(labels).expand(logits.shape[:-1])
    return losses(torch.from_numpy(logits), targets, kind).double().numpy()


def figures(task: Task, bins: int) -> dict[str, Figure]:
    """The figures of a task: loss, the metric that decides, its first metric, calibration."""

    def loss(logits: Logits, labels: Labels, weights: np.ndarray) -> np.ndarray:
        of_examples = example_losses(logits, labels, task.kind)
        return of_examples @ weights.T / weights.sum(axis=1)

    def of_metric(metric: str, logits: Logits, labels: Labels, weights: np.ndarray) -> np.ndarray:
        return weighted_scores(metric, labels, predictions_from_logits(logits, task.kind), weights)

    def calibration(logits: Logits, labels: Labels, weights: np.ndarray) -> np.ndarray:
        return weighted_calibration(logits, labels, task.kind, bins, weights)

    of_metrics = {metric: partial(of_metric, metric) for metric in effect_metrics(task)}
    return {LOSS: loss, **of_metrics, CALIBRATION: calibration}


@dataclass(frozen=True)
class Scores:
    """A figure on halves that did not choose, mean over halves and divisions.

    `full` with all heads on, `change` without the chosen heads, `random` without random ones;
    `change_where_chosen` is what the choice promised on the half that made it.
    """

    full: Lines
    change: Lines
    random: Lines
    change_where_chosen: float


def score(
    cut: Cut,
    figure: Figure,
    weights: Float[np.ndarray, "line example"],
    of_sets: Float[np.ndarray, "line set"],
) -> Scores:
    """A figure of `cut` under each weighting of the examples, of which the first is of the data.

    Args:
        of_sets: how much each set of random heads counts, in sum 1.
    """
    measured, promised = [], []
    for side, sets in zip(cut.sides, cut.chosen, strict=True):
        for half in (0, 1):
            in_half = weights * (side == half)
            logits = np.stack([cut.full, sets[1 - half]])
            full, without = figure(logits, cut.labels, in_half)
            few = cut.random_rows
            logits = np.concatenate([cut.full[None, few], cut.random])
            before_random, *random = figure(logits, cut.labels[few], in_half[:, few])
            mean = (np.stack(random, axis=1) * of_sets).sum(axis=1)
            measured.append([full, without - full, mean - before_random])
            before, after = figure(
                np.stack([cut.full, sets[half]]), cut.labels, in_half[:1].astype(float)
            )
            promised.append(float((after - before)[0]))
    return Scores(*np.mean(measured, axis=0), float(np.mean(promised)))


def widened(lines: Float[np.ndarray, "*measure line"], factor: float) -> np.ndarray:
    """The resamples of a line, `factor` times as far from its first, the value of the data."""
    value = lines[..., :1]
    return value + factor * (lines[..., 1:] - value)


def score_table(
    cut: Cut, task: Task, bins: int, resamples: int, seed: int, stream: Sequence[int]
) -> pd.DataFrame:
    """One row a figure.

    Args:
        stream: numbers that tell the arms apart in what `one_more_each_way` adds.

    Returns:
        figure, examples, full, cut, change_where_chosen, and with their limits change, random and
        beyond (change less random); full, change and random on resamples. Metrics are shares, the
        loss is in nats or squared errors.
    """
    count = len(cut.labels)
    weights = draw_weights(count, resamples, seed)
    weights = np.concatenate([np.ones((1, count)), weights])
    sets = len(cut.random)
    of_sets = np.concatenate([np.ones((1, sets)), draw_weights(sets, resamples, seed)]) / sets
    rows = []
    for name, figure in figures(task, bins).items():
        measured = score(cut, figure, weights, of_sets)
        none = np.empty((0, count))
        counted = Outcomes(pd.DataFrame(), name, cut.labels, cut.labels, none)
        added = one_more_each_way(counted, 1, resamples, (seed, *stream, 7))[0]
        change, random = widened(measured.change, cut.widening) + added, measured.random[1:]
        rows.append(
            {
                "figure": name,
                "examples": count,
                "full": measured.full[0],
                "cut": measured.full[0] + measured.change[0],
                "change_where_chosen": measured.change_where_chosen,
                **estimate_columns("change", measured.change[0], *percentile_interval(change)),
                **estimate_columns("random", measured.random[0], *percentile_interval(random)),
                **estimate_columns(
                    "beyond",
                    measured.change[0] - measured.random[0],
                    *percentile_interval(change - random),
                ),
                drawn_of("full"): measured.full[1:],
                drawn_of("change"): change,
                drawn_of("random"): random,
            }
        )
    return pd.DataFrame(rows)
