"""Plain paragraphs: text without annotation (Clark et al. 2019, section 3)."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from stages.core.corpora.entries import ParagraphCorpus, existing
from stages.core.corpora.store import corpus_frame
from stages.core.lines import JsonLine, ending_of, json_objects, numbered_lines
from stages.core.stage.files import InputError
from stages.core.stage.settings import PARAMETER_FILE
from stages.core.tasks.texts import fault_of_text, identity_of, shown

Article = tuple[str, list[str]]  # its id and its paragraphs
FILES = "a file of JSON lines with `id` and `paragraphs`, or a .txt with blank lines between them"


def read(name: str, entry: ParagraphCorpus) -> pd.DataFrame:
    """Two consecutive paragraphs together, no paragraph twice, or each by itself.

    The file is .jsonl, an article a line, or .txt, with a blank line between paragraphs; both may
    be packed (.gz, .zst). `group` is the article; a .txt says nothing of articles, so that each of
    its texts is a group. What is longer than `max_length` tokens is cut when it is read.

    Raises:
        InputError: there is no such file, it is damaged, a line of it has no paragraphs, or the
            file has no text at all.
    """
    path = existing(entry.path, name, FILES)
    rows = []
    plain = ending_of(path) == ".txt"
    for article, paragraphs in [("", _blocks(path))] if plain else _articles(path):
        texts = list(zip(paragraphs[::2], paragraphs[1::2], strict=False))
        if not entry.pairs:
            texts = [(paragraph, None) for paragraph in paragraphs]
        for number, (one, other) in enumerate(texts):
            identity = f"{number}" if plain else f"{article}-{number}"
            group = identity if plain else article
            rows.append({"id": identity, "group": group, "text_a": one, "text_b": other})
    if not rows:
        pairs = "no two paragraphs that follow each other" if entry.pairs else "no paragraph"
        mend = f", or set `corpora.{name}.pairs: false` in {PARAMETER_FILE}" if entry.pairs else ""
        raise InputError(f"{path}: it has {pairs}; name {FILES}{mend}")
    return corpus_frame(rows)


def _blocks(path: Path) -> list[str]:
    """The paragraphs of a plain text, the lines of each joined by a space."""
    blocks: list[list[str]] = [[]]
    for _, line in numbered_lines(path):
        if text := line.strip():
            blocks[-1].append(text)
        elif blocks[-1]:
            blocks.append([])
    return [" ".join(block) for block in blocks if block]


def _articles(path: Path) -> Iterator[Article]:
    for line in json_objects(path):
        try:
            yield _article(line)
        except ValueError as fault:
            raise InputError(
                f"{path}, line {line.number}: not an article with `id` and `paragraphs`: {fault}; "
                "mend the line"
            ) from None


def _article(line: JsonLine) -> Article:
    if line.values is None:
        raise ValueError(line.fault)
    for key in ("id", "paragraphs"):
        if key not in line.values:
            raise ValueError(f"it has no `{key}`, but {', '.join(line.values) or 'no key'}")
    paragraphs = line.values["paragraphs"]
    if not isinstance(paragraphs, list):
        raise ValueError(f"`paragraphs` is {shown(paragraphs)}, not a list of texts")
    for number, text in enumerate(paragraphs):
        if fault := fault_of_text(text):
            raise ValueError(f"{fault} at place {number} of `paragraphs`, counted from 0")
    return identity_of(line.values["id"]), paragraphs
