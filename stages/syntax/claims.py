"""Heads that find syntactic heads (Clark et al. 2019, section 4.2, Table 1)."""

from dataclasses import replace

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
    """The smallest held-out accuracy among the best heads of some relations.

    Raises:
        NotMeasured: no corpus has enough cases of each.
    """
    rows = pd.concat([_relation(measures, relation) for relation in relations])

    def weakest(own: pd.DataFrame) -> Estimate:
        if missing := set(relations) - set(own["relation"]):
            raise NotMeasured(f"too few cases of {', '.join(sorted(missing))}")
        each = [
            Estimate.of_row(row, SCORE, int(row["cases"])).scaled(POINTS)
            for row in own.to_dict("records")
        ]
        return _smallest_drawn(each)

    return by_corpus(rows, weakest, "words")


def _smallest_drawn(estimates: list[Estimate]) -> Estimate:
    """The smallest of estimates, and of them on each of their common resamples."""
    drawn = [item.drawn for item in estimates]
    return replace(smallest(estimates), drawn=pd.DataFrame(drawn).min().to_numpy())


@measure
def given_to_separators(
    measures: Measures, settings: Settings, relation: str, beyond_having: bool = False
) -> Answer:
    """What the relation's best head gives to [SEP] from words without the relation, held out.

    Args:
        beyond_having: less what it gives to [SEP] from words that have the relation.
    """
    rows = measures.drawn(SEPARATORS)
    rows = rows[rows["relation"] == relation]
    if rows.empty:
        raise NotMeasured(f"no corpus has enough cases of {relation}")
    column = "gain" if beyond_having else "lacking"
    return row_by_corpus(rows, (*interval_names(column), "words_lacking"), "words")


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
