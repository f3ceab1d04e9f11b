"""Scores of models, and gains of one model over another, in points: over examples and over seeds.

Claims and pages both have them.
"""

from collections.abc import Sequence
from itertools import cycle, islice

import pandas as pd

from stages.core.intervals.intervals import draw_samples
from stages.core.stage.arms import TUNED
from stages.core.tables import Selection, Table, estimate_columns
from stages.core.tasks.metrics import METRICS, scorer
from stages.core.verdicts.estimates import Estimate, difference_of, over_seeds
from stages.core.verdicts.measures import Measures

POINTS = 100  # points in a metric of 1
SIGNED = ("matthews", "pearson", "spearman")  # metrics that can be below 0
RESAMPLES = 1000  # on pages
# Of each task and metric the scores of each model, by its seeds.
Scores = dict[tuple[str, str], dict[str, list[Estimate]]]


def predictions(measures: Measures, wanted: Table | Selection) -> pd.DataFrame:
    """Predictions of models, whose names are in the column `arm`; those without seeds have seed 0.

    Raises:
        NotMeasured: there is none.
    """
    rows = measures.rows(wanted).rename(columns={"model": "arm"})
    return rows if "seed" in rows else rows.assign(seed=0)


def scores_of_seeds(metric: str, runs: pd.DataFrame, resamples: int, seed: int) -> list[Estimate]:
    """The metric of each run of a model, in order of seed; all models share the resamples.

    Args:
        runs: predictions on one task.
    """
    labels = runs.groupby("id")["label"].first().to_numpy()
    predicted = runs.pivot(index="id", columns="seed", values="prediction").to_numpy().T
    samples = draw_samples(len(labels), resamples, seed)
    drawn_score = scorer(metric, labels[samples])
    return [
        Estimate.of_drawn(
            float(METRICS[metric](labels, run)), drawn_score(run[samples]), len(labels)
        ).scaled(POINTS)
        for run in predicted
    ]


def gain(after: Sequence[Estimate], before: Sequence[Estimate]) -> Estimate:
    """The gain of one model over another, over examples and seeds.

    Their runs are paired by order of seed; the side of fewer runs takes them in turn.

    Args:
        after: as of `scores_of_seeds`.
        before: the same of the other model, on the same examples.
    """
    runs = max(len(after), len(before))
    pairs = zip(*(islice(cycle(side), runs) for side in (after, before)), strict=True)
    return over_seeds([difference_of(*pair) for pair in pairs])


def scores_of(runs: pd.DataFrame, metrics: dict[str, list[str]]) -> Scores:
    """The scores of all models on each task.

    Args:
        runs: as of `predictions`.
        metrics: of each task; its order is that of the result.
    """
    of_tasks = dict(iter(runs.groupby("data")))
    return {
        (data, metric): {
            arm: scores_of_seeds(metric, run, RESAMPLES, 0)
            for arm, run in of_tasks[data].groupby("arm", sort=False)
        }
        for data, names in metrics.items()
        if data in of_tasks
        for metric in names
    }


def score_rows(scores: Scores) -> pd.DataFrame:
    """One row a task, metric and model (`arm`): its score, the numbers of examples and seeds.

    Intervals end where the metric does.
    """
    rows = []
    for (data, metric), of_arms in scores.items():
        least = -POINTS if metric in SIGNED else 0
        for arm, of_seeds in of_arms.items():
            points = over_seeds(of_seeds)
            low, high = (min(max(end, least), POINTS) for end in (points.low, points.high))
            row = {"data": data, "metric": metric, "arm": arm}
            row |= estimate_columns("score", points.value, low, high)
            rows.append(row | {"examples": points.n, "seeds": len(of_seeds)})
    return pd.DataFrame(rows)


def gain_rows(scores: Scores) -> pd.DataFrame:
    """One row a task, metric and other model (`over`): the gain of the tuned encoder."""
    rows = []
    for (data, metric), of_arms in scores.items():
        for arm, of_seeds in of_arms.items():
            if arm == TUNED or TUNED not in of_arms:
                continue
            points = gain(of_arms[TUNED], of_seeds)
            row = {"data": data, "metric": metric, "over": arm}
            rows.append(row | estimate_columns("gain", points.value, points.low, points.high))
    return pd.DataFrame(rows)
