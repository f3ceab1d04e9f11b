"""A treebank as a corpus: one CoNLL-U file."""

import pandas as pd

from stages.core.annotation.treebank import sentence_row, sentences
from stages.core.corpora.entries import TreebankCorpus, existing
from stages.core.corpora.store import corpus_frame


def read(name: str, entry: TreebankCorpus) -> pd.DataFrame:
    """All sentences of the file; those of one document (`# newdoc id`) are one group.

    Raises:
        InputError: there is no such file, or a sentence of it cannot be read.
    """
    path = existing(entry.path, name, "a CoNLL-U file")
    return corpus_frame(sentence_row(sentence, group) for sentence, group in sentences(path))
