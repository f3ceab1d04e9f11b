"""Heads that find syntactic heads (Clark et al. 2019, section 4.2, Table 1)."""

import pandas as pd

from stages.core.intervals.held_out import GAIN, SCORE
from stages.core.verdicts.answers import Answer, row_by_corpus
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.estimates import smallest
from stages.core.verdicts.measures import Measures, NotMeasured, studied
from stages.syntax.tables import ALL_LAYERS, BEST

POINTS = 100


@measure
def head_over_offset(measures: Measures, settings: Settings, relation: str) -> Answer:
    """Held-out accuracy of the relation's best head minus that of its best fixed offset."""
    return _first(_relation(measures, relation), GAIN)


@measure
def head_accuracy(measures: Measures, settings: Settings, relation: str) -> Answer:
    """Held-out accuracy of the relation's best head."""
    return _first(_relation(measures, relation), SCORE)


@measure
def weakest_accuracy(measures: Measures, settings: Settings, relations: list[str]) -> Answer:
    """The smallest held-out accuracy among the best heads of some relations."""
    found = {
        relation: _first(_relation(measures, relation), SCORE).pooled for relation in relations
    }
    return Answer(smallest(list(found.values())), found, "words")


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
    rows = studied(measures.frame(BEST))
    rows = rows[(rows["within"] == ALL_LAYERS) & (rows["relation"] == relation)]
    if rows.empty:
        raise NotMeasured(f"no corpus has enough cases of {relation}")
    return rows


def _first(rows: pd.DataFrame, interval: tuple[str, str, str]) -> Answer:
    """The value in points for every corpus; the first corpus decides.

    Args:
        interval: the columns of the value and its limits.
    """
    return row_by_corpus(rows, (*interval, "cases"), "words", POINTS)
