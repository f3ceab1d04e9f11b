"""Sets of questions that a reader has learnt: only those say what it goes by."""

from collections.abc import Sequence

import pandas as pd

from stages.core.stage.arms import TUNED
from stages.core.verdicts.answers import NotMeasured, some_rows
from stages.core.verdicts.measures import Measures
from stages.reading.tables import ALL, BASELINES, INTACT, SCORES, WHOLE


def not_learnt(measures: Measures, reader: str = TUNED) -> list[str]:
    """Sets on which a reader is no better, on intact questions, than a guess or the longest option.

    By its mean over seeds. An attack could not mislead it, nor a head that is off change what it
    does with the passage.
    """
    scores, baselines = measures.frame(SCORES), some_rows(measures.frame(BASELINES))
    own = scores[(scores["reader"] == reader) & of_condition(scores, INTACT)]
    values = own.groupby("questions", sort=False)["value"].mean()
    best = baselines.groupby("questions")["value"].max()
    return [str(name) for name, value in values.items() if value <= best[name]]


def of_learnt(measures: Measures, rows: pd.DataFrame, reader: str = TUNED) -> pd.DataFrame:
    """The rows of a reader on sets that it has learnt; it says itself how rows name it.

    Raises:
        NotMeasured: there is none.
    """
    found = rows[(rows["reader"] == reader) & ~rows["questions"].isin(not_learnt(measures, reader))]
    if found.empty:
        raise NotMeasured(
            f"on no questions is the reader ({reader}) better than the longest option"
        )
    return found


def of_condition(
    rows: pd.DataFrame, condition: str, at: str = WHOLE, among: str = ALL
) -> Sequence[bool]:
    """Which rows of scores are of a condition, at a cut, over all questions or some."""
    return (rows["condition"] == condition) & (rows["at"] == at) & (rows["among"] == among)
