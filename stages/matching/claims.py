"""Heads that match equal terms across a pair, and their effects (query-title study, 2.1 and 2.4).

The control of attention is random weights, which select heads of their own. The control of tuning
and of ablation is the encoder that was tuned from random weights.
"""

from typing import Literal

import pandas as pd

from stages.core.stage.arms import RANDOM_WEIGHTS, Arm
from stages.core.verdicts.answers import Answer, NotMeasured
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.estimates import Estimate, difference_of
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.of_data import of_data
from stages.matching.tables import (
    ABLATED,
    ALL,
    DRAWS,
    GROUPS,
    MATCHING,
    RANDOM,
    READING,
    REST_RANDOM,
    SCORE,
    STRONGEST,
)

PERCENT = 100


@measure
def matching_score(
    measures: Measures, settings: Settings, task: str, arm: Arm, minus: str | None = None
) -> Answer:
    """The attention of the strongest heads to the equal term, beyond chance.

    Mean over the strongest heads of the lower half, which the same arm selected on training
    examples.

    Args:
        minus: a group of heads whose score is subtracted.
    """

    def score(groups: pd.DataFrame) -> Estimate:
        return _less(groups, "group", STRONGEST, minus, "share")

    rows = GROUPS.where(figure=SCORE)
    return of_data(measures, rows, score, decide=task, arm=arm, control=RANDOM_WEIGHTS)


@measure
def change_of_matching_heads(
    measures: Measures, settings: Settings, task: str, figure: str, minus: str | None = None
) -> Answer:
    """The change that tuning makes to a share of the matching heads' attention.

    The heads match in the tuned encoder. Their attention is that from terms with an equal term in
    the other text.

    Args:
        figure: one of `FIGURES`: `equal` (to the equal term), `itself`, `sep`.
        minus: a group of heads whose change is subtracted.
    """

    def change(groups: pd.DataFrame) -> Estimate:
        changes = [
            difference_of(*(_value(groups, "group", group, name) for name in ("share", "before")))
            for group in (MATCHING, minus)
            if group
        ]
        return changes[0] if minus is None else difference_of(*changes)

    return of_data(measures, GROUPS.where(figure=figure), change, decide=task)


@measure
def change_without_heads(
    measures: Measures, settings: Settings, task: str, ablated: str, minus: str | None = None
) -> Answer:
    """The change of the metric without some heads, in percent of the metric.

    Args:
        ablated: a set of heads of `stages.matching.tables`.
        minus: a set whose change is subtracted. If one of the sets is random, both changes are
            measured on the examples of the random draws.
    """

    def effect(effects: pd.DataFrame) -> Estimate:
        return _less(effects, "ablated", ablated, minus, "relative").scaled(PERCENT)

    sample = DRAWS if {ablated, minus} & {RANDOM, REST_RANDOM} else ALL
    return of_data(measures, ABLATED.where(sample=sample), effect, decide=task)


@measure
def reading_head(
    measures: Measures, settings: Settings, task: str, figure: Literal["share", "entropy"]
) -> Answer:
    """The [CLS] row of the reading head: without the matching heads minus without random heads."""

    def change(rows: pd.DataFrame) -> Estimate:
        return _less(rows, "ablated", MATCHING, RANDOM, figure)

    return of_data(measures, READING, change, decide=task)


def _less(rows: pd.DataFrame, key: str, name: str, minus: str | None, column: str) -> Estimate:
    """The value of the row with this name minus that of another row, if there is one."""
    value = _value(rows, key, name, column)
    return value if minus is None else difference_of(value, _value(rows, key, minus, column))


def _value(rows: pd.DataFrame, key: str, name: str, column: str) -> Estimate:
    """The value of the only row with this name in a key column.

    Raises:
        NotMeasured: there is no such row.
    """
    named = rows[rows[key] == name].to_dict("records")
    if not named:
        raise NotMeasured(f"nothing was measured of the heads: {name}")
    (row,) = named
    return Estimate.of_value(row, column, int(row["examples"]))
