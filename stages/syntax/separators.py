"""Where a relation's head looks from words without the relation (Clark et al. 2019, 3.2)."""

from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from stages.core.intervals.groups import line_weights, sums_of_groups
from stages.core.intervals.held_out import Half, of_best, with_intervals
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

    def shares(half: Half) -> Float[np.ndarray, "measure line candidate"]:
        without, with_it = (
            half.sums(sums) / half.sums(words)
            for sums, words in ((lacking, words_lacking), (having, words_having))
        )
        return np.stack([without, with_it, without - with_it])

    lines = line_weights(count, parameters.resamples, parameters.seed)
    measures, same = of_best(lambda half: half.sums(right), shares, lines, parameters.seed)
    found = with_intervals(measures, count)
    best = int(right.sum(1).argmax())
    facts = {
        "words_lacking": int(words_lacking[best].sum()),
        "words_having": int(words_having[best].sum()),
        "same": same,
    }
    for number, column in enumerate(("lacking", "having", "gain")):
        ends = (part[number] for part in (found.value, found.low, found.high))
        facts |= estimate_columns(column, *ends)
        facts[drawn_of(column)] = found.drawn[number]
    return facts
