"""Which layers fine-tuning changes (Kovaleva et al. 2019, section 4.3, Figure 5)."""

import numpy as np
from jaxtyping import Float

from stages.core.intervals.intervals import bootstrap
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.estimates import Answer, Estimate, mean_of
from stages.core.verdicts.measures import Measures
from stages.drift.tables import CONTRASTS


@measure
def drift_of_last_layers(measures: Measures, settings: Settings, variant: str) -> Answer:
    """Mean change (1 - cosine) of the last layers minus that of the others, mean over the tasks.

    Of a task that was tuned with several seeds it is the mean over these models.
    """
    rows = measures.frame(CONTRASTS)
    changes = {}
    for task, examples in rows[rows["variant"] == variant].groupby("task", sort=False):
        contrast = examples.groupby("id", sort=False)["contrast"].mean().to_numpy()
        interval = bootstrap(_mean, (contrast,), settings.resamples, settings.seed)
        changes[task] = Estimate.of(interval, len(contrast))
    return Answer(mean_of(list(changes.values())), changes)


def _mean(values: Float[np.ndarray, "... example"]) -> Float[np.ndarray, "..."] | float:
    return np.mean(values, axis=-1)
