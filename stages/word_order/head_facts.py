"""What a head's page shows of the order of words."""

import pandas as pd

from stages.core.pages.head_facts import HeadFacts
from stages.core.stage.arms import TUNED
from stages.core.stage.tables import interval_names
from stages.core.verdicts.estimates import rows_over_seeds
from stages.core.verdicts.measures import Measures
from stages.word_order.tables import HEADS

KEYS = ["task", "unit", "layer", "head"]


def rows(measures: Measures) -> pd.DataFrame:
    """One row a task, unit and head of the tuned encoder, over fine-tunings."""
    cells = measures.frame(HEADS)
    cells = cells[cells["arm"] == TUNED]
    names = interval_names("score")
    found = rows_over_seeds(cells, KEYS, [names])
    in_words = dict(zip(names, ("score", "low", "high"), strict=True))
    return found.rename(columns=in_words | {"unit": "exchanged"})


FACTS = (
    HeadFacts(
        "word_order",
        8,
        "Order of words",
        "How much more it attends to the neighbour by position than to the former one when words "
        "of the second text are exchanged, in the tuned encoder.",
        rows,
    ),
)
