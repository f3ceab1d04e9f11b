"""What a head's page shows of the ends of words."""

import pandas as pd

from stages.boundaries.tables import HEADS
from stages.core.pages.head_facts import HeadFacts
from stages.core.verdicts.measures import Measures, studied


def rows(measures: Measures) -> pd.DataFrame:
    """One row a corpus, encoder and head."""
    cells = studied(measures.frame(HEADS)).rename(
        columns={"encoder": "model", "marks": "marks an end", "ends": "is an end"}
    )
    columns = ["accuracy", "F1", "marks an end", "is an end", "cases"]
    return cells[["layer", "head", "corpus", "model", *columns]]


FACTS = (
    HeadFacts(
        "boundaries",
        8,
        "Ends of words",
        "Read as a segmenter of text without spaces: the share of positions that it has right, its "
        "F1 over words, and the shares of positions that it marks and that are an end.",
        rows,
    ),
)
