"""Several fine-tunings as one, joined as claims join them: one estimate has one interval."""

from collections.abc import Sequence
from itertools import chain

import pandas as pd

from stages.core.verdicts.estimates import Estimate, over_seeds


def drawn_rows_over_seeds(
    rows: pd.DataFrame, keys: list[str], columns: Sequence[tuple[str, str, str]]
) -> pd.DataFrame:
    """As `rows_over_seeds`, by the resamples of the rows: of `Measures.drawn`, not of `frame`.

    Without resamples the ends of the seeds' intervals are averaged, which is wider: what a page
    says would differ from the card of a claim on the same estimate.
    """
    found = []
    for values, group in rows.groupby(keys, sort=False):
        joint, runs = dict(zip(keys, values, strict=True)), group.to_dict("records")
        for names in columns:
            mean = over_seeds([Estimate.of_row(run, names, n=0) for run in runs])
            joint |= dict(zip(names, (mean.value, mean.low, mean.high), strict=True))
        found.append(joint)
    return pd.DataFrame(found) if found else rows[[*keys, *chain(*columns)]].iloc[:0]
