"""Prepare a corpus: text with annotation, written here, from a treebank or corpus, or recorded."""

import importlib
import os

import pandas as pd
import typer

from stages.core.corpora.annotation import check_annotation
from stages.core.corpora.entries import Corpus, RecordedCorpus, load_corpus_entry
from stages.core.corpora.store import write_corpus
from stages.core.corpora.tables import CORPUS_SIZES
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.known_tokens import Known, known_tokens, require_known
from stages.core.recordings.store import MapStore
from stages.core.stage.arms import CORPUS_ARMS
from stages.core.stage.files import InputError, atomic
from stages.core.stage.places import CORPORA, ENCODERS
from stages.core.tasks.examples import drawn_rows

# Of recorded tokens.
UNKNOWN, SPECIAL = ("[UNK]", "<unk>"), ("[CLS]", "[SEP]", "<s>", "</s>")


def read(name: str, entry: Corpus) -> pd.DataFrame:
    """Read a corpus and draw its texts; recorded maps keep all, in their order.

    Raises:
        InputError: the source is missing or damaged, two texts have one id, or the annotation of
            a text cannot be.
    """
    # By its name, so that DVC runs a corpus anew for its own reader alone (dvc.yaml).
    corpus = importlib.import_module(f"stages.corpus.{entry.source}").read(name, entry)
    if corpus["id"].duplicated().any():
        repeated = corpus["id"][corpus["id"].duplicated()].iloc[0]
        raise InputError(f"corpus {name}: two texts have the id {repeated!r}; make ids unique")
    file = getattr(entry, "path", "")
    check_annotation(corpus, f"corpus {name} ({file})" if file else f"corpus {name}")
    if isinstance(entry, RecordedCorpus):
        return corpus
    rows = drawn_rows(len(corpus), entry.texts, entry.seed)
    return corpus.iloc[rows].reset_index(drop=True)


def tokens_of(name: str, texts: pd.DataFrame, entry: Corpus) -> Known:
    """How many tokens a corpus has, and how many of them the encoder does not know.

    Recorded maps have their own tokens; other texts have those of the encoder that reads them.
    """
    if isinstance(entry, RecordedCorpus):
        tokens = MapStore(entry.path).tokens["tokens"]
        every = [token for row in tokens for token in row if token not in SPECIAL]
        return Known(len(every), sum(map(every.count, UNKNOWN)))
    encoders = [ENCODERS / arm for arm in CORPUS_ARMS if (ENCODERS / arm).is_dir()]
    if not encoders:
        return Known(0, 0)  # the studies say that there is no encoder to read it
    both = [*texts["text_a"].dropna(), *texts["text_b"].dropna()]
    return known_tokens(load_tokenizer(encoders[0]), both)


def run_stage(corpus: str | None = None) -> None:
    """Write work/corpora/CORPUS: its texts and annotations, and its maps if they were recorded."""
    # DVC says which stage it runs, as corpus@NAME; in a command it would not quote the name.
    corpus = corpus or os.environ.get("DVC_STAGE", "").partition("@")[2]
    if not corpus:
        raise InputError("no corpus is named; add `--corpus NAME`, as in `corpora` of params.yaml")
    entry = load_corpus_entry(corpus)
    texts = read(corpus, entry)
    known = tokens_of(corpus, texts, entry)
    require_known(corpus, known)
    with atomic(CORPORA / corpus) as folder:
        folder.mkdir()
        write_corpus(texts, folder / "corpus.parquet")
        if isinstance(entry, RecordedCorpus):
            MapStore(entry.path).copy(folder / "maps")
    words = sum(map(len, texts["words"]))
    CORPUS_SIZES.write(
        pd.DataFrame([[len(texts), words, *known]], columns=list(CORPUS_SIZES.values)),
        data=corpus,
    )
    typer.echo(f"{corpus}: {len(texts)} texts, {words} annotated words")
