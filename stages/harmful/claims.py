"""Whether heads that hurt on one half of the examples hurt on the other (query-title study, B1).

The control is an encoder tuned from random weights, by the same procedure. Tasks that an encoder
has not learnt are left out: ablated heads change nothing there.
"""

from dataclasses import replace

import pandas as pd

from stages.core.outcomes.deciding import DECIDING_METRICS
from stages.core.stage.arms import TUNED
from stages.core.verdicts.answers import Answer, NotMeasured, over_tasks
from stages.core.verdicts.chosen_heads import of_heads, worst_less_others
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.estimates import Estimate, difference_of, largest, smallest
from stages.core.verdicts.learnt import learnt_rows
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.of_data import of_data, value_of_row
from stages.harmful.again import in_percent, on_other_seeds, on_other_tasks, runs_of
from stages.harmful.tables import CALIBRATION, HALVES, HEADS, LOSS, SCORES, SPREAD

POINTS = 100
NO_PLACE = "heads of the same place in encoders that began at random have nothing in common"
IN_POINTS = value_of_row("change", "examples", POINTS)


@measure
def loss_without_harmful(measures: Measures, settings: Settings) -> Answer:
    """Change of the loss without heads that the other half chose, in percent, on the worst task."""

    def change(rows: pd.DataFrame) -> Estimate:
        (row,) = rows.to_dict("records")
        return in_percent(row, "change")

    return of_data(measures, SCORES.where(figure=LOSS), change, decide=largest)


@measure
def loss_beyond_random(measures: Measures, settings: Settings) -> Answer:
    """The same less the change without random heads, on the task where it is largest.

    A fine-tuning in which no half chose a head has no difference: to ablate nothing is better than
    to ablate any random head that the loss needs.
    """

    def beyond(rows: pd.DataFrame) -> Estimate:
        (row,) = rows.to_dict("records")
        if not row["heads_ablated"]:
            raise NotMeasured("no head hurts")
        return difference_of(in_percent(row, "change"), in_percent(row, "random"))

    return of_data(measures, SCORES.where(figure=LOSS), beyond, decide=largest)


@measure
def metric_without_harmful(measures: Measures, settings: Settings) -> Answer:
    """Change of accuracy, or a score's correlation, in points, on the task where it is largest."""
    rows = SCORES.where(figure=DECIDING_METRICS)
    return of_data(measures, rows, IN_POINTS, decide=largest, of_some=True)


@measure
def calibration_without_harmful(measures: Measures, settings: Settings) -> Answer:
    """Change of the expected calibration error in points, on the classification of most."""
    classes = [task for task in measures.tasks if measures.deciding(task) == "accuracy"]
    rows = SCORES.where(figure=CALIBRATION, data=classes)
    return of_data(measures, rows, IN_POINTS, decide=largest)


@measure
def examples_that_gain(measures: Measures, settings: Settings) -> Answer:
    """Share of the examples whose loss falls without the chosen heads, on the task of least."""
    falls = value_of_row("falls", "examples")
    return of_data(measures, SPREAD.where(heads="chosen"), falls, decide=smallest)


@measure
def confidence_of_harmful(measures: Measures, settings: Settings, heads: int) -> Answer:
    """The largest weight of a row, mean over rows, of the heads that hurt most less that of others.

    On the task where the difference is largest.

    Args:
        heads: the number of heads of each encoder, those without which the loss is lowest; fewer
            if fewer lower it.
    """

    def difference(run: pd.DataFrame) -> Estimate:
        count = min(heads, int((run["loss"] < 0).sum()))
        if not count:
            raise NotMeasured("no head hurts")
        confidence = worst_less_others(of_heads(run, "loss"), of_heads(run, "confidence"), count)
        return replace(confidence, n=int(run["examples"].iloc[0]))

    return of_data(measures, HEADS, difference, decide=largest)


@measure
def harm_on_other_seeds(measures: Measures, settings: Settings) -> Answer:
    """Change of the loss without each head that other seeds chose, in percent; the worst task."""
    rows = learnt_rows(measures, HALVES)
    losses, lacking = {}, NotMeasured("no task was measured")
    for task, of_task in rows.groupby("data", sort=False):
        try:
            losses[str(task)] = on_other_seeds(list(runs_of(of_task).values()))
        except NotMeasured as error:
            lacking = error
    if not losses:
        raise lacking
    return _of_tuned(losses, rows)


@measure
def harm_on_other_tasks(measures: Measures, settings: Settings) -> Answer:
    """Change of the loss without each head that other tasks chose, in percent; the worst task."""
    rows = learnt_rows(measures, HALVES)
    losses = on_other_tasks(
        {str(task): runs_of(of_task) for task, of_task in rows.groupby("data", sort=False)}
    )
    if not losses:
        raise NotMeasured("there is no second task, run and learnt, with heads that hurt")
    return _of_tuned(losses, rows)


def _of_tuned(losses: dict[str, Estimate], rows: pd.DataFrame) -> Answer:
    """The task with the largest loss decides.

    Args:
        rows: of all fine-tunings.
    """
    seeds = rows.groupby("data")["seed"].nunique()[list(losses)].min()
    answer = over_tasks(losses, largest, uncontrolled=NO_PLACE)
    return replace(answer, arm=TUNED, seeds=int(seeds))
