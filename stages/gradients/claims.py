"""Whether attention to [CLS] and [SEP] is a no-op (Clark et al. 2019, section 3.2, Figure 3)."""

import pandas as pd

from stages.core.maps.weight_gradients import MASKED
from stages.core.stage.arms import TUNED
from stages.core.stage.tables import interval_names
from stages.core.verdicts.answers import Answer, first_of
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.depth import Band
from stages.core.verdicts.estimates import Estimate, mean_of
from stages.core.verdicts.learnt import of_learnt_tasks
from stages.core.verdicts.measures import Measures, NotMeasured
from stages.gradients.tables import TASKS

WORDS = "words"


@measure
def gradient_beside_words(
    measures: Measures, settings: Settings, kind: str, by: str, layers: Band
) -> Answer:
    """Absolute gradient of attention to a kind of token over that of attention to words.

    Mean over some layers. The loss is that of masked words where the checkpoint has an MLM head,
    that of the tasks otherwise.

    Args:
        by: per_weight (mean over weights) or summed (over all weights of a text).
    """
    found = {}
    masked = _masked(measures)
    for name, rows in masked or _of_tasks(measures):
        late = rows[layers.holds(rows["layer"])]
        own, words = (late[late["kind"] == one] for one in (kind, WORDS))
        if own.empty or words.empty:
            continue
        columns = list(interval_names(by))
        value, low, high = own[columns].mean()
        usual, usual_low, usual_high = words[columns].mean()
        # The widest that any dependence between the two can call for.
        count = late["layer"].nunique()
        found[name] = Estimate(value / usual, low / usual_high, high / usual_low, count)
    if not found:
        raise NotMeasured(f"no text has {kind} tokens")
    if masked:
        return first_of(found, "layers")
    return Answer(mean_of(list(found.values())), found, "layers")


def _masked(measures: Measures) -> list[tuple[str, pd.DataFrame]]:
    """The corpora on which there is a loss of masked words."""
    try:
        rows = measures.frame(MASKED)
    except NotMeasured:
        return []
    return [(str(name), own) for name, own in rows.groupby("corpus", sort=False)]


def _of_tasks(measures: Measures) -> list[tuple[str, pd.DataFrame]]:
    """The tasks that the tuned encoder has learnt."""
    rows = of_learnt_tasks(measures, TASKS)
    tuned = rows[rows["arm"] == TUNED]
    return [(str(name), own) for name, own in tuned.groupby("task", sort=False)]
