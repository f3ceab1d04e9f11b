"""What a head's page shows of links between a predicate and its frame elements."""

import pandas as pd

from stages.core.pages.head_facts import HeadFacts
from stages.core.verdicts.measures import Measures, studied
from stages.frames.tables import HEADS


def rows(measures: Measures) -> pd.DataFrame:
    """One row a corpus, encoder and head."""
    names = {
        "encoder": "model",
        "weight": "weight on links",
        "moved_weight": "on moved links",
        "gain_weight": "gain",
        "gain_low": "low",
        "gain_high": "high",
    }
    cells = studied(measures.frame(HEADS))
    shown = cells[["layer", "head", "corpus", *names, "texts"]]
    return shown.rename(columns=names)


FACTS = (
    HeadFacts(
        "frames",
        7,
        "Frame links",
        "Its largest weight on the links of a predicate and its frame elements, beside links moved "
        "elsewhere at the same distance, and the gain with its 95% interval.",
        rows,
    ),
)
