"""Stimuli on disk: `work/stimuli/NAME/probes.parquet` and `work/stimuli/NAME/attention.parquet`.

A sentence is its `words`, in small letters; the full stop, where `full_stop` asks for it, is the
last of them, and the 's of a possessor is a word of its own. All indices are of words, from 0.
`items` are the lexical items that a sentence's figures hang on: intervals draw these and not
sentences, as a few words make thousands of sentences.

Of `PROBES` (Lin et al. 2019, section 3) one row is a sentence and a probe. `id` is the sentence's:
rows of one id have the same words, and are told apart by probe and `position`.

* `probe`: main_auxiliary, subject_noun, nth_token;
* `part`: train; test, of sentences like those of train; relative, compound, possessive: sentences
  of a structure that train lacks, in which `first` is not the target;
* `target`: the word that the probe has to find;
* `position`: n of the n-th token, counted from 1; 0 otherwise;
* `first`: what the baseline says, the first auxiliary or the first noun; -1 of the n-th token.

Of `ATTENTION` (section 4) one row is a sentence.

* `phenomenon`: agreement, reflexive; `condition`: the release's number, or the name given here;
* `source`: the word whose attention is read: the auxiliary, or the reflexive;
* `right`: the words of what it belongs to; `wrong`: those of each distractor;
* `distractors`: how many these are; `matching`: how many of them agree with the right candidate in
  number (agreement) or gender (reflexive);
* `modifier`: where the distractors stand, one of `MODIFIERS`;
* `auxiliary`: of agreement, whether the source's form shows number (`AGREEING`) or not (`MODAL`).
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from stages.core.corpora.store import corpus_frame, word
from stages.core.stage.files import InputError, atomic
from stages.core.stage.places import WORK

STIMULI = WORK / "stimuli"
MAIN_AUXILIARY, SUBJECT_NOUN, NTH_TOKEN = "main_auxiliary", "subject_noun", "nth_token"
TRAIN, TEST = "train", "test"
RELATIVE, COMPOUND, POSSESSIVE = "relative", "compound", "possessive"
POSITIONS = range(2, 10)  # of the n-th token (Lin et al. 2019, section 3.3)
AGREEMENT, REFLEXIVE = "agreement", "reflexive"
PREPOSITIONAL, OBJECT, FAR_OBJECT = "prepositional", "object", "object after a clause"
CLAUSE_AND_OBJECT = "relative and object"
# Nowhere; in a phrase or clause on the right candidate; the object; the object, where a clause
# without a noun stands on the right candidate; one in the clause and one the object.
MODIFIERS = ("none", PREPOSITIONAL, RELATIVE, OBJECT, FAR_OBJECT, CLAUSE_AND_OBJECT)
MODAL, AGREEING = "modal", "agreeing"

_WORDS, _PLACES = pa.list_(pa.string()), pa.list_(pa.int32())
PROBES = pa.schema(
    [
        ("id", pa.string()),
        ("probe", pa.string()),
        ("part", pa.string()),
        ("words", _WORDS),
        ("target", pa.int32()),
        ("position", pa.int32()),
        ("first", pa.int32()),
        ("items", _WORDS),
    ]
)
ATTENTION = pa.schema(
    [
        ("id", pa.string()),
        ("phenomenon", pa.string()),
        ("condition", pa.string()),
        ("words", _WORDS),
        ("source", pa.int32()),
        ("right", _PLACES),
        ("wrong", pa.list_(_PLACES)),
        ("distractors", pa.int32()),
        ("matching", pa.int32()),
        ("modifier", pa.string()),
        ("auxiliary", pa.string()),
        ("items", _WORDS),
    ]
)
GLUED = (".", "'s")  # written without a space before them


def write_stimuli(name: str, probes: Iterable[dict], attention: Iterable[dict]) -> None:
    """Write both files of the set NAME; the same rows give the same bytes."""
    with atomic(STIMULI / name) as folder:
        folder.mkdir()
        for file, schema, rows in (
            ("probes", PROBES, probes),
            ("attention", ATTENTION, attention),
        ):
            table = pa.Table.from_pylist(list(rows), schema=schema)
            pq.write_table(table, folder / f"{file}.parquet", compression="zstd")


def read_probes(name: str) -> pd.DataFrame:
    """The sentences of probes of the set NAME, with the columns of `PROBES`.

    Raises:
        InputError: the file is missing, damaged, or has other columns.
    """
    return _read(STIMULI / name / "probes.parquet", PROBES)


def read_attention(name: str) -> pd.DataFrame:
    """The sentences whose attention is read, of the set NAME, with the columns of `ATTENTION`.

    Raises:
        InputError: the file is missing, damaged, or has other columns.
    """
    return _read(STIMULI / name / "attention.parquet", ATTENTION)


def _read(path: Path, schema: pa.Schema) -> pd.DataFrame:
    try:
        table = pq.read_table(path)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; run `dvc repro stimuli` first") from None
    except pa.ArrowInvalid as error:
        raise InputError(f"{path}: not a readable parquet file ({error}); make it anew") from None
    if table.schema.names != schema.names:
        raise InputError(f"{path}: its columns are {table.schema.names}, not {schema.names}")
    nested = {field.name for field in schema if pa.types.is_list(field.type)}
    plain = [name for name in schema.names if name not in nested]
    frame = table.select(plain).to_pandas()
    for name in nested:
        frame[name] = pd.Series(table.column(name).to_pylist(), dtype=object)
    return frame[schema.names]


def spelt(words: Sequence[str]) -> tuple[str, list[int]]:
    """The text of a sentence, and the character at which each word begins."""
    text, starts = "", []
    for one in words:
        starts.append(len(text) + (bool(text) and one not in GLUED))
        text = text.ljust(starts[-1]) + one
    return text, starts


def corpus_of(stimuli: pd.DataFrame) -> pd.DataFrame:
    """Sentences as a corpus, a row each, as encoders read it (`stages.core.recordings`).

    Args:
        stimuli: with the columns `id` and `words`, no id twice.
    """
    rows = []
    for identity, words in zip(stimuli["id"], stimuli["words"], strict=True):
        text, starts = spelt(words)
        of_words = [word(one, start) for one, start in zip(words, starts, strict=True)]
        rows.append({"id": identity, "group": identity, "text_a": text, "words": of_words})
    return corpus_frame(rows)
