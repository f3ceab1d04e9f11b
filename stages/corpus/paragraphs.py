"""Plain paragraphs, an article a line: text without annotation (Clark et al. 2019, section 3)."""

import json
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from stages.core.corpora.entries import ParagraphCorpus, existing
from stages.core.corpora.store import corpus_frame
from stages.core.packed_lines import numbered_lines
from stages.core.stage.files import InputError


def read(name: str, entry: ParagraphCorpus) -> pd.DataFrame:
    """Two consecutive paragraphs together, no paragraph twice, or each by itself.

    The file is .jsonl, .jsonl.gz or .jsonl.zst. `group` is the article. What is longer than
    `max_length` tokens is cut when it is read.

    Raises:
        InputError: there is no such file, it is damaged, or a line of it has no paragraphs.
    """
    path = existing(entry.path, name, "a file of JSON lines with `id` and `paragraphs`")
    rows = []
    for article, paragraphs in _articles(path):
        texts = list(zip(paragraphs[::2], paragraphs[1::2], strict=False))
        if not entry.pairs:
            texts = [(paragraph, None) for paragraph in paragraphs]
        rows += [
            {"id": f"{article}-{number}", "group": article, "text_a": one, "text_b": other}
            for number, (one, other) in enumerate(texts)
        ]
    return corpus_frame(rows)


def _articles(path: Path) -> Iterator[tuple[str, list[str]]]:
    for number, line in numbered_lines(path):
        try:
            article = json.loads(line)
            identity = str(article["id"])
            paragraphs = [str(text) for text in article["paragraphs"]]
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{path}, line {number}: not an article with `id` and `paragraphs` "
                f"({error!r}); mend the line"
            ) from None
        yield identity, paragraphs
