"""Heads that find syntactic heads (Clark et al. 2019, section 4.2, Table 1)."""

from dataclasses import replace

import numpy as np
import pandas as pd

from stages.core.intervals.held_out import GAIN, SCORE
from stages.core.stage.tables import interval_names
from stages.core.verdicts.answers import Answer, by_corpus, row_by_corpus
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.estimates import Estimate, smallest
from stages.core.verdicts.measures import Measures, NotMeasured, studied
from stages.syntax.tables import ALL_LAYERS, BEST, SEPARATORS

POINTS = 100


@measure
def head_over_offset(measures: Measures, settings: Settings, relation: str) -> Answer:
    """Held-out accuracy of the relation's best head minus that of its best fixed offset."""
    return row_by_corpus(_relation(measures, relation), (*GAIN, "cases"), "words", POINTS)


@measure
def head_accuracy(measures: Measures, settings: Settings, relation: str) -> Answer:
    """Held-out accuracy of the relation's best head."""
    return row_by_corpus(_relation(measures, relation), (*SCORE, "cases"), "words", POINTS)


@measure
def weakest_accuracy(measures: Measures, settings: Settings, relations: list[str]) -> Answer:
    """The smallest held-out accuracy among the best heads of some relations."""
    rows = measures.drawn(BEST)
    return _weakest(rows[rows["within"] == ALL_LAYERS], relations, (*SCORE, "cases"), POINTS)


@measure
def given_to_separators(
    measures: Measures, settings: Settings, relations: list[str], beyond_having: bool = False
) -> Answer:
    """What a relation's best head gives to [SEP] from words without the relation, held out.

    Of some relations it is the one with least.

    Args:
        beyond_having: less what it gives to [SEP] from words that have the relation.
    """
    column = "gain" if beyond_having else "lacking"
    columns = (*interval_names(column), "words_lacking")
    return _weakest(measures.drawn(SEPARATORS), relations, columns)


def _weakest(
    rows: pd.DataFrame,
    relations: list[str],
    columns: tuple[str, str, str, str],
    factor: float = 1,
) -> Answer:
    """The smallest value among some relations of a corpus, and so on each common resample.

    Args:
        columns: of the value, its limits, and the number of words.

    Raises:
        NotMeasured: no corpus has enough cases of each relation.
    """

    def weakest(own: pd.DataFrame) -> Estimate:
        if missing := set(relations) - set(own["relation"]):
            raise NotMeasured(f"there are too few cases of {', '.join(sorted(missing))}")
        each = [
            Estimate.of_row(row, columns[:3], int(row[columns[3]])).scaled(factor)
            for row in own.to_dict("records")
        ]
        drawn = np.min([estimate.drawn for estimate in each], axis=0)
        return replace(smallest(each), drawn=drawn)

    rows = rows[rows["relation"].isin(relations)]
    if rows.empty:
        raise NotMeasured(f"no corpus has enough cases of {', '.join(relations)}")
    return by_corpus(rows, weakest, "words")


@summary("syntax")
def best_heads(measures: Measures) -> dict:
    """For each corpus and relation the best head and its held-out accuracy."""
    rows = studied(measures.frame(BEST))
    table: dict = {}
    for row in rows[rows["within"] == ALL_LAYERS].to_dict("records"):
        found = {
            "head": f"{row['layer']}-{row['head']}",
            "accuracy": row["value"],
            "offset_accuracy": row["rival_value"],
        }
        table.setdefault(row["corpus"], {})[row["relation"]] = found
    return table


def _relation(measures: Measures, relation: str) -> pd.DataFrame:
    rows = measures.drawn(BEST)
    rows = rows[(rows["within"] == ALL_LAYERS) & (rows["relation"] == relation)]
    if rows.empty:
        raise NotMeasured(f"no corpus has enough cases of {relation}")
    return rows
