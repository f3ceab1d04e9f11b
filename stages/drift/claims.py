"""Which layers fine-tuning changes most (Kovaleva et al. 2019, section 4.3, Figure 5)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from stages.core.tables import drawn_of
from stages.core.verdicts.answers import Answer, NotMeasured
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.depth import Band
from stages.core.verdicts.estimates import Estimate, smallest
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.of_data import of_data
from stages.drift.tables import DRIFT

DRAWN = drawn_of("cosine")


@measure
def drift_of_last_layers(
    measures: Measures, settings: Settings, variant: str, layers: Band, without: Sequence[str] = ()
) -> Answer:
    """The least changed of these layers minus the most changed other layer (change: 1 - cosine).

    A layer's change is the mean over its heads. The task on which the difference is smallest
    decides. The control was tuned from random weights.

    Args:
        without: tasks for which the source does not claim it.
    """

    def contrast(heads: pd.DataFrame) -> Estimate:
        of_layers = heads.groupby("layer")
        changes = 1 - of_layers["cosine"].mean()
        drawn = 1 - np.stack([np.mean(np.stack(lines), 0) for _, lines in of_layers[DRAWN]])
        inside = layers.holds(pd.Series(changes.index)).to_numpy()
        if inside.all() or not inside.any():
            raise NotMeasured("the encoder has too few layers to tell these from the others")
        return Estimate.of_drawn(
            changes[inside].min() - changes[~inside].max(),
            drawn[inside].min(axis=0) - drawn[~inside].max(axis=0),
            int(heads["examples"].iloc[0]),
        )

    rows = DRIFT.where(variant=variant).without(data=without)
    return of_data(measures, rows, contrast, decide=smallest, control_has_learnt=False)
