"""Heads that mark the ends of words (query-title study, section 2.2)."""

import numpy as np
import pandas as pd

from stages.boundaries.tables import ACCURACY, ALL_HEADS, BEST, BEST_HEAD, NESTED, UNIONS
from stages.core.tables import Selection, Table
from stages.core.verdicts.answers import Answer
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.estimates import Estimate
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.of_data import of_data, studied_rows

POINTS = 100
POSITIONS = "positions"


@measure
def boundary_accuracy(measures: Measures, settings: Settings, reader: str = BEST_HEAD) -> Answer:
    """Share of positions that a reader has right, held out, in points."""
    return _of_row(measures, BEST.where(metric=ACCURACY, reader=reader), "score", POINTS)


@measure
def boundaries_over_constant(
    measures: Measures, settings: Settings, reader: str = BEST_HEAD, score: str = ACCURACY
) -> Answer:
    """A reader's score minus that of the better constant: every token ends a word, or none does.

    Args:
        score: accuracy, in points, or F1.
    """
    rows = BEST.where(metric=score, reader=reader)
    if score == ACCURACY:
        return _of_row(measures, rows, "gain", POINTS)
    return _of_row(measures, rows, "gain", number="words", counted="words")


@measure
def all_heads_over_best(measures: Measures, settings: Settings) -> Answer:
    """Accuracy of the regression over all heads minus that of the best head or constant, in points.

    The better of the two counts, on each resample. A regression over heads that know nothing learns
    the constant, which is more accurate than the best of these heads.
    """

    def difference(rows: pd.DataFrame) -> Estimate:
        joint, best = (rows[rows["reader"] == name].iloc[0] for name in (ALL_HEADS, BEST_HEAD))
        cases = int(best["cases"])
        together = Estimate.of_value(joint, "score", cases)
        head, constant = (Estimate.of_value(best, name, cases) for name in ("score", "rival"))
        value = together.value - max(head.value, constant.value)
        drawn = together.drawn - np.maximum(head.drawn, constant.drawn)
        return Estimate.of_drawn(value, drawn, cases).scaled(POINTS)

    return of_data(measures, BEST.where(metric=ACCURACY), difference, counted=POSITIONS)


@measure
def boundary_union(measures: Measures, settings: Settings, heads: int) -> Answer:
    """Share of positions at which at least one of the best heads is right, in points."""
    return _of_row(measures, UNIONS.where(heads=heads), "score", POINTS)


@measure
def union_over_random_heads(measures: Measures, settings: Settings, heads: int) -> Answer:
    """The union of the best heads minus that of random heads, in points."""
    return _of_row(measures, UNIONS.where(heads=heads), "gain", POINTS)


@measure
def nested_boundaries(measures: Measures, settings: Settings) -> Answer:
    """Share of the coarser head's stretches made of the finer's whole ones, minus chance."""
    return _of_row(measures, NESTED, "gain")


@summary("boundaries")
def best_boundaries(measures: Measures) -> dict:
    """For each corpus the best head and all heads together, by both metrics."""
    table: dict = {}
    for row in studied_rows(measures.rows(BEST)).to_dict("records"):
        score = {"value": row["score"], "constant": row["rival"]}
        if row["place"]:
            score["head"] = row["place"]
        table.setdefault(row["data"], {}).setdefault(row["reader"], {})[row["metric"]] = score
    return table


def _of_row(
    measures: Measures,
    rows: Table | Selection,
    column: str,
    scale: float = 1,
    number: str = "cases",
    counted: str = POSITIONS,
) -> Answer:
    """A value of the one row that each corpus and arm has.

    Args:
        number: the column with the number of cases.
    """

    def estimate(of_arm: pd.DataFrame) -> Estimate:
        (row,) = of_arm.to_dict("records")
        return Estimate.of_value(row, column, int(row[number])).scaled(scale)

    return of_data(measures, rows, estimate, counted=counted)
