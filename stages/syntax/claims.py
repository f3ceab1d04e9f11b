"""Heads that find syntactic heads (Clark et al. 2019, section 4.2, Table 1)."""

from dataclasses import replace

import numpy as np
import pandas as pd

from stages.core.tables import Selection
from stages.core.verdicts.answers import Answer
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.estimates import Estimate, smallest
from stages.core.verdicts.measures import Measures, NotMeasured
from stages.core.verdicts.of_data import of_data, studied_rows
from stages.syntax.tables import ALL_LAYERS, BEST, SEPARATORS

POINTS = 100
BEST_OF_ALL = BEST.where(within=ALL_LAYERS)


@measure
def head_over_offset(measures: Measures, settings: Settings, relation: str) -> Answer:
    """Held-out accuracy of the relation's best head minus that of its best fixed offset."""
    return _weakest(measures, BEST_OF_ALL, [relation], "gain", "cases", POINTS)


@measure
def head_accuracy(measures: Measures, settings: Settings, relation: str) -> Answer:
    """Held-out accuracy of the relation's best head."""
    return _weakest(measures, BEST_OF_ALL, [relation], "score", "cases", POINTS)


@measure
def weakest_accuracy(measures: Measures, settings: Settings, relations: list[str]) -> Answer:
    """The smallest held-out accuracy among the best heads of some relations."""
    return _weakest(measures, BEST_OF_ALL, relations, "score", "cases", POINTS)


@measure
def given_to_separators(
    measures: Measures, settings: Settings, relations: list[str], beyond_having: bool = False
) -> Answer:
    """The share that a relation's best head gives to [SEP] from words without the relation.

    The relation with the smallest share decides (section 3.2).

    Args:
        beyond_having: subtract the share from words that have the relation.
    """
    column = "gain" if beyond_having else "lacking"
    return _weakest(measures, Selection(SEPARATORS), relations, column, "words_lacking")


def _weakest(
    measures: Measures,
    rows: Selection,
    relations: list[str],
    column: str,
    counted: str,
    scale: float = 1,
) -> Answer:
    """The smallest value among some relations, on every common resample of the texts as well.

    Raises:
        NotMeasured: no corpus has enough cases of each relation.
    """

    def weakest(heads: pd.DataFrame) -> Estimate:
        if missing := set(relations) - set(heads["relation"]):
            raise NotMeasured(f"there are too few cases of {', '.join(sorted(missing))}")
        each = [
            Estimate.of_value(row, column, int(row[counted])).scaled(scale)
            for row in heads.to_dict("records")
        ]
        if len(each) == 1:
            return each[0]
        return replace(smallest(each), drawn=np.min([one.drawn for one in each], axis=0))

    return of_data(measures, rows.where(relation=relations), weakest, counted="words")


@summary("syntax")
def best_heads(measures: Measures) -> dict:
    """For each corpus and relation the best head and its held-out accuracy."""
    table: dict = {}
    for row in studied_rows(measures.rows(BEST_OF_ALL)).to_dict("records"):
        table.setdefault(row["data"], {})[row["relation"]] = {
            "head": f"{row['layer']}-{row['head']}",
            "accuracy": row["score"],
            "offset_accuracy": row["rival"],
        }
    return table
