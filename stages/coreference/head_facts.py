"""What a head's page shows of coreference."""

import pandas as pd

from stages.core.pages.head_facts import HeadFacts
from stages.core.verdicts.measures import Measures, studied
from stages.coreference.tables import HEADS


def rows(measures: Measures) -> pd.DataFrame:
    """One row a corpus, encoder, head and kind of mention."""
    cells = studied(measures.frame(HEADS)).rename(columns={"encoder": "model", "kind": "mentions"})
    return cells[["layer", "head", "corpus", "model", "mentions", "accuracy", "cases"]]


FACTS = (
    HeadFacts(
        "coreference",
        7,
        "Antecedents",
        "How often the mention that it attends to most is the antecedent.",
        rows,
    ),
)
