"""A corpus on disk: one parquet file, one row a text, the annotations of tasks and more.

Columns are those of `stages.core.tasks.examples.SCHEMA` where they make sense, and:

* `group`: the document, or the template's draw, that texts come from. Halves and bootstraps keep a
  group together, because its texts are alike.
* `frames`: a predicate (`target`, words from `target_first` to `target_last`) and one of its core
  elements (`first` to `last`); indices of words, last inclusive.

A list of words is in text order; words of a text that was cut away by `max_length` are there all
the same. `head` of a word without syntax is -1 and its `deprel` empty.
"""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from stages.core.stage.files import InputError, atomic
from stages.core.tasks.examples import MENTION, WORD

FRAME = pa.struct(
    [
        ("frame", pa.string()),
        ("element", pa.string()),
        ("target_first", pa.int32()),
        ("target_last", pa.int32()),
        ("first", pa.int32()),
        ("last", pa.int32()),
    ]
)
SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("group", pa.string()),
        ("text_a", pa.string()),  # null where only tokens are known
        ("text_b", pa.string()),
        ("words", pa.list_(WORD)),
        ("mentions", pa.list_(MENTION)),
        ("frames", pa.list_(FRAME)),
    ]
)
ANNOTATIONS = ("words", "mentions", "frames")


def corpus_frame(rows: Iterable[dict]) -> pd.DataFrame:
    """Build a corpus from dicts; annotations and texts that a row lacks are empty."""
    empty = {"text_a": None, "text_b": None} | {name: [] for name in ANNOTATIONS}
    return pd.DataFrame([empty | row for row in rows], columns=SCHEMA.names)


def write_corpus(corpus: pd.DataFrame, path: str | Path) -> None:
    """Write a corpus; the same corpus gives the same bytes."""
    columns = [
        pa.array(corpus[field.name].tolist(), type=field.type, from_pandas=True) for field in SCHEMA
    ]
    with atomic(path) as partial:
        pq.write_table(pa.table(columns, schema=SCHEMA), partial, compression="zstd")


def read_corpus(path: str | Path) -> pd.DataFrame:
    """Read a corpus, its annotations as lists of dicts.

    Raises:
        InputError: the file is missing, damaged, or holds other columns.
    """
    try:
        table = pq.read_table(path)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; run `dvc repro corpus` first") from None
    except pa.ArrowInvalid as error:
        raise InputError(f"{path}: not a readable parquet file ({error}); make it anew") from None
    if table.schema.names != SCHEMA.names:
        raise InputError(f"{path}: its columns are {table.schema.names}, not {SCHEMA.names}")
    frame = table.select(["id", "group"]).to_pandas()
    for name in ("text_a", "text_b", *ANNOTATIONS):
        frame[name] = pd.Series(table.column(name).to_pylist(), dtype=object)
    return frame[SCHEMA.names]


def word(text: str, start: int, segment: int = 0, **annotation: object) -> dict:
    """A word of a corpus; what is not given is empty."""
    empty = {
        "lemma": text.lower(),
        "upos": "",
        "feats": "",
        "head": -1,
        "deprel": "",
        "negation": False,
    }
    place = {"segment": segment, "text": text, "start": start, "end": start + len(text)}
    return place | empty | annotation
