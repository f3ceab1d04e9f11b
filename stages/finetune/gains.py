"""Scores of models, and gains of one model over another, in points: over examples and over seeds.

Claims and pages both have them.
"""

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


def predictions(measures: Measures, wanted: Table | Selection) -> pd.DataFrame:
    """Predictions of models, whose names are in the column `arm`; those without seeds have seed 0.

    Raises:
        NotMeasured: there is none.
    """
    rows = measures.rows(wanted).rename(columns={"model": "arm"})
    return rows if "seed" in rows else rows.assign(seed=0)


def gain(
    metric: str, after: pd.DataFrame, before: pd.DataFrame, resamples: int, seed: int
) -> Estimate:
    """The gain of one model over another; their runs are paired by order of seed.

    Both sides share the resampled examples. A side of fewer runs takes them in turn.

    Args:
        after: predictions on one task: seed, id, label and prediction.
        before: the same of the other model, on the same examples.
    """
    sides = [_of_seeds(metric, side, resamples, seed) for side in (after, before)]
    runs = max(map(len, sides))
    pairs = zip(*(islice(cycle(side), runs) for side in sides), strict=True)
    return over_seeds([difference_of(*pair) for pair in pairs])


def score(metric: str, runs: pd.DataFrame, resamples: int, seed: int) -> Estimate:
    """The metric of one model, mean over its runs, as of another seed and other examples."""
    return over_seeds(_of_seeds(metric, runs, resamples, seed))


def _of_seeds(metric: str, runs: pd.DataFrame, resamples: int, seed: int) -> list[Estimate]:
    """The metric of each run."""
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


def score_rows(runs: pd.DataFrame, metrics: dict[str, list[str]]) -> pd.DataFrame:
    """One row a task, metric and model (`arm`): its score, the numbers of examples and seeds.

    Intervals end where the metric does.

    Args:
        runs: as of `predictions`.
        metrics: of each task.
    """
    rows = []
    for data, metric, of_task in _of_metrics(runs, metrics):
        least = -POINTS if metric in SIGNED else 0
        for arm, run in of_task.groupby("arm", sort=False):
            points = score(metric, run, RESAMPLES, 0)
            low, high = (min(max(end, least), POINTS) for end in (points.low, points.high))
            row = {"data": data, "metric": metric, "arm": arm}
            row |= estimate_columns("score", points.value, low, high)
            rows.append(row | {"examples": points.n, "seeds": run["seed"].nunique()})
    return pd.DataFrame(rows)


def gain_rows(runs: pd.DataFrame, metrics: dict[str, list[str]]) -> pd.DataFrame:
    """One row a task, metric and other model (`over`): the gain of the tuned encoder.

    Args:
        runs: as of `predictions`.
        metrics: of each task.
    """
    rows = []
    for data, metric, of_task in _of_metrics(runs, metrics):
        tuned = of_task[of_task["arm"] == TUNED]
        others = of_task[of_task["arm"] != TUNED] if len(tuned) else tuned
        for other, run in others.groupby("arm", sort=False):
            points = gain(metric, tuned, run, RESAMPLES, 0)
            row = {"data": data, "metric": metric, "over": other}
            rows.append(row | estimate_columns("gain", points.value, points.low, points.high))
    return pd.DataFrame(rows)


def _of_metrics(
    runs: pd.DataFrame, metrics: dict[str, list[str]]
) -> list[tuple[str, str, pd.DataFrame]]:
    """Each task and metric, in the order of `metrics`, with the task's predictions."""
    of_tasks = dict(iter(runs.groupby("data")))
    return [
        (data, metric, of_tasks[data])
        for data, names in metrics.items()
        if data in of_tasks
        for metric in names
    ]
