"""What tuning gains (Kovaleva et al. 2019, section 4.3, Table 1; query-title study, section 1).

Gains are in points, over the examples of a task's validation split.
"""

import numpy as np
import pandas as pd

from stages.core.intervals.intervals import bootstrap
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.tasks.metrics import METRICS
from stages.core.tasks.tables import BASELINES, PREDICTIONS
from stages.core.tasks.task import REGRESSION_METRICS
from stages.core.verdicts.answers import Answer, decided_by_task
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.estimates import Estimate, mean_of, smallest
from stages.core.verdicts.measures import Measures, NotMeasured

POINTS = 100  # points in a metric of 1


@measure
def gain_of_tuning(measures: Measures, settings: Settings, arm: str) -> Answer:
    """Tuned from pretrained weights minus `arm`, mean over the tasks, as in Table 1."""
    gains = _gains(measures, settings, arm)
    return Answer(mean_of(list(gains.values())), gains)


@measure
def gain_of_pretraining(measures: Measures, settings: Settings) -> Answer:
    """Tuned from pretrained weights minus from random ones, on the task of least gain (Table 1)."""
    gains = _gains(measures, settings, TUNED_FROM_RANDOM)
    return Answer(smallest(list(gains.values())), gains)


@measure
def gain_over_baseline(measures: Measures, settings: Settings, model: str, task: str) -> Answer:
    """Tuned from pretrained weights minus a baseline, on `task`; no other task will do.

    The gain is of the task's primary metric.
    """
    runs = measures.frame(PREDICTIONS)
    baselines = measures.frame(BASELINES)
    tuned = runs[runs["arm"] == TUNED]
    gains = {}
    for name in measures.tasks:
        before = baselines[(baselines["task"] == name) & (baselines["model"] == model)]
        after = tuned[tuned["task"] == name]
        if len(before) and len(after):
            gains[name] = _gain(measures.primary[name], after, before, settings)
    return decided_by_task(task, gains)


@summary("finetune")
def scores(measures: Measures) -> dict:
    """The primary metric of every task and arm, mean over seeds."""
    runs = measures.frame(PREDICTIONS)
    table: dict = {}
    for (task, arm), rows in runs.groupby(["task", "arm"], sort=False):
        metric = measures.primary[task]
        values = [
            METRICS[metric](run["label"].to_numpy(), run["prediction"].to_numpy())
            for _, run in rows.groupby("seed")
        ]
        table.setdefault(task, {})[arm] = {metric: float(np.mean(values))}
    return table


def _gains(measures: Measures, settings: Settings, arm: str) -> dict[str, Estimate]:
    runs = measures.frame(PREDICTIONS)
    gains = {}
    for task, rows in runs.groupby("task", sort=False):
        before, after = rows[rows["arm"] == arm], rows[rows["arm"] == TUNED]
        if len(before) and len(after):
            gains[task] = _gain(_of_table_1(measures.primary[task]), after, before, settings)
    if not gains:
        raise NotMeasured(f"no task was tuned in both arms, {arm} and {TUNED}")
    return gains


def _of_table_1(primary: str) -> str:
    """What the averages of Table 1 are of: correlation for scores, accuracy for classes."""
    return primary if primary in REGRESSION_METRICS else "accuracy"


def _gain(metric: str, after: pd.DataFrame, before: pd.DataFrame, settings: Settings) -> Estimate:
    """Mean over seeds of the gain; all seeds and both arms share the resampled examples."""
    label = after.groupby("id")["label"].first()
    sides = [_predictions(side).loc[label.index].to_numpy().T for side in (before, after)]
    before_count = len(sides[0])

    def gain(labels: np.ndarray, *predictions: np.ndarray) -> np.ndarray | float:
        values = [METRICS[metric](labels, run) for run in predictions]
        return np.mean(values[before_count:], axis=0) - np.mean(values[:before_count], axis=0)

    interval = bootstrap(
        gain, (label.to_numpy(), *sides[0], *sides[1]), settings.resamples, settings.seed
    )
    return Estimate.of(interval, len(label), scale=POINTS)


def _predictions(runs: pd.DataFrame) -> pd.DataFrame:
    """Predictions [example, seed]; a model without seeds is one column."""
    columns = "seed" if "seed" in runs else "model"
    return runs.pivot(index="id", columns=columns, values="prediction")
