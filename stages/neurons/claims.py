"""How patterns are computed (Vig 2019, part two)."""

import pandas as pd

from stages.core.stage.tables import interval_names
from stages.core.verdicts.answers import Answer, by_corpus
from stages.core.verdicts.claims import Settings, measure
from stages.core.verdicts.estimates import Estimate, difference_of, mean_on_same_examples
from stages.core.verdicts.measures import Measures, NotMeasured, studied
from stages.neurons.tables import NEURONS, REMOVED

PLACE = ["layer", "head"]
LEAST_HEADS = 3
LEAST_STRENGTH = 0.2  # of the heads that stand for a pattern


@measure
def neurons_of_patterns(
    measures: Measures, settings: Settings, column: str, pattern: str, against: str, share: float
) -> Answer:
    """A column of the heads that follow a pattern most, minus that of another pattern's heads.

    Args:
        column: share_1, share_2, ... (of the largest neurons) or sign_consistency.
        share: of all heads, those with the largest strengths stand for a pattern.
    """

    def difference(own: pd.DataFrame) -> Estimate:
        if column not in own:
            raise NotMeasured(f"`neurons.most_neurons` is too small for {column}")
        corpus, rows = own["corpus"].iloc[0], own.set_index(PLACE)
        one, other = (
            _mean(rows.loc[_heads(measures, corpus, name, share)], column)
            for name in (pattern, against)
        )
        return difference_of(one, other)

    return by_corpus(studied(measures.frame(NEURONS)), difference, "heads")


@measure
def strength_kept(
    measures: Measures, settings: Settings, pattern: str, removed: str, share: float
) -> Answer:
    """Strength of a pattern's heads without an embedding, as a share of that with it."""

    def kept(own: pd.DataFrame) -> Estimate:
        rows = own[(own["pattern"] == pattern) & (own["removed"] == removed)].set_index(PLACE)
        if rows.empty:
            raise NotMeasured(f"the encoder has no {removed} embeddings, or no text {pattern}")
        heads = rows.loc[_heads(measures, own["corpus"].iloc[0], pattern, share)]
        strength, change = _mean(heads, "strength"), _mean(heads, "change")
        # The widest that any dependence between the two can call for.
        low, high = sorted((change.low, change.high))
        low = low / (strength.low if low < 0 else strength.high)
        high = high / (strength.high if high < 0 else strength.low)
        return Estimate(1 + change.value / strength.value, 1 + low, 1 + high, len(heads))

    return by_corpus(studied(measures.frame(REMOVED)), kept, "heads")


def _heads(measures: Measures, corpus: str, pattern: str, share: float) -> list[tuple[int, int]]:
    """The heads that follow a pattern most: a share of all, `LEAST_HEADS` at least."""
    rows = studied(measures.frame(REMOVED))
    rows = rows[(rows["corpus"] == corpus) & (rows["pattern"] == pattern)]
    if rows.empty:
        raise NotMeasured(f"no text has what the pattern {pattern} needs")
    heads = rows.drop_duplicates(PLACE)
    count = max(LEAST_HEADS, round(share * len(heads)))
    chosen = heads.nlargest(count, "strength")
    if _mean(chosen, "strength").low < LEAST_STRENGTH:
        raise NotMeasured(f"no head follows the pattern {pattern} with {LEAST_STRENGTH} or more")
    return list(chosen[PLACE].itertuples(index=False, name=None))


def _mean(rows: pd.DataFrame, column: str) -> Estimate:
    names = interval_names(column)
    return mean_on_same_examples(
        [Estimate(*(row[name] for name in names), len(rows)) for _, row in rows.iterrows()]
    )
