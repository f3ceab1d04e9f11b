"""Attention recorded elsewhere as a corpus: a folder of maps with its tokens, annotated or not.

The folder is the one that `stages.core.recordings.store` describes. Its `tokens.parquet` may have
further columns:

* `word`: for every token the number of its word, -1 for a token of none ([CLS], [SEP]);
* `words`, `mentions`, `frames`: annotations as in `stages.core.corpora.store`, empty for an example
  without; a word needs its `text` alone, and its `start` and `end` may be 0, as places in a text
  are not needed;
* `group`: what was recorded together; by default every example is a group of its own.
"""

from typing import Any

import pandas as pd

from stages.core.corpora.entries import RecordedCorpus, existing
from stages.core.corpora.store import ANNOTATIONS, corpus_frame, word
from stages.core.recordings.sound import open_sound


def read(name: str, entry: RecordedCorpus) -> pd.DataFrame:
    """The examples of a folder of maps, in the order of its index.

    Raises:
        InputError: it is no such folder, a file of it is damaged, maps cannot be attention, or
            tokens or `words` do not fit them.
    """
    folder = existing(entry.path, name, "a folder of maps (store.json and its files)", folder=True)
    store = open_sound(folder)
    tokens = store.tokens
    rows = []
    for number, identity in enumerate(store.ids):
        row = {"id": identity, "group": identity}
        if "group" in tokens:
            row["group"] = tokens["group"][number]
        for column in ANNOTATIONS:
            if column in tokens and tokens[column][number] is not None:
                row[column] = list(tokens[column][number])
        row["words"] = [_whole(given) for given in row.get("words", [])]
        rows.append(row)
    return corpus_frame(rows)


def _whole(given: Any) -> Any:
    """A word with what it lacks; `stages.core.corpora.annotation` refuses what is no word."""
    if not isinstance(given, dict) or not isinstance(given.get("text"), str):
        return given
    known = {key: value for key, value in given.items() if value is not None}
    return word(given["text"], known.get("start", 0)) | known
