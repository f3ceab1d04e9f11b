"""What tuning gains (Kovaleva et al. 2019, section 4.3, Table 1; query-title study, section 1).

Gains are in points, over the examples of a task's validation split.
"""

from dataclasses import replace

import numpy as np

from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM, UNTUNED
from stages.core.tables import Selection, Table
from stages.core.tasks.metrics import METRICS
from stages.core.tasks.tables import BASELINES, PREDICTIONS
from stages.core.verdicts.answers import Answer, NotMeasured, decided_by_task
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.estimates import Estimate, largest, mean_of, smallest
from stages.core.verdicts.learnt import not_learnt
from stages.core.verdicts.measures import Measures
from stages.finetune.gains import gain, predictions, scores_of_seeds
from stages.finetune.tables import PAIR_PREDICTIONS

PRETRAINED, FROM_RANDOM, BEFORE = (
    PREDICTIONS.where(arm=arm) for arm in (TUNED, TUNED_FROM_RANDOM, UNTUNED)
)


@measure
def gain_of_tuning(measures: Measures, settings: Settings, arm: str) -> Answer:
    """Tuned from pretrained weights minus `arm`, mean over the tasks, as in Table 1."""
    gains = _gains(measures, settings, PRETRAINED, PREDICTIONS.where(arm=arm))
    return _of_models(mean_of(list(gains.values())), gains, measures)


@measure
def gain_of_pretraining(measures: Measures, settings: Settings) -> Answer:
    """Tuned from pretrained weights minus from random ones, on the task of least gain (Table 1).

    A task that the encoder of random weights has not learnt is left out: nothing is compared there.
    """
    unlearnt = not_learnt(measures, TUNED_FROM_RANDOM)
    if set(measures.tasks) <= set(unlearnt):
        raise NotMeasured("on no task has the encoder that began at random learnt anything")
    gains = _gains(measures, settings, PRETRAINED, FROM_RANDOM.without(data=unlearnt))
    return _of_models(smallest(list(gains.values())), gains, measures)


@measure
def random_over_untuned(measures: Measures, settings: Settings, tasks: list[str]) -> Answer:
    """Tuned from random weights minus the untuned encoder, on the task where it is largest.

    Args:
        tasks: those that the claim is about; all of them must be run.
    """
    if lacking := [task for task in tasks if task not in measures.tasks]:
        raise NotMeasured(f"it is about {' and '.join(tasks)}; {' and '.join(lacking)} did not run")
    gains = _gains(measures, settings, FROM_RANDOM.where(data=tasks), BEFORE)
    return _of_models(largest(list(gains.values())), gains, measures)


@measure
def gain_over_baseline(measures: Measures, settings: Settings, model: str, task: str) -> Answer:
    """Tuned from pretrained weights minus a baseline, on `task`; no other task will do."""
    gains = _gains(measures, settings, PRETRAINED, BASELINES.where(model=model))
    pooled = decided_by_task(task, gains).pooled
    return replace(_of_models(pooled, gains, measures), decided_on=task)


@measure
def gain_over_pair_model(measures: Measures, settings: Settings, model: str, task: str) -> Answer:
    """Tuned from pretrained weights minus another model of pairs, on `task`; no other will do.

    The control is the encoder that began at random: its gain over the same model. So the claim
    holds of the pretrained encoder, and not of any encoder that reads both texts together.
    """
    others = PAIR_PREDICTIONS.where(arm=model)
    gains = _gains(measures, settings, PRETRAINED, others)
    answer = decided_by_task(task, gains)
    seeds = min(_seeds(measures, rows.where(data=task)) for rows in (PRETRAINED, others))
    answer = replace(answer, arm=TUNED, seeds=seeds)
    try:
        of_task = FROM_RANDOM.where(data=task)
        control = _gains(measures, settings, of_task, others)[task]
        # The other model is on both sides: what is left is the gain of pretraining.
        beyond = _gains(measures, settings, PRETRAINED, of_task)[task]
    except NotMeasured:
        return replace(answer, uncontrolled="no encoder was tuned from random weights")
    return replace(answer, control=control, beyond=beyond)


def _of_models(pooled: Estimate, gains: dict[str, Estimate], measures: Measures) -> Answer:
    """An answer about whole models: random weights are among the arms, so none stand beside."""
    return Answer(
        pooled,
        gains,
        arm=TUNED,
        seeds=_seeds(measures, PRETRAINED.where(data=list(gains))),
        uncontrolled="the claim is about whole models, and compares them itself",
    )


def _gains(
    measures: Measures, settings: Settings, after: Selection, before: Selection
) -> dict[str, Estimate]:
    """The gain of one model over another, for each task that has both."""
    sides = [
        dict(iter(predictions(measures, rows).groupby("data", sort=False)))
        for rows in (after, before)
    ]
    tasks = [task for task in sides[0] if task in sides[1]]
    if not tasks:
        raise NotMeasured(f"no task was run with both models, {after} and {before}")
    gains = {}
    for task in tasks:
        metric, sampling = measures.deciding(task), (settings.resamples, settings.seed)
        gains[task] = gain(*(scores_of_seeds(metric, side[task], *sampling) for side in sides))
    return gains


def _seeds(measures: Measures, runs: Selection) -> int:
    """The number of fine-tunings on each task; the smallest, if tasks differ."""
    return int(measures.rows(runs).groupby("data")["seed"].nunique().min())


@summary("finetune")
def scores_of_arms(measures: Measures) -> dict:
    """The primary and the deciding metric of every task and arm, mean over seeds."""
    return _mean_scores(measures, PREDICTIONS)


@summary("pair_baselines")
def scores_of_pair_models(measures: Measures) -> dict:
    """The same of every other model of pairs."""
    return _mean_scores(measures, PAIR_PREDICTIONS)


def _mean_scores(measures: Measures, table: Table) -> dict:
    scores: dict = {}
    for (task, arm), rows in measures.rows(table).groupby(["data", "arm"], sort=False):
        of_arm = scores.setdefault(task, {}).setdefault(arm, {})
        for metric in (measures.primary[task], measures.deciding(task)):
            values = [
                METRICS[metric](run["label"].to_numpy(), run["prediction"].to_numpy())
                for _, run in rows.groupby("seed")
            ]
            of_arm[metric] = float(np.mean(values))
    return scores
