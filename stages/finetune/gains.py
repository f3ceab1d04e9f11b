"""Scores of models and paired gains of one over another, over examples and seeds.

Claims and pages both have them.
"""

from itertools import cycle

import numpy as np
import pandas as pd

from stages.core.intervals.intervals import draw_samples
from stages.core.tasks.metrics import METRICS, scorer
from stages.core.verdicts.estimates import Estimate, over_seeds

POINTS = 100  # points in a metric of 1


def gain(
    metric: str, after: pd.DataFrame, before: pd.DataFrame, resamples: int, seed: int
) -> Estimate:
    """The gain in points; runs of the two sides are paired by their seed.

    All runs share the resampled examples. A side without seeds stands against every run.

    Args:
        after: predictions with the columns id, label, prediction and, of several runs, seed.
        before: the same; `model` where it has no `seed`.
    """
    label = after.groupby("id")["label"].first()
    labels = label.to_numpy()
    sides = [_predictions(side).loc[label.index].to_numpy().T for side in (after, before)]
    samples = draw_samples(len(labels), resamples, seed)
    drawn_score = scorer(metric, labels[samples])

    def scores(runs: np.ndarray) -> list[tuple[float, np.ndarray]]:
        return [(float(METRICS[metric](labels, run)), drawn_score(run[samples])) for run in runs]

    many, few = sorted((scores(side) for side in sides), key=len, reverse=True)
    sign = 1 if len(sides[0]) >= len(sides[1]) else -1
    runs = [
        Estimate.of_drawn(value - other, drawn - other_drawn, len(labels)).scaled(sign * POINTS)
        for (value, drawn), (other, other_drawn) in zip(many, cycle(few), strict=False)
    ]
    return over_seeds(runs)


def score(metric: str, runs: pd.DataFrame, resamples: int, seed: int) -> Estimate:
    """The metric in points, mean over the runs, as of another seed and other examples."""
    label = runs.groupby("id")["label"].first()
    labels = label.to_numpy()
    samples = draw_samples(len(labels), resamples, seed)
    drawn_score = scorer(metric, labels[samples])
    values = _predictions(runs).loc[label.index].to_numpy().T
    return over_seeds(
        [
            Estimate.of_drawn(
                float(METRICS[metric](labels, run)), drawn_score(run[samples]), len(labels)
            ).scaled(POINTS)
            for run in values
        ]
    )


def columns(found: Estimate) -> dict[str, float]:
    """The value and its limits, by the names of a table's columns."""
    return {"value": found.value, "low": found.low, "high": found.high}


def _predictions(runs: pd.DataFrame) -> pd.DataFrame:
    """Predictions [example, seed]; a model without seeds is one column."""
    runs_by = "seed" if "seed" in runs else "model"
    return runs.pivot(index="id", columns=runs_by, values="prediction")
