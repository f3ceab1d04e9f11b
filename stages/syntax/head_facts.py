"""What a head's page shows of syntax: relations, beside their best fixed offset."""

import pandas as pd

from stages.core.pages.head_facts import HeadFacts
from stages.core.pages.titles import relation_in_words
from stages.core.verdicts.measures import Measures, studied
from stages.syntax.tables import ALL_RELATIONS, ALL_WORDS, HEADS

MOST = 5  # relations of a head that are shown
PLACE = ["corpus", "encoder", "layer", "head"]


def rows(measures: Measures) -> pd.DataFrame:
    """One row a corpus, encoder, head and relation: those with most above the best offset."""
    cells = studied(measures.frame(HEADS))
    cells = cells[~cells["relation"].isin([ALL_RELATIONS, ALL_WORDS])]
    cells = cells.assign(gain=cells["accuracy"] - cells["offset_accuracy"])
    first = cells.sort_values("gain", ascending=False, kind="stable").groupby(PLACE).head(MOST)
    columns = ["layer", "head", "corpus", "encoder", "relation", "direction", "accuracy"]
    columns += ["offset_accuracy", "gain", "cases"]
    shown = first.sort_values("corpus", kind="stable")[columns]
    shown["relation"] = shown["relation"].map(relation_in_words)
    return shown.rename(columns={"encoder": "model", "offset_accuracy": "best offset"})


FACTS = (
    HeadFacts(
        "syntax",
        6,
        "Relations it finds",
        f"The {MOST} relations with most above their best fixed offset: how often the word it "
        "attends to most is the syntactic head. Accuracy on all cases: the best of many relations "
        "looks better than it is.",
        rows,
    ),
)
