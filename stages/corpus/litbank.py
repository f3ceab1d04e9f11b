"""LitBank's coreference (Bamman, Lewke and Mansoor 2020), a folder of CoNLL files.

The files give words, sentences and mentions. The head word of a mention and its kind come from the
trained tagger, as the files have neither.
"""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from transformers import PreTrainedTokenizerBase

from stages.core.annotation.tagger import Tagger
from stages.core.corpora.entries import LitbankCorpus, existing
from stages.core.corpora.store import corpus_frame, word
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.lines import numbered_lines
from stages.core.stage.arms import UNTUNED
from stages.core.stage.files import InputError
from stages.core.stage.places import ENCODERS, TAGGER

WORD_COLUMN = 3
KINDS = {"PRON": "pronoun", "PROPN": "proper"}

Span = tuple[int, int, int]  # first word, last word, cluster


def read(name: str, entry: LitbankCorpus) -> pd.DataFrame:
    """All documents as windows of whole sentences, as many as `max_length` tokens hold.

    A mention never lies in two sentences; a sentence that is longer than a window is cut where no
    mention is, and a window ends there. Links between windows are lost. `group` is the document.

    Raises:
        InputError: the folder has no such file, a file's brackets do not match, or there is no
            tagger.
    """
    tokenizer, tagger = load_tokenizer(ENCODERS / UNTUNED), Tagger.load(TAGGER)
    folder = existing(entry.path, name, "the folder with LitBank's .conll files", folder=True)
    files = sorted(folder.glob("*.conll"))
    if not files:
        raise InputError(f"{folder}: no .conll files; name the folder of LitBank that has them")
    return corpus_frame(
        row
        for file in files
        for row in windows(file.stem, read_document(file), tokenizer, tagger, entry.max_length)
    )


def read_document(file: Path) -> list[tuple[list[str], list[Span]]]:
    """The sentences of a document: words, and mentions with places in the sentence.

    Raises:
        InputError: a bracket has no partner in its sentence.
    """
    sentences: list[tuple[list[str], list[Span]]] = []
    words: list[str] = []
    spans: list[Span] = []
    open_at: dict[int, list[int]] = {}
    lines = [line.rstrip("\r\n") for _, line in numbered_lines(file)]
    for number, line in enumerate([*lines, ""], 1):
        cells = line.split("\t")
        if line.startswith("#"):
            continue
        if len(cells) > WORD_COLUMN:
            place = len(words)
            words.append(cells[WORD_COLUMN])
            try:
                for mark in _marks(cells[-1]):
                    cluster = int(mark.strip("()"))
                    if mark.startswith("("):
                        open_at.setdefault(cluster, []).append(place)
                    if mark.endswith(")"):
                        spans.append((open_at[cluster].pop(), place, cluster))
            except (KeyError, IndexError, ValueError):
                raise InputError(
                    f"{file}, line {number}: {cells[-1]!r} closes no mention; mend the brackets"
                ) from None
        elif words:
            sentences.append((words, sorted(spans)))
            words, spans = [], []
            if any(open_at.values()):
                raise InputError(f"{file}, line {number}: a mention does not end in its sentence")
    return sentences


def windows(
    document: str,
    sentences: list[tuple[list[str], list[Span]]],
    tokenizer: PreTrainedTokenizerBase,
    tagger: Tagger,
    max_length: int,
) -> Iterator[dict]:
    """Join sentences to windows of at most `max_length` tokens, as rows of a corpus."""
    room = max_length - tokenizer.num_special_tokens_to_add(pair=False)
    pieces = [piece for sentence in sentences for piece in _cut(*sentence, tokenizer, room)]
    window: list[tuple[list[str], list[Span]]] = []
    used = number = 0
    for words, spans in pieces:
        length = _length(words, tokenizer)
        if window and used + length > room:
            yield _row(document, number, window, tagger)
            window, used, number = [], 0, number + 1
        window.append((words, spans))
        used += length
    if window:
        yield _row(document, number, window, tagger)


def _marks(cell: str) -> list[str]:
    return [mark for mark in cell.replace("_", "").split("|") if mark.strip()]


def _length(words: list[str], tokenizer: PreTrainedTokenizerBase) -> int:
    return len(tokenizer(" ".join(words), add_special_tokens=False)["input_ids"])


def _cut(
    words: list[str], spans: list[Span], tokenizer: PreTrainedTokenizerBase, room: int
) -> Iterator[tuple[list[str], list[Span]]]:
    """A sentence in parts that fit, cut where no mention is (within one if there is no choice)."""
    while words and _length(words, tokenizer) > room:
        inside = {place for first, last, _ in spans for place in range(first + 1, last + 1)}
        fitting = max(
            (end for end in range(1, len(words)) if _length(words[:end], tokenizer) <= room),
            default=1,
        )
        end = next((end for end in range(fitting, 0, -1) if end not in inside), fitting)
        yield words[:end], [span for span in spans if span[1] < end]
        spans = [(first - end, last - end, c) for first, last, c in spans if first >= end]
        words = words[end:]
    if words:
        yield words, spans


def _row(
    document: str, number: int, window: list[tuple[list[str], list[Span]]], tagger: Tagger
) -> dict:
    words: list[dict] = []
    mentions: list[dict] = []
    text = ""
    clusters: dict[int, int] = {}
    for forms, spans in window:
        offset = len(words)
        for form, annotation in zip(forms, tagger.annotate(forms), strict=True):
            text += " " if text else ""
            head = annotation["head"]
            words.append(
                word(form, len(text)) | annotation | {"head": head + offset if head >= 0 else -1}
            )
            text += form
        for first, last, cluster in spans:
            head = _mention_head(words, first + offset, last + offset)
            mentions.append(
                {
                    "segment": 0,
                    "first": first + offset,
                    "last": last + offset,
                    "head": head,
                    "cluster": clusters.setdefault(cluster, len(clusters)),
                    "kind": KINDS.get(words[head]["upos"], "nominal"),
                }
            )
    mentions.sort(key=lambda mention: (mention["first"], -mention["last"]))
    return {
        "id": f"{document}-{number}",
        "group": document,
        "text_a": text,
        "words": words,
        "mentions": mentions,
    }


def _mention_head(words: list[dict], first: int, last: int) -> int:
    """The first word of a mention whose syntactic head lies outside of it."""
    outside = (
        place for place in range(first, last + 1) if not first <= words[place]["head"] <= last
    )
    return next(outside, last)
