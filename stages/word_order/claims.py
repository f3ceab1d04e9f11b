"""What shuffling costs, and whether order heads see it (query-title study, section 2.3).

Changes of mean grades are in grades of a scale of five, as the source's: 4 from the lowest grade to
the highest, however many the task has. That heads off raise the grade of shuffled texts is held
against as many random heads of the same layers, which stand beside them in every estimate of that.
"""

from typing import Literal

import pandas as pd

from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED, Arm
from stages.core.stage.tables import interval_names
from stages.core.verdicts.answers import (
    Answer,
    NotMeasured,
    against_control,
    decided_by_task,
    some_rows,
)
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.estimates import Estimate, over_seeds
from stages.core.verdicts.learnt import of_learnt_tasks
from stages.core.verdicts.measures import Measures, fine_tunings
from stages.word_order import tables
from stages.word_order.tables import Unit

POINTS = 100
STEPS = 4  # between the lowest and the highest of the source's five grades
CHANGES = {
    "shuffled": tables.FALL,
    "order heads off": tables.ORDER_RISE,
    "random heads off": tables.RANDOM_RISE,
    "order heads off, beyond random": tables.RISE_BEYOND,
    "order heads off, beyond intact": tables.SPARED,
}
BACK = {"order": tables.ORDER_BACK, "beyond random": tables.BACK_BEYOND}
UNCONTROLLED = "random heads of the same layers are the control; no other encoder was graded"


@measure
def change_of_grade(
    measures: Measures,
    settings: Settings,
    of: Literal[
        "shuffled",
        "order heads off",
        "random heads off",
        "order heads off, beyond random",
        "order heads off, beyond intact",
    ],
    unit: Unit,
    task: str,
) -> Answer:
    """A change of the mean grade, in grades of a scale of five.

    Args:
        of: what changes: the texts are `shuffled`, or heads are turned off on shuffled texts;
            `beyond random` is less what random heads off change, `beyond intact` less what the
            same heads change on intact texts.
        unit: what was exchanged.
    """
    steps = some_rows(measures.frame(tables.TEXTS)).groupby("task")["steps"].first()
    found, rows = _of_tasks(measures, CHANGES[of], unit)
    scaled = {name: one.scaled(STEPS / float(steps[name])) for name, one in found.items()}
    return _of_task(scaled, task, rows)


@measure
def grades_back(
    measures: Measures,
    settings: Settings,
    of: Literal["order", "beyond random"],
    unit: Unit,
    task: str,
) -> Answer:
    """Of the texts whose grade fell, how many come back by a grade with order heads off.

    Args:
        of: `order` heads, or these less random heads.
        unit: what was exchanged.

    Returns:
        In points: 100 is all of them.
    """
    found, rows = _of_tasks(measures, BACK[of], unit)
    return _of_task({name: one.scaled(POINTS) for name, one in found.items()}, task, rows)


@measure
def score_of_order_heads(measures: Measures, settings: Settings, unit: Unit, task: str) -> Answer:
    """What order heads give the neighbour by position beyond the former one, in points.

    Of attention, in texts that chose none of them; beside it the same of random weights.

    Args:
        unit: what was exchanged.
    """
    found, rows = _of_tasks(measures, tables.SCORE, unit)
    points = {name: one.scaled(POINTS) for name, one in found.items()}
    answer = _of_task(points, task, rows)
    try:
        others, _ = _of_tasks(measures, tables.SCORE, unit, RANDOM_WEIGHTS)
    except NotMeasured:
        others = {}
    control = others[task].scaled(POINTS) if task in others else None
    return against_control(answer, control)


def _of_tasks(
    measures: Measures, quantity: str, unit: Unit, arm: Arm = TUNED
) -> tuple[dict[str, Estimate], pd.DataFrame]:
    """The quantity on every task that the tuned encoder has learnt, over seeds; and its rows.

    What is asked of fallen texts is unknown of a fine-tuning in which none falls: it is left out.

    Raises:
        NotMeasured: no task has it.
    """
    rows = of_learnt_tasks(measures, tables.QUANTITIES, resampled=True)
    rows = rows[(rows["quantity"] == quantity) & (rows["unit"] == unit) & (rows["arm"] == arm)]
    if rows.empty:
        raise NotMeasured(f"{unit} were not exchanged here")
    rows = rows[rows["value"].notna()]
    if rows.empty:
        raise NotMeasured("no text is graded lower")
    found = {
        str(task): over_seeds(
            [
                Estimate.of_row(row, interval_names(value="value"), int(row["examples"]))
                for row in runs.to_dict("records")
            ]
        )
        for task, runs in rows.groupby("task", sort=False)
    }
    return found, rows


def _of_task(found: dict[str, Estimate], task: str, rows: pd.DataFrame) -> Answer:
    chosen = decided_by_task(task, found)
    return Answer(
        chosen.pooled,
        found,
        decided_on=chosen.decided_on,
        arm=TUNED,
        seeds=fine_tunings(rows, [task]),
        uncontrolled=UNCONTROLLED,
    )
