"""Whether attention to [CLS] and [SEP] is a no-op (Clark et al. 2019, section 3.2, Figure 3)."""

import pandas as pd

from stages.core.maps.gradient_tables import MASKED
from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED
from stages.core.verdicts.answers import Answer
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.depth import Band
from stages.core.verdicts.estimates import Estimate, mean_of
from stages.core.verdicts.measures import Measures, NotMeasured
from stages.core.verdicts.of_data import of_data
from stages.gradients.ratio import ratio_to_words
from stages.gradients.tables import TASKS


@measure
def gradient_beside_words(
    measures: Measures, settings: Settings, kind: str, by: str, layers: Band
) -> Answer:
    """Absolute gradient of attention to a kind of token over that of attention to words.

    Mean over some layers. The loss is that of masked words if the checkpoint has an MLM head,
    otherwise the mean over the tasks that are learnt. The control has random weights.

    Args:
        by: per_weight (mean over weights) or summed (over all weights of a text).
    """

    def ratio(rows: pd.DataFrame) -> Estimate:
        return ratio_to_words(rows[layers.holds(rows["layer"])], kind, by)

    try:
        masked = measures.rows(MASKED, drawn=True)
    except NotMeasured:
        arms = {"arm": TUNED, "control": RANDOM_WEIGHTS}
        return of_data(measures, TASKS, ratio, decide=mean_of, **arms)
    return of_data(measures, masked, ratio, counted="texts")
