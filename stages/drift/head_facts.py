"""What a head's page shows of what tuning changes in its maps."""

import pandas as pd

from stages.core.maps.tables import TUNED_HEADS
from stages.core.pages.head_facts import HeadFacts
from stages.core.pages.shared_figures import COSINES_CUT, cosines_over_seeds
from stages.core.stage.arms import TUNED
from stages.core.verdicts.measures import Measures, of_arm


def rows(measures: Measures) -> pd.DataFrame:
    """One row a task and head, over fine-tunings."""
    table = of_arm(measures.frame(TUNED_HEADS), TUNED)
    cropped = table[table["variant"] == "cropped"]
    return cosines_over_seeds(cropped)


FACTS = (
    HeadFacts(
        "drift",
        5,
        "Drift by tuning",
        f"Cosine between its maps before and after tuning; 1 is no change. {COSINES_CUT}",
        rows,
    ),
)
