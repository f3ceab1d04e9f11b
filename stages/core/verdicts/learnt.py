"""Tasks that an encoder has learnt: only those say anything about its heads."""

from collections.abc import Callable
from contextlib import suppress

import pandas as pd

from stages.core.stage.arms import TUNED, Arm
from stages.core.tables import Selection, Table
from stages.core.tasks.metrics import METRICS
from stages.core.tasks.tables import BASELINES, PREDICTIONS
from stages.core.verdicts.measures import Measures, NotMeasured

NotLearnt = Callable[[Measures], list[str]]
OF_ROOMS: list[NotLearnt] = []


def says_not_learnt(function: NotLearnt) -> NotLearnt:
    """Register what a room says of its own data: on which of them the tuned encoder failed."""
    OF_ROOMS.append(function)
    return function


def left_out(measures: Measures) -> list[str]:
    """Tasks, and data of rooms, that claims about the tuned encoder leave out."""
    found = not_learnt(measures)
    for of_room in OF_ROOMS:
        with suppress(NotMeasured):
            found += of_room(measures)
    return found


def not_learnt(measures: Measures, arm: Arm = TUNED) -> list[str]:
    """Tasks on which an arm is no better than saying the same of every example.

    That is the majority class of the training examples (the mean of scores), or the one that is
    most frequent among those it is measured on: on few examples, another one may be.

    Where its predictions do not depend on the input, no head that is off can change them, which
    would look like heads without effect; nor is what tuning changed in it what the task asks for.
    """
    try:
        read = measures.stamps(PREDICTIONS), measures.stamps(BASELINES)
    except NotMeasured:
        return []
    # Claim after claim asks. Whoever asks has read these tables all the same.
    place = "not_learnt", arm, tuple(measures.primary.items()), read
    if place not in measures.kept:
        measures.kept[place] = _not_learnt(measures, arm)
    return list(measures.kept[place])


def _not_learnt(measures: Measures, arm: Arm) -> list[str]:
    runs, baselines = measures.rows(PREDICTIONS), measures.rows(BASELINES)
    own = runs[runs["arm"] == arm]
    majority = baselines[baselines["model"] == "majority"]
    return [task for task in measures.tasks if _is_not_learnt(measures, task, own, majority)]


def _is_not_learnt(
    measures: Measures, task: str, runs: pd.DataFrame, majority: pd.DataFrame
) -> bool:
    """Whether a seed of the task always says the same, or the seeds' mean is no better."""
    own, least = runs[runs["data"] == task], majority[majority["data"] == task]
    if own.empty or least.empty:
        return False
    metric = measures.deciding(task)
    constant = (own.groupby("seed")["prediction"].nunique() == 1).any()
    best = _score(least, metric)
    if metric == "accuracy":
        best = max(best, float(least["label"].value_counts(normalize=True).iloc[0]))
    return bool(constant or _score(own, metric) <= best)


def learnt_rows(measures: Measures, wanted: Table | Selection, arm: Arm = TUNED) -> pd.DataFrame:
    """The rows of one arm with their resamples, without tasks that the arm has not learnt.

    Raises:
        NotMeasured: there is no such row, or no task was learnt.
    """
    rows = measures.rows(wanted.where(arm=arm), drawn=True)
    rows = rows[~rows["data"].isin(not_learnt(measures, arm))]
    if rows.empty:
        raise NotMeasured(f"on no task is the encoder ({arm}) better than the majority class")
    return rows


def _score(predictions: pd.DataFrame, metric: str) -> float:
    """The metric, mean over seeds."""
    seeds = predictions.groupby("seed") if "seed" in predictions else [(None, predictions)]
    values = [
        METRICS[metric](run["label"].to_numpy(), run["prediction"].to_numpy()) for _, run in seeds
    ]
    return float(sum(values) / len(values))
