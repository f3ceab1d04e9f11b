"""Where a relation's head looks from words without the relation (Clark et al. 2019, 3.2)."""

from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from stages.core.cross_fitting import Half, cross_fitted, with_intervals
from stages.core.intervals.groups import sums_of_groups
from stages.core.recordings.recording import Recording, Texts
from stages.core.tables import drawn_of, estimate_columns
from stages.syntax.words import Cases, Syntax, ToSeparators, place_of


def to_separators(
    cases: Cases,
    given: dict[str, ToSeparators],
    recording: Recording,
    texts: Texts,
    parameters: Syntax,
) -> pd.DataFrame:
    """One row a relation: how much its best head gives to [SEP] where the relation is and is not.

    Relations with too few cases are left out.
    """
    rows = []
    for relation, of_texts in given.items():
        counted = cases.relation == relation
        if counted.sum() < parameters.least_cases:
            continue
        hits = np.zeros((len(texts.groups), cases.hits.shape[1]))
        np.add.at(hits, cases.text[counted], cases.hits[counted])
        facts = _of_relation(hits, of_texts, texts, parameters)
        head = place_of(int(hits.sum(0).argmax()), recording)
        rows.append({"arm": recording.name, "relation": relation, **head, **facts})
    return pd.DataFrame(rows)


def _of_relation(
    hits: Float[np.ndarray, "text candidate"],
    given: ToSeparators,
    texts: Texts,
    parameters: Syntax,
) -> dict[str, Any]:
    """The shares that the head that is right most often on one half gives on the other half.

    Args:
        hits: how often each candidate is right in each text.
    """
    groups = texts.groups
    count = len(np.unique(groups))
    right, having, lacking, words_having, words_lacking = (
        sums_of_groups(part.T, groups)
        for part in (
            hits,
            given.having,
            given.lacking,
            given.words_having,
            given.words_lacking,
        )
    )
    chosen: set[int] = set()

    def shares(choosing: Half, scored: Half) -> Float[np.ndarray, "measure line"]:
        picks = choosing.sums(right).argmax(1)
        chosen.add(int(picks[0]))
        lines = np.arange(len(picks))
        without, with_it = (
            (scored.sums(sums) / scored.sums(words))[lines, picks]
            for sums, words in ((lacking, words_lacking), (having, words_having))
        )
        return np.stack([without, with_it, without - with_it])

    found = with_intervals(
        cross_fitted(shares, count, parameters.resamples, parameters.seed), count
    )
    best = int(right.sum(1).argmax())
    facts = {
        "words_lacking": int(words_lacking[best].sum()),
        "words_having": int(words_having[best].sum()),
        "same": len(chosen) == 1,
    }
    for number, column in enumerate(("lacking", "having", "gain")):
        ends = (part[number] for part in (found.value, found.low, found.high))
        facts |= estimate_columns(column, *ends)
        facts[drawn_of(column)] = found.drawn[number]
    return facts
