"""How patterns are computed (Vig 2019, part two)."""

import pandas as pd

from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.estimates import (
    Answer,
    Estimate,
    difference_of,
    first_of,
    mean_on_same_examples,
)
from stages.core.verdicts.measures import Measures, NotMeasured, studied

NEURONS = "neurons/{corpus}.parquet"
REMOVED = "neurons/{corpus}-removed.parquet"
PLACE = ["layer", "head"]
LEAST_HEADS = 3


@measure
def neurons_of_patterns(
    measures: Measures, settings: Settings, column: str, pattern: str, against: str, share: float
) -> Answer:
    """A column of the heads that follow a pattern most, minus that of another pattern's heads.

    Args:
        column: share_1, share_2, ... (of the largest neurons) or sign_consistency.
        share: of all heads, those with the largest strengths stand for a pattern.
    """

    def difference(corpus: str) -> Estimate:
        rows = studied(measures.frame(NEURONS))
        rows = rows[rows["corpus"] == corpus].set_index(PLACE)
        if column not in rows:
            raise NotMeasured(f"`neurons.most_neurons` is too small for {column}")
        one, other = (
            _mean(rows.loc[_heads(measures, corpus, name, share)], column)
            for name in (pattern, against)
        )
        return difference_of(one, other)

    return _first(measures, difference)


@measure
def strength_kept(
    measures: Measures, settings: Settings, pattern: str, removed: str, share: float
) -> Answer:
    """Strength of a pattern's heads without an embedding, as a share of that with it."""

    def kept(corpus: str) -> Estimate:
        rows = studied(measures.frame(REMOVED))
        rows = rows[
            (rows["corpus"] == corpus) & (rows["pattern"] == pattern) & (rows["removed"] == removed)
        ].set_index(PLACE)
        if rows.empty:
            raise NotMeasured(f"the encoder has no {removed} embeddings, or no text {pattern}")
        own = rows.loc[_heads(measures, corpus, pattern, share)]
        strength, change = _mean(own, "strength"), _mean(own, "change")
        return Estimate(
            1 + change.value / strength.value,
            1 + change.low / strength.value,
            1 + change.high / strength.value,
            len(own),
        )

    return _first(measures, kept)


def _heads(measures: Measures, corpus: str, pattern: str, share: float) -> list[tuple[int, int]]:
    """The heads that follow a pattern most: a share of all, `LEAST_HEADS` at least."""
    rows = studied(measures.frame(REMOVED))
    rows = rows[(rows["corpus"] == corpus) & (rows["pattern"] == pattern)]
    if rows.empty:
        raise NotMeasured(f"no text has what the pattern {pattern} needs")
    heads = rows.drop_duplicates(PLACE)
    count = max(LEAST_HEADS, round(share * len(heads)))
    return list(heads.nlargest(count, "strength")[PLACE].itertuples(index=False, name=None))


def _mean(rows: pd.DataFrame, column: str) -> Estimate:
    names = (column, f"{column}_low", f"{column}_high")
    return mean_on_same_examples(
        [Estimate(*(row[name] for name in names), len(rows)) for _, row in rows.iterrows()]
    )


def _first(measures: Measures, estimate) -> Answer:
    corpora = studied(measures.frame(NEURONS))["corpus"].unique()
    found = {corpus: estimate(corpus) for corpus in corpora}
    return first_of(found, "heads")
