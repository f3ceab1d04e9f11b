"""Which layers fine-tuning changes (Kovaleva et al. 2019, section 4.3, Figure 5)."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pandas as pd

from stages.core.maps.tables import TUNED_HEADS
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.stage.tables import drawn_name
from stages.core.verdicts.answers import Answer, over_tasks
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.depth import Band
from stages.core.verdicts.estimates import Estimate, over_seeds, smallest
from stages.core.verdicts.learnt import of_learnt_tasks
from stages.core.verdicts.measures import Measures, NotMeasured, fine_tunings, of_arm

CROPPED = "cropped"


@measure
def drift_of_last_layers(
    measures: Measures, settings: Settings, variant: str, layers: Band, without: Sequence[str] = ()
) -> Answer:
    """How much more some layers change than any other, on every task: 1 - cosine, mean over heads.

    The least changed of these layers less the most changed of the others; the smallest of the
    tasks. The control was tuned from random weights; it is compared with the padding cut off.

    Args:
        without: tasks of which the source does not say it.
    """
    rows = of_arm(of_learnt_tasks(measures, TUNED_HEADS, resampled=True), TUNED)
    own = _by_task(rows[rows["variant"] == variant], layers, without)
    control: dict[str, Estimate] = {}
    reason = "its maps are compared with the padding cut off"
    if variant == CROPPED:
        reason = "no encoder was tuned from random weights"
        with suppress(NotMeasured):
            others = of_arm(measures.drawn(TUNED_HEADS), TUNED_FROM_RANDOM)
            others = others[others["task"].isin(rows["task"])]
            control = _by_task(others, layers, without)
    answer = over_tasks(own, smallest, control, uncontrolled=reason)
    return replace(answer, arm=TUNED, seeds=fine_tunings(rows, own))


def _by_task(rows: pd.DataFrame, layers: Band, without: Sequence[str]) -> dict[str, Estimate]:
    """The contrast of every task, over the seeds that it was tuned with."""
    return {
        str(task): over_seeds([_contrast(run, layers) for _, run in own.groupby("seed")])
        for task, own in rows[~rows["task"].isin(without)].groupby("task", sort=False)
    }


def _contrast(heads: pd.DataFrame, layers: Band) -> Estimate:
    """The least changed of the layers less the most changed of the others."""
    changes, drawn = [], []
    numbers = pd.Series(sorted(heads["layer"].unique()))
    for layer in numbers:
        own = heads[heads["layer"] == layer]
        changes.append(1 - own["cosine"].mean())
        drawn.append(1 - np.mean(np.stack(own[drawn_name("cosine")].tolist()), axis=0))
    inside = layers.holds(numbers).to_numpy()
    if inside.all() or not inside.any():
        raise NotMeasured("the encoder has too few layers to tell these from the others")
    values, lines = np.array(changes), np.stack(drawn)
    return Estimate.of_drawn(
        values[inside].min() - values[~inside].max(),
        lines[inside].min(axis=0) - lines[~inside].max(axis=0),
        int(heads["count"].iloc[0]),
    )
