"""What tuning gains (Kovaleva et al. 2019, section 4.3, Table 1; query-title study, section 1).

Gains are in points, over the examples of a task's validation split.
"""

from dataclasses import replace
from itertools import cycle

import numpy as np
import pandas as pd

from stages.core.intervals.intervals import draw_samples
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM, UNTUNED
from stages.core.tasks.metrics import METRICS, scorer
from stages.core.tasks.tables import BASELINES, PREDICTIONS
from stages.core.verdicts.answers import Answer, NotMeasured, decided_by_task
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.estimates import Estimate, largest, mean_of, over_seeds, smallest
from stages.core.verdicts.learnt import not_learnt
from stages.core.verdicts.measures import Measures, fine_tunings

POINTS = 100  # points in a metric of 1


@measure
def gain_of_tuning(measures: Measures, settings: Settings, arm: str) -> Answer:
    """Tuned from pretrained weights minus `arm`, mean over the tasks, as in Table 1."""
    gains = _gains(measures, settings, arm, measures.tasks)
    return _of_models(mean_of(list(gains.values())), gains, measures)


@measure
def gain_of_pretraining(measures: Measures, settings: Settings) -> Answer:
    """Tuned from pretrained weights minus from random ones, on the task of least gain (Table 1).

    A task that the encoder of random weights has not learnt is left out: nothing is compared there.
    """
    unlearnt = not_learnt(measures, TUNED_FROM_RANDOM)
    learnt = [task for task in measures.tasks if task not in unlearnt]
    if not learnt:
        raise NotMeasured("on no task has the encoder that began at random learnt anything")
    gains = _gains(measures, settings, TUNED_FROM_RANDOM, learnt)
    return _of_models(smallest(list(gains.values())), gains, measures)


@measure
def random_over_untuned(measures: Measures, settings: Settings, tasks: list[str]) -> Answer:
    """Tuned from random weights minus the untuned encoder, on the task where it is largest.

    Args:
        tasks: those that the claim is about; all of them must be run.
    """
    if lacking := [task for task in tasks if task not in measures.tasks]:
        raise NotMeasured(f"it is about {' and '.join(tasks)}; {' and '.join(lacking)} did not run")
    gains = _gains(measures, settings, UNTUNED, tasks, after=TUNED_FROM_RANDOM)
    return _of_models(largest(list(gains.values())), gains, measures)


@measure
def gain_over_baseline(measures: Measures, settings: Settings, model: str, task: str) -> Answer:
    """Tuned from pretrained weights minus a baseline, on `task`; no other task will do."""
    tuned, baselines = _tuned(measures), measures.frame(BASELINES)
    gains = {}
    for name in measures.tasks:
        before = baselines[(baselines["task"] == name) & (baselines["model"] == model)]
        after = tuned[tuned["task"] == name]
        if len(before) and len(after):
            gains[name] = _gain(measures.deciding(name), after, before, settings)
    found = decided_by_task(task, gains)
    return replace(_of_models(found.pooled, gains, measures), decided_on=task)


def _of_models(pooled: Estimate, gains: dict[str, Estimate], measures: Measures) -> Answer:
    """An answer about whole models: random weights are among the arms, so none stand beside."""
    return Answer(
        pooled,
        gains,
        arm=TUNED,
        seeds=fine_tunings(_tuned(measures), gains),
        uncontrolled="the claim is about whole models, and compares them itself",
    )


@summary("finetune")
def scores(measures: Measures) -> dict:
    """The primary metric of every task and arm, mean over seeds, and the deciding one beside."""
    runs = measures.frame(PREDICTIONS)
    table: dict = {}
    for (task, arm), rows in runs.groupby(["task", "arm"], sort=False):
        cell = table.setdefault(task, {}).setdefault(arm, {})
        for metric in (measures.primary[task], measures.deciding(task)):
            values = [
                METRICS[metric](run["label"].to_numpy(), run["prediction"].to_numpy())
                for _, run in rows.groupby("seed")
            ]
            cell[metric] = float(np.mean(values))
    return table


def _tuned(measures: Measures) -> pd.DataFrame:
    runs = measures.frame(PREDICTIONS)
    return runs[runs["arm"] == TUNED]


def _gains(
    measures: Measures, settings: Settings, before: str, tasks: list[str], after: str = TUNED
) -> dict[str, Estimate]:
    """The arm `after` minus the arm `before`, for each task that has both."""
    runs = measures.frame(PREDICTIONS)
    gains = {}
    for task in tasks:
        rows = runs[runs["task"] == task]
        sides = [rows[rows["arm"] == arm] for arm in (after, before)]
        if all(len(side) for side in sides):
            gains[task] = _gain(measures.deciding(task), *sides, settings)
    if not gains:
        raise NotMeasured(f"no task was run in both arms, {before} and {after}")
    return gains


def _gain(metric: str, after: pd.DataFrame, before: pd.DataFrame, settings: Settings) -> Estimate:
    """The gain in points; runs of the two sides are paired by their seed.

    All runs share the resampled examples. A side without seeds stands against every run.
    """
    label = after.groupby("id")["label"].first()
    labels = label.to_numpy()
    sides = [_predictions(side).loc[label.index].to_numpy().T for side in (after, before)]
    samples = draw_samples(len(labels), settings.resamples, settings.seed)
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


def _predictions(runs: pd.DataFrame) -> pd.DataFrame:
    """Predictions [example, seed]; a model without seeds is one column."""
    columns = "seed" if "seed" in runs else "model"
    return runs.pivot(index="id", columns=columns, values="prediction")
