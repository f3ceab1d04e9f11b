"""Examples of a task with their gold annotation: one parquet file for a split, one row for each.

`words` are in text order, those of `text_a` (segment 0) before those of `text_b` (segment 1).
`head` is an index into `words`, -1 for a root. A word without syntax has the empty `deprel` and
head -1. `mentions` name words of one segment; a cluster is one referent within one segment, as the
two texts of a pair are separate texts. `shared` are the content words of the two texts with equal
lemmas.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from jaxtyping import Int

from stages.core.stage.files import InputError, atomic

WORD = pa.struct(
    [
        ("segment", pa.int8()),  # 0 for text_a, 1 for text_b
        ("text", pa.string()),
        ("start", pa.int32()),  # characters of the segment's text, end exclusive
        ("end", pa.int32()),
        ("lemma", pa.string()),
        ("upos", pa.string()),  # UD part of speech
        ("feats", pa.string()),  # UD features, "" for none
        ("head", pa.int32()),
        ("deprel", pa.string()),  # UD relation
        ("negation", pa.bool_()),  # a negation word, as not, never, nobody
    ]
)
MENTION = pa.struct(
    [
        ("segment", pa.int8()),
        ("first", pa.int32()),  # indices of words, last inclusive
        ("last", pa.int32()),
        ("head", pa.int32()),
        ("cluster", pa.int32()),
        ("kind", pa.string()),  # pronoun, proper, nominal
    ]
)
SHARED = pa.struct([("a", pa.int32()), ("b", pa.int32())])
SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("text_a", pa.string()),
        ("text_b", pa.string()),  # null for single texts
        ("label", pa.float64()),  # number of the class, or the score
        ("words", pa.list_(WORD)),
        ("mentions", pa.list_(MENTION)),
        ("shared", pa.list_(SHARED)),
    ]
)
ANNOTATIONS = ("words", "mentions", "shared")


def examples_frame(rows: Iterable[dict]) -> pd.DataFrame:
    """Build a frame of examples from dicts; annotations that a row lacks are empty."""
    empty = {"text_b": None} | {name: [] for name in ANNOTATIONS}
    return pd.DataFrame([empty | row for row in rows], columns=SCHEMA.names)


def read_examples(path: str | Path) -> pd.DataFrame:
    """Read a split: columns of `SCHEMA`, the annotations as lists of dicts.

    Raises:
        InputError: the file is missing, damaged, or holds other columns.
    """
    try:
        table = pq.read_table(path)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; run `python -m stages prepare` first") from None
    except pa.ArrowInvalid as error:
        raise InputError(
            f"{path}: not a readable parquet file ({error}); prepare it anew"
        ) from None
    if table.schema.names != SCHEMA.names:
        raise InputError(f"{path}: its columns are {table.schema.names}, not {SCHEMA.names}")
    frame = table.select(["id", "text_a", "text_b", "label"]).to_pandas()
    frame["text_b"] = table.column("text_b").to_pylist()
    for name in ANNOTATIONS:
        frame[name] = table.column(name).to_pylist()
    return frame


def write_examples(examples: pd.DataFrame, path: str | Path) -> None:
    """Write a split; the same examples give the same bytes."""
    columns = [
        pa.array(examples[field.name].tolist(), type=field.type, from_pandas=True)
        for field in SCHEMA
    ]
    with atomic(path) as partial:
        pq.write_table(pa.table(columns, schema=SCHEMA), partial, compression="zstd")


def draw_examples(examples: pd.DataFrame, count: int | None, seed: int) -> pd.DataFrame:
    """`count` examples drawn without replacement, in the order of the frame; all where null.

    The index of the result counts the rows of `examples`.
    """
    rows = drawn_rows(len(examples), count, seed)
    return examples.reset_index(drop=True).iloc[rows]


def drawn_rows(
    total: int, count: int | None, seed: int | Sequence[int]
) -> Int[np.ndarray, " drawn"]:
    """`count` of `total` row numbers without replacement, in ascending order; all where null."""
    return np.sort(np.random.default_rng(seed).permutation(total)[:count])


def validate(
    examples: pd.DataFrame, source: str, labels: int | None, names: Sequence[str] = ()
) -> None:
    """Refuse examples that no model can be trained or scored on.

    Args:
        examples: a frame with the columns of `SCHEMA`.
        source: the file or data set the rows came from, for the message.
        labels: the number of classes; None for a score.
        names: the names of the classes, for the message.

    Raises:
        InputError: a row lacks a text, has an unknown label or an id that another row has; or
            only some rows have a second text; or there is no row.
    """
    if examples.empty:
        raise InputError(f"{source}: no rows; check the name of the split and the file")
    pairs = examples["text_b"].notna()
    seen: dict[str, int] = {}
    for row, (id_, a, b, label) in enumerate(
        zip(*(examples[name] for name in ("id", "text_a", "text_b", "label")), strict=True)
    ):
        where = f"{source}, row {row} (id {id_!r})"
        if id_ in seen:
            raise InputError(f"{where}: row {seen[id_]} has this id too; make ids unique")
        seen[id_] = row
        for column, text in (("text_a", a), ("text_b", b)):
            if column == "text_b" and not pairs.any():
                continue
            if not isinstance(text, str) or not text.strip():
                raise InputError(f"{where}: {column} is missing or empty; fill or remove the row")
        if labels is None:
            if not isinstance(label, (int, float)) or not abs(label) < float("inf"):
                raise InputError(f"{where}: the score is {label!r}, not a finite number")
        elif label not in range(labels):
            known = ", ".join(names) or f"0 to {labels - 1}"
            raise InputError(f"{where}: unknown label {label!r}; known are {known}")
