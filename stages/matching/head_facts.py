"""What a head's page shows of equal terms across a pair."""

import pandas as pd

from stages.core.pages.head_facts import HeadFacts, runs_in_words
from stages.core.stage.arms import TUNED
from stages.core.stage.tables import interval_names
from stages.core.verdicts.estimates import rows_over_seeds
from stages.core.verdicts.measures import Measures
from stages.matching.tables import HEADS, SCORE

KEYS = ["task", "layer", "head"]


def rows(measures: Measures) -> pd.DataFrame:
    """One row a task and head of the tuned encoder, over fine-tunings."""
    cells = measures.frame(HEADS)
    cells = cells[cells["arm"] == TUNED]
    names = interval_names(SCORE)
    found = rows_over_seeds(cells, KEYS, [names])
    in_words = dict(zip(names, ("score", "low", "high"), strict=True))
    chosen = cells.groupby(KEYS)["matching"].agg(chosen_in_words)
    each = cells.groupby(KEYS)[names[0]].agg(runs_in_words).rename("each fine-tuning")
    found = found.rename(columns=in_words).join(each, on=KEYS)
    return found.join(chosen.rename("among the matching heads"), on=KEYS)


def chosen_in_words(chosen: pd.Series) -> str:
    """In how many fine-tunings a head was chosen."""
    if len(chosen) == 1:
        return "yes" if bool(chosen.iloc[0]) else "no"
    return f"in {int(chosen.sum())} of {len(chosen)} fine-tunings"


FACTS = (
    HeadFacts(
        "matching",
        8,
        "Equal terms across a pair",
        "Its attention from a term to the equal one of the other text, beyond chance, in the tuned "
        "encoder, on examples that chose no head.",
        rows,
    ),
)
