"""What a head's page shows of whether it hurts."""

import pandas as pd

from stages.core.pages.head_facts import HeadFacts
from stages.core.stage.arms import TUNED
from stages.core.stage.tables import interval_names
from stages.core.verdicts.estimates import rows_over_seeds
from stages.core.verdicts.measures import Measures
from stages.harmful.tables import HEADS

KEYS = ["task", "layer", "head"]


def rows(measures: Measures) -> pd.DataFrame:
    """One row a task and head of the tuned encoder, over fine-tunings."""
    cells = measures.frame(HEADS)
    cells = cells[cells["arm"] == TUNED]
    names = interval_names("loss")
    found = rows_over_seeds(cells, KEYS, [names])
    chosen = cells.groupby(KEYS)["chosen"].mean().rename("chosen as harmful by")
    in_words = dict(zip(names, ("change of the loss", "low", "high"), strict=True))
    return found.rename(columns=in_words).join(chosen, on=KEYS)


FACTS = (
    HeadFacts(
        "harmful",
        4,
        "Does it hurt?",
        "Change of the loss without it, with its 95% interval (below 0 it hurts), and the share of "
        "halves of the examples that chose it as one of the harmful heads.",
        rows,
    ),
)
