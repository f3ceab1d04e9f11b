"""Prepare a corpus: text with annotation, written here, from a treebank or corpus, or recorded."""

import importlib
import shutil

import pandas as pd
import typer

from stages.core.corpora.entries import Corpus, RecordedCorpus, load_corpus_entry
from stages.core.corpora.store import write_corpus
from stages.core.stage.command import CorpusOption, stage_command
from stages.core.stage.files import InputError, atomic
from stages.core.stage.places import CORPORA
from stages.core.tasks.examples import drawn_rows


def read(name: str, entry: Corpus) -> pd.DataFrame:
    """Read a corpus and draw its texts; recorded maps keep all, in their order.

    Raises:
        InputError: the source is missing or damaged, or two texts have one id.
    """
    # By its name, so that DVC runs a corpus anew for its own reader alone (dvc.yaml).
    corpus = importlib.import_module(f"stages.corpus.{entry.source}").read(name, entry)
    if corpus["id"].duplicated().any():
        repeated = corpus["id"][corpus["id"].duplicated()].iloc[0]
        raise InputError(f"corpus {name}: two texts have the id {repeated!r}; make ids unique")
    if isinstance(entry, RecordedCorpus):
        return corpus
    rows = drawn_rows(len(corpus), entry.texts, entry.seed)
    return corpus.iloc[rows].reset_index(drop=True)


def main(corpus: CorpusOption) -> None:
    """Write work/corpora/CORPUS: its texts and annotations, and its maps if they were recorded."""
    entry = load_corpus_entry(corpus)
    texts = read(corpus, entry)
    with atomic(CORPORA / corpus) as folder:
        folder.mkdir()
        write_corpus(texts, folder / "corpus.parquet")
        if isinstance(entry, RecordedCorpus):
            shutil.copytree(entry.path, folder / "maps")
    words = sum(map(len, texts["words"]))
    typer.echo(f"{corpus}: {len(texts)} texts, {words} annotated words")


if __name__ == "__main__":
    stage_command(main)
