"""Heads that mark the ends of words (query-title study, section 2.2)."""

import numpy as np
import pandas as pd

from stages.boundaries.tables import ACCURACY, ALL_HEADS, BEST, BEST_HEAD, NESTED, UNIONS
from stages.core.intervals.held_out import GAIN, RIVAL, SCORE
from stages.core.verdicts.answers import Answer, by_corpus, row_by_corpus
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.estimates import Estimate
from stages.core.verdicts.measures import Measures, NotMeasured, studied

POINTS = 100
POSITIONS = "positions"


@measure
def boundary_accuracy(measures: Measures, settings: Settings, reader: str = BEST_HEAD) -> Answer:
    """Share of positions that a reader has right, held out, in points."""
    rows = _read(measures, reader, ACCURACY)
    return row_by_corpus(rows, (*SCORE, "cases"), POSITIONS, POINTS)


@measure
def boundaries_over_constant(
    measures: Measures, settings: Settings, reader: str = BEST_HEAD, score: str = ACCURACY
) -> Answer:
    """A reader's score less that of the better constant: every token ends a word, or none does.

    Args:
        score: accuracy, in points, or F1.
    """
    rows = _read(measures, reader, score)
    counted, factor = (POSITIONS, POINTS) if score == ACCURACY else ("words", 1)
    number = "cases" if score == ACCURACY else "words"
    return row_by_corpus(rows, (*GAIN, number), counted, factor)


@measure
def all_heads_over_best(measures: Measures, settings: Settings) -> Answer:
    """Accuracy of the regression over all heads less that of the best head or constant, in points.

    Whichever of the two is better, on each resample: a regression over heads that know nothing
    learns the constant, and that is more than the best of such heads has.
    """
    rows = measures.drawn(BEST)
    rows = rows[rows["score"] == ACCURACY].set_index("reader", drop=False)

    def difference(own: pd.DataFrame) -> Estimate:
        together, best = (own.loc[reader].to_dict() for reader in (ALL_HEADS, BEST_HEAD))
        cases = int(best["cases"])
        one, head = (Estimate.of_row(row, SCORE, cases) for row in (together, best))
        constant = Estimate.of_row(best, RIVAL, cases)
        better = np.maximum(head.drawn, constant.drawn)
        value = one.value - max(head.value, constant.value)
        return Estimate.of_drawn(value, one.drawn - better, cases).scaled(POINTS)

    return by_corpus(rows, difference, POSITIONS)


@measure
def boundary_union(measures: Measures, settings: Settings, heads: int) -> Answer:
    """Share of positions that at least one of the best heads has right, in points."""
    return row_by_corpus(_union(measures, heads), (*SCORE, "cases"), POSITIONS, POINTS)


@measure
def union_over_random_heads(measures: Measures, settings: Settings, heads: int) -> Answer:
    """The union of the best heads less that of as many heads drawn at random, in points."""
    return row_by_corpus(_union(measures, heads), (*GAIN, "cases"), POSITIONS, POINTS)


@measure
def nested_boundaries(measures: Measures, settings: Settings) -> Answer:
    """Stretches of the coarser of two good heads made of the finer's whole ones, less chance."""
    return row_by_corpus(measures.drawn(NESTED), (*GAIN, "cases"), POSITIONS)


@summary("boundaries")
def best_boundaries(measures: Measures) -> dict:
    """For each corpus the best head and all heads together, by both scores."""
    table: dict = {}
    for row in studied(measures.frame(BEST)).to_dict("records"):
        found = {"value": row["value"], "constant": row["rival_value"]}
        if row["place"]:
            found["head"] = row["place"]
        table.setdefault(row["corpus"], {}).setdefault(row["reader"], {})[row["score"]] = found
    return table


def _read(measures: Measures, reader: str, score: str) -> pd.DataFrame:
    rows = measures.drawn(BEST)
    return rows[(rows["reader"] == reader) & (rows["score"] == score)]


def _union(measures: Measures, heads: int) -> pd.DataFrame:
    rows = measures.drawn(UNIONS)
    rows = rows[rows["heads"] == heads]
    if rows.empty:
        raise NotMeasured(f"`boundaries.unions` has no {heads}, or the encoder has fewer heads")
    return rows
