"""Whether attention to [CLS] and [SEP] is a no-op (Clark et al. 2019, section 3.2, Figure 3)."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from stages.core.maps.gradient_tables import MASKED
from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED
from stages.core.stage.tables import drawn_name
from stages.core.verdicts.answers import Answer, by_corpus, over_tasks
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.depth import Band
from stages.core.verdicts.estimates import Estimate, mean_of
from stages.core.verdicts.learnt import not_learnt
from stages.core.verdicts.measures import Measures, NotMeasured
from stages.gradients.tables import TASKS

WORDS = "words"


@measure
def gradient_beside_words(
    measures: Measures, settings: Settings, kind: str, by: str, layers: Band
) -> Answer:
    """Absolute gradient of attention to a kind of token over that of attention to words.

    Mean over some layers. The loss is that of masked words where the checkpoint has an MLM head,
    mean over the tasks that are learnt otherwise. The control has random weights.

    Args:
        by: per_weight (mean over weights) or summed (over all weights of a text).
    """

    def ratio(rows: pd.DataFrame) -> Estimate:
        return _ratio(rows[layers.holds(rows["layer"])], kind, by)

    masked = _masked(measures)
    if len(masked):
        return by_corpus(masked, ratio, "texts")
    rows = measures.drawn(TASKS)
    rows = rows[~rows["task"].isin(not_learnt(measures))]
    own, control = (_of_tasks(rows[rows["arm"] == arm], ratio) for arm in (TUNED, RANDOM_WEIGHTS))
    if not own:
        raise NotMeasured(f"no task that is learnt has {kind} tokens")
    return replace(over_tasks(own, mean_of, control), arm=TUNED, seeds=1)


def _ratio(rows: pd.DataFrame, kind: str, by: str) -> Estimate:
    """The mean over layers of one kind over that of words, with its common resamples."""
    own, words = (rows[rows["kind"] == one] for one in (kind, WORDS))
    if own.empty or words.empty:
        raise NotMeasured(f"no text has {kind} tokens")
    above, below = (
        np.mean(np.stack(part[drawn_name(by)].tolist()), axis=0) for part in (own, words)
    )
    value = own[by].mean() / words[by].mean()
    return Estimate.of_drawn(value, above / below, int(own["texts"].max()))


def _masked(measures: Measures) -> pd.DataFrame:
    """The rows of the corpora on which there is a loss of masked words."""
    try:
        return measures.drawn(MASKED)
    except NotMeasured:
        return pd.DataFrame()


def _of_tasks(rows: pd.DataFrame, ratio: Callable[[pd.DataFrame], Estimate]) -> dict[str, Estimate]:
    found = {}
    for name, own in rows.groupby("task", sort=False):
        try:
            found[str(name)] = ratio(own)
        except NotMeasured:
            continue
    return found
