"""A treebank as a corpus: one CoNLL-U file."""

import pandas as pd
import typer

from stages.core.annotation.treebank import sentence_row, sentences
from stages.core.corpora.entries import TreebankCorpus, existing
from stages.core.corpora.store import corpus_frame


def read(name: str, entry: TreebankCorpus) -> pd.DataFrame:
    """All sentences of the file; those of one document (`# newdoc id`) are one group.

    Raises:
        InputError: there is no such file, or a sentence of it cannot be read.
    """
    path = existing(entry.path, name, "a CoNLL-U file")
    corpus = corpus_frame(sentence_row(sentence, group) for sentence, group in sentences(path))
    roots = corpus["words"].map(lambda words: sum(word["head"] < 0 for word in words))
    if (roots > 1).any():
        several = int((roots > 1).sum())
        typer.echo(
            f"{path}: {several} of {len(roots)} sentences have several roots; each of them counts "
            "as a root",
            err=True,
        )
    return corpus
