"""Whether heads that hurt on one half of the examples hurt on the other (query-title study, B1).

The control is an encoder tuned from random weights, by the same procedure. Tasks that an encoder
has not learnt are left out: heads that are off change nothing there.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pandas as pd

from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM, Arm
from stages.core.stage.tables import MeasuredTable, drawn_name, interval_names
from stages.core.verdicts.answers import Answer, NotMeasured, over_tasks
from stages.core.verdicts.chosen_heads import of_heads, worst_less_others
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.estimates import (
    Combination,
    Estimate,
    difference_of,
    largest,
    over_seeds,
    smallest,
)
from stages.core.verdicts.learnt import of_learnt_tasks
from stages.core.verdicts.measures import Measures, fine_tunings
from stages.harmful.again import on_other_seeds, on_other_tasks, runs_of
from stages.harmful.tables import CALIBRATION, HALVES, HEADS, LOSS, SCORES, SPREAD

POINTS = PERCENT = 100
NO_PLACE = "heads of the same place in encoders that began at random have nothing in common"
NOT_LEARNT = "the encoder tuned from random weights has not learnt the task, or no head of it hurts"


@measure
def loss_without_harmful(measures: Measures, settings: Settings) -> Answer:
    """Change of the loss without heads that the other half chose, in percent, on the worst task."""
    return _of_every(measures, SCORES, _of_figure(LOSS, _relative), largest)


@measure
def loss_beyond_random(measures: Measures, settings: Settings) -> Answer:
    """The same less the change without as many random heads, on the task where it is largest.

    A fine-tuning in which no half found a head that hurts has no such difference: nothing is off,
    which is better than any random head off that costs something.
    """

    def beyond(row: dict) -> Estimate:
        if not row["heads_off"]:
            raise NotMeasured("no head hurts")
        return difference_of(_relative(row), _relative(row, "random"))

    return _of_every(measures, SCORES, _of_figure(LOSS, beyond), largest)


@measure
def metric_without_harmful(measures: Measures, settings: Settings) -> Answer:
    """Change of accuracy, or a score's correlation, in points, on the task where it is largest."""
    rows = of_learnt_tasks(measures, SCORES, resampled=True)
    if not (rows["figure"] == rows["task"].map(measures.deciding)).any():
        raise NotMeasured("no task's metric was measured")

    def change(run: pd.DataFrame) -> Estimate:
        figure = measures.deciding(str(run["task"].iloc[0]))
        return _of_figure(figure, _points)(run)

    return _of_every(measures, SCORES, change, largest, of_some=True)


@measure
def calibration_without_harmful(measures: Measures, settings: Settings) -> Answer:
    """Change of the expected calibration error in points, on the classification of most."""
    classes = [task for task in measures.tasks if measures.deciding(task) == "accuracy"]
    return _of_every(measures, SCORES, _of_figure(CALIBRATION, _points), largest, among=classes)


@measure
def examples_that_gain(measures: Measures, settings: Settings) -> Answer:
    """Share of the examples whose loss falls without the chosen heads, on the task of least."""

    def falls(run: pd.DataFrame) -> Estimate:
        (row,) = run[run["heads"] == "chosen"].to_dict("records")
        return Estimate.of_row(row, interval_names("falls"), int(row["examples"]))

    return _of_every(measures, SPREAD, falls, smallest)


@measure
def confidence_of_harmful(measures: Measures, settings: Settings, heads: int) -> Answer:
    """The largest weight of a row, mean over rows, of the heads that hurt most less that of others.

    On the task where the difference is largest.

    Args:
        heads: how many of each encoder are taken, those without which the loss is lowest; fewer
            where it is lower than with all heads on without fewer.
    """

    def difference(run: pd.DataFrame) -> Estimate:
        count = min(heads, int((run["loss"] < 0).sum()))
        if not count:
            raise NotMeasured("no head hurts")
        found = worst_less_others(of_heads(run, "loss"), of_heads(run, "confidence"), count)
        return replace(found, n=int(run["examples"].iloc[0]))

    return _of_every(measures, HEADS, difference, largest)


