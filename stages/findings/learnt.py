"""Which tasks the tuned encoder has learnt: only those say anything about its heads."""

import pandas as pd

from stages.core.measures import Measures, NotMeasured
from stages.core.metrics import METRICS

RUNS = "finetune/{task}-{arm}-{seed}.parquet"
BASELINES = "baseline/{task}.parquet"


def not_learnt(measures: Measures) -> list[str]:
    """Tasks on which the tuned encoder is no better than the majority class (the mean of scores).

    Its predictions do not change when a head is off, which would look like a head without effect.
    """
    try:
        runs, baselines = measures.frame(RUNS), measures.frame(BASELINES)
    except NotMeasured:
        return []
    tuned = runs[runs["arm"] == "pretrained"]
    majority = baselines[baselines["model"] == "majority"]
    return [
        task
        for task in measures.tasks
        if (own := tuned[tuned["task"] == task]).size
        and (least := majority[majority["task"] == task]).size
        and _score(own, measures.primary[task]) <= _score(least, measures.primary[task])
    ]


def of_learnt_tasks(measures: Measures, pattern: str) -> pd.DataFrame:
    """As `Measures.frame`, without the tasks that are `not_learnt`.

    Raises:
        NotMeasured: there is no such file, or no task was learnt.
    """
    rows = measures.frame(pattern)
    rows = rows[~rows["task"].isin(not_learnt(measures))]
    if rows.empty:
        raise NotMeasured("on no task is the tuned encoder better than the majority class")
    return rows


def _score(predictions: pd.DataFrame, metric: str) -> float:
    """The metric, mean over seeds."""
    seeds = predictions.groupby("seed") if "seed" in predictions else [(None, predictions)]
    values = [
        METRICS[metric](run["label"].to_numpy(), run["prediction"].to_numpy()) for _, run in seeds
    ]
    return float(sum(values) / len(values))
