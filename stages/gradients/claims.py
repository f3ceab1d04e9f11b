"""Whether attention to [CLS] and [SEP] is a no-op (Clark et al. 2019, section 3.2, Figure 3)."""

import numpy as np
import pandas as pd

from stages.core.maps.gradient_tables import MASKED
from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED
from stages.core.tables import drawn_of
from stages.core.verdicts.answers import Answer
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.depth import Band
from stages.core.verdicts.estimates import Estimate, mean_of
from stages.core.verdicts.measures import Measures, NotMeasured
from stages.core.verdicts.of_data import of_data
from stages.gradients.tables import TASKS

WORDS = "words"


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


def ratio_to_words(rows: pd.DataFrame, kind: str, by: str) -> Estimate:
    """The mean over layers for one kind over that for words, with its common resamples.

    Raises:
        NotMeasured: a kind has no row.
    """
    of_kind, words = (rows[rows["kind"] == name] for name in (kind, WORDS))
    if of_kind.empty or words.empty:
        raise NotMeasured(f"no text has {kind} tokens")
    above, below = (
        np.mean(np.stack(part[drawn_of(by)].tolist()), axis=0) for part in (of_kind, words)
    )
    value = of_kind[by].mean() / words[by].mean()
    return Estimate.of_drawn(value, above / below, int(of_kind["texts"].max()))
