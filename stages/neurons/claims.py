"""How patterns are computed (Vig 2019, part two)."""

import numpy as np
import pandas as pd

from stages.core.stage.arms import RANDOM_WEIGHTS
from stages.core.verdicts.answers import Answer
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.estimates import Estimate, difference_of
from stages.core.verdicts.measures import Measures, NotMeasured
from stages.core.verdicts.of_data import of_data
from stages.neurons.tables import CHOSEN, STRENGTH, WITHOUT

LEAST_STRENGTH = 0.2  # of the heads that stand for a pattern


@measure
def neurons_of_patterns(
    measures: Measures, settings: Settings, column: str, pattern: str, against: str
) -> Answer:
    """A measure of the heads that follow a pattern most, less that of another pattern's heads.

    Args:
        column: share_1, share_2, ... (of the largest neurons) or sign_consistency.
    """

    def difference(rows: pd.DataFrame) -> Estimate:
        return difference_of(*(_of_heads(rows, name, column) for name in (pattern, against)))

    return of_data(measures, CHOSEN, difference, counted="texts")


@measure
def heads_of_pattern(measures: Measures, settings: Settings, column: str, pattern: str) -> Answer:
    """A measure of the heads that follow a pattern most, as `sep_to_cls`."""

    def mean(rows: pd.DataFrame) -> Estimate:
        return _of_heads(rows, pattern, column)

    return of_data(measures, CHOSEN, mean, counted="texts")


@measure
def signs_by_sentence(measures: Measures, settings: Settings, pattern: str) -> Answer:
    """Share of products of the largest neurons whose sign tells the sentences apart.

    The smaller of two shares: positive products of words of one sentence, and products of words of
    different sentences that are not positive.
    """

    def told_apart(rows: pd.DataFrame) -> Estimate:
        within = _of_heads(rows, pattern, "positive_within")
        across = _of_heads(rows, pattern, "positive_across")
        return Estimate.of_drawn(
            min(within.value, 1 - across.value),
            np.minimum(within.drawn, 1 - across.drawn),
            min(within.n, across.n),
        )

    return of_data(measures, CHOSEN, told_apart, counted="texts")


@measure
def strength_kept(measures: Measures, settings: Settings, pattern: str, removed: str) -> Answer:
    """Strength of a pattern's heads without an embedding, as a share of that with it."""

    def ratio(rows: pd.DataFrame) -> Estimate:
        before = _row(rows, pattern, STRENGTH)
        _require_followed(before, pattern)
        after = _row(rows, pattern, f"{WITHOUT}_{removed}")
        return Estimate.of_drawn(after.value / before.value, after.drawn / before.drawn, after.n)

    return of_data(measures, CHOSEN, ratio, counted="texts")


def _of_heads(rows: pd.DataFrame, pattern: str, name: str) -> Estimate:
    """A measure of a pattern's heads; of random weights, of the same layers and heads."""
    if rows["arm"].iloc[0] != RANDOM_WEIGHTS:
        _require_followed(_row(rows, pattern, STRENGTH), pattern)
    return _row(rows, pattern, name)


def _row(rows: pd.DataFrame, pattern: str, name: str) -> Estimate:
    rows = rows[(rows["pattern"] == pattern) & (rows["measure"] == name)]
    if rows.empty:
        raise NotMeasured(f"no text, or not this encoder, has {name} of the pattern {pattern}")
    (row,) = rows.to_dict("records")
    return Estimate.of_value(row, "score", int(row["texts"]))


def _require_followed(strength: Estimate, pattern: str) -> None:
    if not strength.low >= LEAST_STRENGTH:
        raise NotMeasured(f"no heads follow the pattern {pattern} with {LEAST_STRENGTH} or more")
