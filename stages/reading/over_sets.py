"""From rows of fine-tunings to the answer over sets of questions, beside the control."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pandas as pd

from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.stage.tables import interval_names
from stages.core.verdicts.answers import Answer, NotMeasured, over_tasks, some_rows
from stages.core.verdicts.estimates import (
    Estimate,
    difference_of,
    mean_on_same_examples,
    over_seeds,
    smallest,
)
from stages.core.verdicts.measures import Measures
from stages.reading.learnt import not_learnt, of_condition, of_learnt
from stages.reading.tables import ALL, BASELINES, INTACT, WHOLE

COUNTED = "questions"
VALUE = interval_names(value="value")
NOT_LEARNT = "the reader tuned from random weights is not above the longest option"
# Of one fine-tuning's rows of a set, the estimate.
OfRun = Callable[[pd.DataFrame], Estimate]
# The estimates of fine-tunings, by the set and, where a set has several, what tells them apart.
Place = tuple[str, str]
Runs = dict[Place, list[Estimate]]


def accuracy(
    run: pd.DataFrame, condition: str = INTACT, at: str = WHOLE, among: str = ALL
) -> Estimate:
    """The accuracy of one fine-tuning on one set under a condition.

    Raises:
        NotMeasured: it was not asked.
    """
    rows = run[of_condition(run, condition, at, among)].to_dict("records")
    if not rows:
        raise NotMeasured(f"no reader was asked questions that are {condition}")
    (row,) = rows
    return Estimate.of_row(row, VALUE, int(row["examples"]))


def cost(attack: str) -> OfRun:
    """What an attack costs: of the intact questions at its cut, less of the attacked ones."""
    return lambda run: difference_of(accuracy(run, INTACT, attack), accuracy(run, attack, attack))


def cost_beyond(attack: str, control: str) -> OfRun:
    """What an attack costs more than a control of it, on the questions told apart under both."""
    return lambda run: difference_of(
        *(accuracy(run, name, attack, control) for name in (control, attack))
    )


def over_baseline(
    baselines: dict[tuple[str, str], Estimate], model: str, condition: str = INTACT, at: str = WHOLE
) -> OfRun:
    """Accuracy under a condition less that of a baseline.

    Args:
        baselines: of every set, as `baselines_of`.
    """
    return lambda run: difference_of(
        accuracy(run, condition, at), baselines[str(run["questions"].iloc[0]), model]
    )


def baselines_of(measures: Measures) -> dict[tuple[str, str], Estimate]:
    """What can be had without reading, by the set and the name of the baseline."""
    rows = some_rows(measures.drawn(BASELINES)).to_dict("records")
    return {
        (row["questions"], row["model"]): Estimate.of_row(row, VALUE, int(row["examples"]))
        for row in rows
    }


def of_runs(rows: pd.DataFrame, estimate: OfRun | dict[str, OfRun]) -> Runs:
    """The estimates of every set's fine-tunings, by the set and the name of the estimate."""
    named = estimate if isinstance(estimate, dict) else {"": estimate}
    found: Runs = {}
    for (questions, _), run in rows.groupby(["questions", "seed"], sort=False):
        for name, one in named.items():
            with suppress(NotMeasured):
                of_run = one(run)
                found.setdefault((str(questions), name), []).append(of_run)
    return found


def of_learnt_sets(
    measures: Measures,
    rows: pd.DataFrame,
    estimate: OfRun | dict[str, OfRun],
    of_some: bool = False,
    control_has_learnt: bool = True,
) -> Answer:
    """The answer of the sets that the tuned reader has learnt, beside the one from random weights.

    Args:
        rows: of all readers, with resamples.
        control_has_learnt: whether the control is asked only where it has learnt to answer as well;
            attention is there in any case.
    """
    own = of_runs(of_learnt(measures, rows), estimate)
    others = rows[rows["reader"] == TUNED_FROM_RANDOM]
    if control_has_learnt:
        others = others[~others["questions"].isin(not_learnt(measures, TUNED_FROM_RANDOM))]
    return answer_over(own, of_runs(others, estimate), NOT_LEARNT, of_some)


def answer_over(runs: Runs, others: Runs, uncontrolled: str, of_some: bool = False) -> Answer:
    """The answer on the set of least, each over its seeds.

    Args:
        others: of the control.
        uncontrolled: why there is none, where `others` is empty.
        of_some: whether the claim is about some set, and not about every one.
    """
    if not runs:
        raise NotMeasured("no reader was asked such questions")
    own, control = (
        {place: over_seeds(of_place) for place, of_place in some.items()} for some in (runs, others)
    )
    of_sets: dict[str, Estimate] = {}
    for (questions, _), one in own.items():
        if questions not in of_sets or one.value < of_sets[questions].value:
            of_sets[questions] = one
    answer = over_tasks(
        {_said(place): one for place, one in own.items()},
        smallest,
        {_said(place): one for place, one in control.items()},
        COUNTED,
        uncontrolled,
        of_some,
    )
    # Several estimates of one set are of the same questions.
    pooled = replace(answer.pooled, n=sum(one.n for one in of_sets.values()))
    seeds = min(len(of_place) for of_place in runs.values())
    return replace(answer, pooled=pooled, tasks=of_sets, arm=TUNED, seeds=seeds)


def apart(runs: list[Estimate], others: list[Estimate]) -> Estimate:
    """The mean of fine-tunings less that of others, on the same questions.

    The variance between the seeds of either adds to that of the questions, and one does not go up
    and down with the other's, as they are other trainings.
    """
    same = difference_of(*(mean_on_same_examples(own) for own in (runs, others)))
    half = np.hypot(*(_between_seeds(own) for own in (runs, others)))
    low = same.value - np.hypot(same.value - same.low, half)
    return Estimate(same.value, low, same.value + np.hypot(same.high - same.value, half), same.n)


def _between_seeds(runs: list[Estimate]) -> float:
    """Half of the width of the interval that fine-tunings have by their seeds alone."""
    mean = over_seeds([Estimate(run.value, run.value, run.value, run.n) for run in runs])
    return mean.high - mean.value


def _said(place: Place) -> str:
    return ", ".join(filter(None, place))
