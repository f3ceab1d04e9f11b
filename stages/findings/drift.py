"""Which layers fine-tuning changes (Kovaleva et al. 2019, section 4.3, Figure 5)."""

from stages.core.claims import Settings, measure
from stages.core.estimates import Answer, Estimate, mean_of
from stages.core.measures import Measures

CONTRASTS = "drift/{task}-contrast.parquet"


@measure
def drift_of_last_layers(measures: Measures, settings: Settings, variant: str) -> Answer:
    """Mean of 1 - cosine over the last two layers minus the mean over the others."""
    rows = measures.frame(CONTRASTS)
    rows = rows[rows["variant"] == variant].set_index("task")
    changes = {
        task: Estimate(row["mean"], row["low"], row["high"], row["count"])
        for task, row in rows.iterrows()
    }
    return Answer(mean_of(list(changes.values())), changes)
