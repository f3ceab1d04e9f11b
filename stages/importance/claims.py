"""Whether the fast score of importance ranks heads as turning them off does, and its cost (B2)."""

from collections.abc import Callable
from typing import Any

import pandas as pd

from stages.core.stage.arms import TUNED
from stages.core.stage.tables import interval_names
from stages.core.verdicts.answers import Answer, NotMeasured, some_rows
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.estimates import (
    Estimate,
    difference_of,
    largest,
    over_seeds,
    smallest,
)
from stages.core.verdicts.learnt import of_learnt_tasks
from stages.core.verdicts.measures import Measures, fine_tunings
from stages.importance.tables import AGREEMENT, BY_LAYER, COSTS, UNNORMED

METRIC = "metric"  # in place of the name of an exact score: whatever the task's metric is
OF_LOSS = ("loss", "absolute loss")


@measure
def importance_agreement(measures: Measures, settings: Settings, exact: str) -> Answer:
    """Rank correlation over heads of the fast score with an exact one, on the task of least.

    Args:
        exact: loss, absolute loss, or `metric` for what the task's metric loses.
    """
    rows = _against(of_learnt_tasks(measures, AGREEMENT), exact)
    return _least(rows[rows["norm"] == UNNORMED], lambda run: _correlation(_only(run)))


@measure
def gain_of_layer_norm(measures: Measures, settings: Settings, exact: str) -> Answer:
    """The rank correlation of the fast score normed by layer, less that without the norm.

    Paired: both are of the same gradients on the same resamples. On the task of least.

    Args:
        exact: as of `importance_agreement`.
    """

    def gain(run: pd.DataFrame) -> Estimate:
        normed, plain = (_only(run[run["norm"] == norm]) for norm in (BY_LAYER, UNNORMED))
        return difference_of(_correlation(normed), _correlation(plain))

    return _least(_against(of_learnt_tasks(measures, AGREEMENT, resampled=True), exact), gain)


@measure
def cost_of_gradients(measures: Measures, settings: Settings) -> Answer:
    """Operations of the fast score as a share of the exact grid's, on the task of most."""
    tasks = {
        str(row["task"]): Estimate.of_row(row, interval_names("ratio"), int(row["examples"]))
        for row in some_rows(measures.frame(COSTS)).to_dict("records")
    }
    return Answer(
        largest(list(tasks.values())),
        tasks,
        arm=TUNED,
        uncontrolled="operations are the same whatever the weights are",
    )


def _against(rows: pd.DataFrame, exact: str) -> pd.DataFrame:
    """The rows of one exact score."""
    of_metric = ~rows["exact"].isin(OF_LOSS)
    rows = rows[of_metric if exact == METRIC else rows["exact"] == exact]
    if rows.empty:
        raise NotMeasured(f"no task was run with the exact score {exact}")
    return rows


def _only(rows: pd.DataFrame) -> dict[str, Any]:
    (row,) = rows.to_dict("records")
    return row


def _correlation(row: dict[str, Any]) -> Estimate:
    return Estimate.of_row(row, interval_names(value="spearman"), int(row["examples"]))


def _least(rows: pd.DataFrame, estimate: Callable[[pd.DataFrame], Estimate]) -> Answer:
    """The estimate of each run over the seeds of its task, and the task where it is least."""
    tasks = {
        str(task): over_seeds([estimate(run) for _, run in runs.groupby("seed", sort=False)])
        for task, runs in rows.groupby("task", sort=False)
    }
    return Answer(
        smallest(list(tasks.values())),
        tasks,
        arm=TUNED,
        seeds=fine_tunings(rows, tasks),
        uncontrolled="no fast score was made of an encoder tuned from random weights",
    )
