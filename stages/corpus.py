"""Prepare a corpus: text with annotation, written here, from a treebank or corpus, or recorded."""

import shutil
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from stages.core.corpora.entries import Corpus, RecordedCorpus, load_corpus_entry
from stages.core.corpora.framenet import read_framenet
from stages.core.corpora.litbank import read_litbank
from stages.core.corpora.paragraphs import read_paragraphs
from stages.core.corpora.recorded import read_recorded
from stages.core.corpora.store import write_corpus
from stages.core.corpora.tagger import TAGGER, Tagger
from stages.core.corpora.treebank import read_treebank
from stages.core.corpora.written import read_written
from stages.core.encoder.checkpoint import load_tokenizer
from stages.core.project.examples import drawn_rows
from stages.core.project.files import InputError, atomic
from stages.core.project.parameters import stage_command

FOLDER = Path("work/corpora")
READERS = {
    "written": read_written,
    "conllu": read_treebank,
    "framenet": read_framenet,
    "paragraphs": read_paragraphs,
    "recorded": read_recorded,
}


def read(name: str, entry: Corpus) -> pd.DataFrame:
    """Read a corpus and draw its texts; recorded maps keep all, in their order.

    Raises:
        InputError: the source is missing or damaged, or two texts have one id.
    """
    if entry.source == "litbank":
        tokenizer = load_tokenizer(Path("work/encoders/pretrained"))
        corpus = read_litbank(name, entry, tokenizer, Tagger.load(TAGGER))
    else:
        corpus = READERS[entry.source](name, entry)
    if corpus["id"].duplicated().any():
        repeated = corpus["id"][corpus["id"].duplicated()].iloc[0]
        raise InputError(f"corpus {name}: two texts have the id {repeated!r}; make ids unique")
    if isinstance(entry, RecordedCorpus):
        return corpus
    rows = drawn_rows(len(corpus), entry.texts, entry.seed)
    return corpus.iloc[rows].reset_index(drop=True)


def main(corpus: Annotated[str, typer.Option(help="A key of `corpora` in params.yaml.")]) -> None:
    """Write work/corpora/CORPUS: its texts and annotations, and its maps if they were recorded."""
    entry = load_corpus_entry(corpus)
    texts = read(corpus, entry)
    with atomic(FOLDER / corpus) as folder:
        folder.mkdir()
        write_corpus(texts, folder / "corpus.parquet")
        if isinstance(entry, RecordedCorpus):
            shutil.copytree(entry.path, folder / "maps")
    words = sum(map(len, texts["words"]))
    typer.echo(f"{corpus}: {len(texts)} texts, {words} annotated words")


if __name__ == "__main__":
    stage_command(main)
