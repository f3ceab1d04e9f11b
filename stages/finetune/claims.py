"""What tuning gains (Kovaleva et al. 2019, section 4.3, Table 1; query-title study, section 1).

Gains are in points, over the examples of a task's validation split.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM, UNTUNED
from stages.core.tasks.metrics import METRICS
from stages.core.tasks.tables import BASELINES, PREDICTIONS
from stages.core.verdicts.answers import Answer, NotMeasured, decided_by_task
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.estimates import Estimate, largest, mean_of, smallest
from stages.core.verdicts.learnt import not_learnt
from stages.core.verdicts.measures import Measures, fine_tunings
from stages.finetune.gains import gain
from stages.finetune.tables import PAIR_PREDICTIONS


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
    tuned, baselines = _tuned(measures), measures.rows(BASELINES)
    gains = {}
    for name in measures.tasks:
        before = baselines[(baselines["data"] == name) & (baselines["model"] == model)]
        after = tuned[tuned["task"] == name]
        if len(before) and len(after):
            gains[name] = gain(
                measures.deciding(name), after, before, settings.resamples, settings.seed
            )
    found = decided_by_task(task, gains)
    return replace(_of_models(found.pooled, gains, measures), decided_on=task)


@measure
def gain_over_pair_model(measures: Measures, settings: Settings, model: str, task: str) -> Answer:
    """Tuned from pretrained weights minus another model of pairs, on `task`; no other will do.

    The control is the encoder that began at random: what it has over the same model. So the claim
    holds of the pretrained encoder, and not of any encoder that reads both texts together.
    """
    runs, others = measures.frame(PREDICTIONS), measures.frame(PAIR_PREDICTIONS)
    others = others[others["model"] == model]
    gains, controls, beyond = {}, {}, {}
    sampling = (settings.resamples, settings.seed)
    for name in measures.tasks:
        before = others[others["task"] == name]
        tuned, from_random = (
            runs[(runs["task"] == name) & (runs["arm"] == arm)]
            for arm in (TUNED, TUNED_FROM_RANDOM)
        )
        if len(before) and len(tuned):
            gains[name] = gain(measures.deciding(name), tuned, before, *sampling)
            if len(from_random):
                controls[name] = gain(measures.deciding(name), from_random, before, *sampling)
                # The other model is on both sides: what is left is what pretraining gives.
                beyond[name] = gain(measures.deciding(name), tuned, from_random, *sampling)
    found = decided_by_task(task, gains)
    answer = replace(
        found,
        arm=TUNED,
        seeds=min(fine_tunings(_tuned(measures), [task]), fine_tunings(others, [task])),
        decided_on=task,
    )
    if task not in controls:
        return replace(answer, uncontrolled="no encoder was tuned from random weights")
    return replace(answer, control=controls[task], beyond=beyond[task])


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
    return _scores(measures, measures.frame(PREDICTIONS), "arm")


@summary("pair_baselines")
def scores_of_pair_models(measures: Measures) -> dict:
    """The same of every other model of pairs."""
    return _scores(measures, measures.frame(PAIR_PREDICTIONS), "model")


def _scores(measures: Measures, runs: pd.DataFrame, of: str) -> dict:
    """Mean metrics by task and by the values of the column `of`."""
    table: dict = {}
    for (task, model), rows in runs.groupby(["task", of], sort=False):
        cell = table.setdefault(task, {}).setdefault(model, {})
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
            gains[task] = gain(measures.deciding(task), *sides, settings.resamples, settings.seed)
    if not gains:
        raise NotMeasured(f"no task was run in both arms, {before} and {after}")
    return gains
