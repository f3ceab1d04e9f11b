"""Attention recorded elsewhere as a corpus: a folder of maps with its tokens, annotated or not.

The folder is the one that `stages.core.recordings.store` describes. Its `tokens.parquet` may have
further columns:

* `word`: for every token the number of its word, -1 for a token of none ([CLS], [SEP]);
* `words`, `mentions`, `frames`: annotations as in `stages.core.corpora.store`, empty for an example
  without; a word's `start` and `end` may be 0, as places in a text are not needed;
* `group`: what was recorded together; by default every example is a group of its own.
"""

import pandas as pd

from stages.core.corpora.entries import RecordedCorpus, existing
from stages.core.corpora.store import ANNOTATIONS, corpus_frame
from stages.core.recordings.store import MapStore
from stages.core.stage.files import InputError
from stages.corpus.sound_maps import check_maps, check_tokens


def read(name: str, entry: RecordedCorpus) -> pd.DataFrame:
    """The examples of a folder of maps, in the order of its index.

    Raises:
        InputError: it is no such folder, a file of it is damaged, maps cannot be attention, or
            tokens or `words` do not fit them.
    """
    folder = existing(entry.path, name, "a folder of maps (store.json and its files)")
    store = MapStore(folder)
    store.verify()
    check_tokens(store)
    check_maps(store)
    tokens = store.tokens
    known = [column for column in ("group", *ANNOTATIONS) if column in tokens]
    rows = []
    for number, identity in enumerate(store.ids):
        row = {"id": identity, "group": identity}
        row |= {column: _plain(tokens[column][number]) for column in known}
        if "word" in tokens and row.get("words"):
            numbers = tokens["word"][number]
            lowest, highest = min(numbers, default=-1), max(numbers, default=-1)
            if lowest < -1:
                raise InputError(
                    f"{folder}/tokens.parquet, example {identity!r}: a token belongs to word "
                    f"{lowest}; words count from 0, and -1 stands for none: mend `word`"
                )
            if highest >= len(row["words"]):
                raise InputError(
                    f"{folder}/tokens.parquet, example {identity!r}: a token belongs to word "
                    f"{highest}, but there are {len(row['words'])} words; mend `word` or `words`"
                )
        rows.append(row)
    return corpus_frame(rows)


def _plain(value: object) -> object:
    return list(value) if not isinstance(value, str) else value
