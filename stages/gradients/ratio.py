"""Gradients of attention to special tokens beside those of attention to words."""

import numpy as np
import pandas as pd

from stages.core.tables import drawn_of
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.estimates import Estimate

WORDS = "words"


def ratio_to_words(rows: pd.DataFrame, kind: str, by: str) -> Estimate:
    """The mean over layers for one kind over that for words, with its common resamples.

    Raises:
        NotMeasured: a kind has no row.
    """
    of_kind, words = (rows[rows["kind"] == name] for name in (kind, WORDS))
    if of_kind.empty or words.empty:
        raise NotMeasured(f"no text has {kind} tokens")
    above, below = (
        np.mean(np.stack(part[drawn_of(by)].tolist()), axis=0) for part in (of_kind, words)
    )
    value = of_kind[by].mean() / words[by].mean()
    return Estimate.of_drawn(value, above / below, int(of_kind["texts"].max()))
