"""Effects of shuffling on grades, and the order heads (query-title study, section 2.3).

The unit of changes is a grade of the source's scale of five: 4 grades from the lowest to the
highest, for any number of grades of the task. The control of ablated order heads is random heads of
the same layers; they are part of the claims that need it.
"""

from typing import Literal

import pandas as pd

from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED
from stages.core.verdicts.answers import Answer, NotMeasured
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.estimates import Estimate
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.of_data import of_data
from stages.word_order.tables import CHANGES, RETURNS, SCORES, TEXTS, Unit

POINTS = 100
STEPS = 4  # between the lowest and the highest of the source's five grades
UNCONTROLLED = "random heads of the same layers are the control; no other encoder was graded"


@measure
def change_of_grade(
    measures: Measures,
    settings: Settings,
    of: Literal[
        "shuffled",
        "order heads ablated",
        "random heads ablated",
        "order heads ablated, beyond random",
        "order heads ablated, beyond intact",
    ],
    unit: Unit,
    task: str,
) -> Answer:
    """A change of the mean grade, in grades of a scale of five.

    Args:
        of: texts are shuffled, or heads are ablated on shuffled texts. `beyond random` subtracts
            the change by random heads, `beyond intact` that by the same heads on intact texts.
        unit: words or pieces are exchanged.
    """
    steps = measures.rows(TEXTS).groupby("data")["steps"].first()

    def change(rows: pd.DataFrame) -> Estimate:
        return _only(rows, "change").scaled(STEPS / float(steps[rows["data"].iloc[0]]))

    rows = CHANGES.where(difference=of, unit=unit)
    return of_data(measures, rows, change, decide=task, arm=TUNED, uncontrolled=UNCONTROLLED)


@measure
def grades_back(
    measures: Measures,
    settings: Settings,
    of: Literal["order", "beyond random"],
    unit: Unit,
    task: str,
) -> Answer:
    """The share of fallen texts that come back by a grade with order heads ablated, in points.

    Args:
        of: `order` heads, or the difference to random heads.
        unit: words or pieces are exchanged.
    """

    def back(rows: pd.DataFrame) -> Estimate:
        return _only(rows, "share").scaled(POINTS)

    rows = RETURNS.where(texts=of, unit=unit)
    return of_data(measures, rows, back, decide=task, arm=TUNED, uncontrolled=UNCONTROLLED)


@measure
def score_of_order_heads(measures: Measures, settings: Settings, unit: Unit, task: str) -> Answer:
    """The mean score of the order heads, held out, in points of attention.

    The control is random weights, which select heads of their own.

    Args:
        unit: words or pieces are exchanged.
    """

    def score(rows: pd.DataFrame) -> Estimate:
        return _only(rows, "score").scaled(POINTS)

    rows = SCORES.where(unit=unit)
    return of_data(measures, rows, score, decide=task, arm=TUNED, control=RANDOM_WEIGHTS)


def _only(rows: pd.DataFrame, column: str) -> Estimate:
    """The value of the only row of a fine-tuning.

    Raises:
        NotMeasured: it is about fallen texts, and no text has fallen.
    """
    (row,) = rows.to_dict("records")
    if pd.isna(row[column]):
        raise NotMeasured("no text is graded lower")
    return Estimate.of_value(row, column, int(row["examples"]))
