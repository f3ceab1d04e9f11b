"""Whether the fast score of importance ranks heads as ablating them does, and its cost (B2)."""

import pandas as pd

from stages.core.stage.arms import TUNED
from stages.core.tables import Selection
from stages.core.verdicts.answers import Answer
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.estimates import Estimate, difference_of, largest, smallest
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.of_data import of_data, value_of_row
from stages.importance.tables import AGREEMENT, BY_LAYER, COSTS, UNNORMED

METRIC = "metric"  # in place of the name of an exact score: whatever the task's metric is
OF_LOSS = ("loss", "absolute loss")
UNCONTROLLED = "no fast score was made of an encoder tuned from random weights"
CORRELATION = value_of_row("spearman", "examples")


@measure
def importance_agreement(measures: Measures, settings: Settings, exact: str) -> Answer:
    """Rank correlation over heads of the fast score with an exact one, on the task of least.

    Args:
        exact: loss, absolute loss, or `metric` for the loss of the task's metric.
    """
    # Without resamples: the interval over fine-tunings is the mean of theirs, widened.
    rows = measures.rows(_against(exact).where(norm=UNNORMED))
    return of_data(measures, rows, CORRELATION, decide=smallest, uncontrolled=UNCONTROLLED)


@measure
def gain_of_layer_norm(measures: Measures, settings: Settings, exact: str) -> Answer:
    """The rank correlation of the fast score normed by layer, less that without the norm.

    Paired: both are of the same gradients on the same resamples. On the task of least.

    Args:
        exact: as of `importance_agreement`.
    """

    def gain(run: pd.DataFrame) -> Estimate:
        normed, plain = (CORRELATION(run[run["norm"] == norm]) for norm in (BY_LAYER, UNNORMED))
        return difference_of(normed, plain)

    return of_data(measures, _against(exact), gain, decide=smallest, uncontrolled=UNCONTROLLED)


@measure
def cost_of_gradients(measures: Measures, settings: Settings) -> Answer:
    """Operations of the fast score as a share of the exact grid's, on the task of most."""
    tasks = {
        str(row["data"]): Estimate.of_value(row, "ratio", int(row["examples"]))
        for row in measures.rows(COSTS).to_dict("records")
    }
    return Answer(
        largest(list(tasks.values())),
        tasks,
        arm=TUNED,
        uncontrolled="operations are the same whatever the weights are",
    )


def _against(exact: str) -> Selection:
    """The rows of one exact score."""
    return AGREEMENT.without(exact=OF_LOSS) if exact == METRIC else AGREEMENT.where(exact=exact)
