"""The corpus that comes with this project: generated texts with their gold annotation."""

import pandas as pd

from stages.core.corpora.entries import WrittenCorpus
from stages.core.corpora.store import corpus_frame
from stages.core.written import written_rows


def read(name: str, entry: WrittenCorpus) -> pd.DataFrame:
    """Single texts or, where the entry asks for pairs, pairs of texts.

    `group` is the draw of the generator that a text comes from.

    Raises:
        InputError: the file is missing or damaged.
    """
    rows = written_rows("pairs" if entry.pairs else "sentences")
    return corpus_frame(row | {"id": f"{name}-{number:05d}"} for number, row in enumerate(rows))
