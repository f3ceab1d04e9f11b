"""What a head's page shows of its neurons."""

import pandas as pd

from stages.core.pages.head_facts import HeadFacts
from stages.core.verdicts.measures import Measures, studied
from stages.neurons.page import labels_of
from stages.neurons.tables import NEURONS


def rows(measures: Measures) -> pd.DataFrame:
    """One row a corpus, encoder and head."""
    cells = studied(measures.frame(NEURONS)).rename(columns={"encoder": "model"})
    labels = labels_of(cells)
    shown = cells[["layer", "head", "corpus", "model", "neurons", *labels]]
    return shown.rename(columns=labels)


FACTS = (
    HeadFacts(
        "neurons",
        10,
        "Neurons",
        "The share of its scores that its largest neurons carry, and how constant the signs of "
        "their products are.",
        rows,
    ),
)
