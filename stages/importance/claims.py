"""Whether the fast score of importance ranks heads as turning them off does (B2)."""

from stages.core.stage.arms import TUNED
from stages.core.stage.tables import interval_names
from stages.core.verdicts.answers import Answer, NotMeasured
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.estimates import Estimate, over_seeds, smallest
from stages.core.verdicts.learnt import of_learnt_tasks
from stages.core.verdicts.measures import Measures, fine_tunings
from stages.importance.tables import AGREEMENT

METRIC = "metric"  # in place of the name of an exact score: whatever the task's metric is
OF_LOSS = ("loss", "absolute loss")


@measure
def importance_agreement(measures: Measures, settings: Settings, exact: str) -> Answer:
    """Rank correlation over heads of the fast score with an exact one, on the task of least.

    Args:
        exact: loss, absolute loss, or `metric` for what the task's metric loses.
    """
    rows = of_learnt_tasks(measures, AGREEMENT)
    of_metric = ~rows["exact"].isin(OF_LOSS)
    rows = rows[of_metric if exact == METRIC else rows["exact"] == exact]
    if rows.empty:
        raise NotMeasured(f"no task was run with the exact score {exact}")
    tasks = {
        str(task): over_seeds(
            [
                Estimate.of_row(row, interval_names(value="spearman"), int(row["examples"]))
                for row in runs.to_dict("records")
            ]
        )
        for task, runs in rows.groupby("task", sort=False)
    }
    return Answer(
        smallest(list(tasks.values())),
        tasks,
        arm=TUNED,
        seeds=fine_tunings(rows, tasks),
        uncontrolled="no fast score was made of an encoder tuned from random weights",
    )