@measure
def harm_on_other_seeds(measures: Measures, settings: Settings) -> Answer:
    """Change of the loss without each head that other seeds chose, in percent; the worst task."""
    rows = _of_arm(of_learnt_tasks(measures, HALVES, resampled=True), TUNED)
    found, lacking = {}, NotMeasured("no task was measured")
    for task, own in rows.groupby("task", sort=False):
        try:
            found[str(task)] = on_other_seeds(list(runs_of(own).values()))
        except NotMeasured as error:
            lacking = error
    if not found:
        raise lacking
    answer = over_tasks(found, largest, uncontrolled=NO_PLACE)
    return replace(answer, arm=TUNED, seeds=fine_tunings(rows, found))


@measure
def harm_on_other_tasks(measures: Measures, settings: Settings) -> Answer:
    """Change of the loss without each head that other tasks chose, in percent; the worst task."""
    rows = _of_arm(of_learnt_tasks(measures, HALVES, resampled=True), TUNED)
    tasks = {str(task): runs_of(own) for task, own in rows.groupby("task", sort=False)}
    found = on_other_tasks(tasks)
    if not found:
        raise NotMeasured("there is no second task, run and learnt, with heads that hurt")
    answer = over_tasks(found, largest, uncontrolled=NO_PLACE)
    return replace(answer, arm=TUNED, seeds=fine_tunings(rows, found))


def _of_every(
    measures: Measures,
    table: MeasuredTable,
    estimate: Callable[[pd.DataFrame], Estimate],
    combine: Combination,
    of_some: bool = False,
    among: list[str] | None = None,
) -> Answer:
    """The estimate of every learnt task, over its seeds, beside the control's."""
    runs = _by_task(measures, table, TUNED, estimate, among)
    if not runs:
        raise NotMeasured("no task that was learnt has it, or no head hurts")
    control: dict[str, list[Estimate]] = {}
    with suppress(NotMeasured):
        control = _by_task(measures, table, TUNED_FROM_RANDOM, estimate, among)
    own, others = (
        {task: over_seeds(of_task) for task, of_task in some.items()} for some in (runs, control)
    )
    answer = over_tasks(own, combine, others, uncontrolled=NOT_LEARNT, of_some=of_some)
    return replace(answer, arm=TUNED, seeds=min(map(len, runs.values())))


def _by_task(
    measures: Measures,
    table: MeasuredTable,
    arm: Arm,
    estimate: Callable[[pd.DataFrame], Estimate],
    among: list[str] | None,
) -> dict[str, list[Estimate]]:
    """The estimates of every task's fine-tunings; those that have none are left out."""
    rows = _of_arm(of_learnt_tasks(measures, table, arm, resampled=True), arm)
    if among is not None:
        rows = rows[rows["task"].isin(among)]
    found: dict[str, list[Estimate]] = {}
    for (task, _), run in rows.groupby(["task", "seed"], sort=False):
        with suppress(NotMeasured):
            of_run = estimate(run)
            found.setdefault(str(task), []).append(of_run)
    return found


def _of_arm(rows: pd.DataFrame, arm: Arm) -> pd.DataFrame:
    return rows[rows["arm"] == arm]


def _of_figure(
    figure: str, estimate: Callable[[dict], Estimate]
) -> Callable[[pd.DataFrame], Estimate]:
    """An estimate of the one row of a run that has the figure."""

    def of_run(run: pd.DataFrame) -> Estimate:
        (row,) = run[run["figure"] == figure].to_dict("records")
        return estimate(row)

    return of_run


def _points(row: dict) -> Estimate:
    return Estimate.of_row(row, interval_names("change"), int(row["examples"])).scaled(POINTS)


def _relative(row: dict, name: str = "change") -> Estimate:
    """A change in percent of the figure with all heads on, both on the same resamples."""
    drawn = row[drawn_name(name)].astype(float) / row[drawn_name("full")]
    value = row[name] / row["full"]
    return Estimate.of_drawn(value, drawn, int(row["examples"])).scaled(PERCENT)
