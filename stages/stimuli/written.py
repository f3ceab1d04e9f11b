"""The stimuli that come with this project: generated sentences of known structure.

The conditions of attention are those of Lin et al. 2019 (section 4, Table 2), named as there: A1
and A2 have a phrase on the subject, A3 and A4 a clause, with a noun of the same number (A1, A3) or
the other; R1 and R2 an object, R3 and R4 a clause, R5 to R8 both, with nouns of the gender of the
reflexive or the other. The n-th sentence of every condition has the same content words.
"""

from collections.abc import Callable, Iterator
from typing import Any

from stages.core.stimuli.entries import WrittenStimuli
from stages.core.stimuli.store import TRAIN
from stages.core.tasks.examples import drawn_rows
from stages.core.written import written_rows


def attention_rows(entry: WrittenStimuli) -> Iterator[dict[str, Any]]:
    """The sentences of every condition, `sentences` of each; all conditions draw the same numbers.

    Raises:
        InputError: the file is missing or damaged.
    """
    rows = written_rows("attention")
    return _drawn(rows, entry, lambda row: row["condition"], lambda condition: entry.sentences)


def probe_rows(entry: WrittenStimuli) -> Iterator[dict[str, Any]]:
    """The sentences of every probe; the n-th token is asked of those of the main auxiliary.

    Raises:
        InputError: the file is missing or damaged.
    """

    def size(kind: str) -> int | None:
        return entry.train if kind.endswith(f"-{TRAIN}") else entry.test

    # An id is PROBE-PART-NUMBER, of the probe that the sentence was generated for.
    return _drawn(written_rows("probes"), entry, lambda row: row["id"].rpartition("-")[0], size)


def _drawn(
    rows: list[dict[str, Any]],
    entry: WrittenStimuli,
    kind_of: Callable[[dict[str, Any]], str],
    size_of: Callable[[str], int | None],
) -> Iterator[dict[str, Any]]:
    """The rows of some sentences of each kind; a sentence is known by its id."""
    sentences: dict[str, dict[str, None]] = {}
    for row in rows:
        sentences.setdefault(kind_of(row), {})[row["id"]] = None
    chosen = {
        identities[number]
        for kind, identities in ((kind, list(found)) for kind, found in sentences.items())
        for number in drawn_rows(len(identities), size_of(kind), entry.seed)
    }
    for row in rows:
        if row["id"] in chosen:
            yield row if entry.full_stop else row | {"words": row["words"][:-1]}
