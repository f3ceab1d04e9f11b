"""What a head's page shows of its importance by gradients."""

import pandas as pd

from stages.core.pages.head_facts import HeadFacts
from stages.core.verdicts.measures import Measures
from stages.importance.page import CUT, importances


def rows(measures: Measures) -> pd.DataFrame:
    """One row a task and head: its importance, and its rank among all heads (1 is the most)."""
    cells = importances(measures)
    ranks = cells.groupby("task")["importance"].rank(ascending=False, method="min").astype(int)
    shown = cells.assign(rank=ranks)
    columns = ["importance", "importance_low", "importance_high", "rank"]
    names = {"importance_low": "low", "importance_high": "high"}
    return shown[["layer", "head", "task", *columns]].rename(columns=names)


FACTS = (
    HeadFacts(
        "importance",
        4,
        "Importance by gradients",
        "Mean absolute gradient of the loss with respect to the head's gate, with its 95% "
        f"interval, and its rank among all heads. {CUT}",
        rows,
    ),
)
