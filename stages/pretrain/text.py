"""Plain text to learn from: JSON lines of texts, each a list of paragraphs."""

import hashlib
import json
from pathlib import Path

import numpy as np

from stages.core.packed_lines import numbered_lines
from stages.core.stage.files import InputError
from stages.core.stage.settings import PARAMETER_FILE

Text = list[str]  # its paragraphs


def read_texts(path: Path) -> list[Text]:
    """The texts of a file, each as its paragraphs; empty ones are left out.

    A line is an object with `paragraphs`, a list, or with `text`, whose lines are the paragraphs.

    Raises:
        InputError: there is no such file, it is damaged, or a line has neither.
    """
    if not path.is_file():
        raise InputError(
            f"{PARAMETER_FILE}: `pretrain.text` is {path}, which is not there; name a file of JSON "
            "lines with `paragraphs` (.jsonl, .jsonl.gz or .jsonl.zst)"
        )
    texts: list[Text] = []
    for number, line in numbered_lines(path):
        try:
            paragraphs = paragraphs_of(line)
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{path}, line {number}: not a text with `paragraphs` or `text` ({error!r}); mend "
                "it"
            ) from None
        if paragraphs:
            texts.append(paragraphs)
    return texts


def paragraphs_of(line: str) -> Text:
    """The paragraphs of one line, without those of white space alone."""
    if not line.strip():
        return []
    content = json.loads(line)
    found = content["paragraphs"] if "paragraphs" in content else content["text"].splitlines()
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise TypeError("`paragraphs` is no list of texts")
    return [one for paragraph in found if (one := paragraph.strip())]


def split(texts: list[Text], held_out: int, seed: int) -> tuple[list[Text], list[Text]]:
    """Texts to learn from, and as many as `held_out` drawn by chance that are never learnt.

    Raises:
        InputError: nothing would be left to learn from.
    """
    if held_out >= len(texts):
        raise InputError(
            f"{PARAMETER_FILE}: `pretrain.held_out` is {held_out}, but `pretrain.text` has only "
            f"{len(texts)} texts; make it smaller"
        )
    drawn = set(np.random.default_rng(seed).permutation(len(texts))[:held_out].tolist())
    learnt = [text for row, text in enumerate(texts) if row not in drawn]
    return learnt, [texts[row] for row in sorted(drawn)]


def fingerprint_of(texts: list[Text]) -> str:
    """SHA-256 of the texts' words, whatever file and packing they came in."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(json.dumps(text, ensure_ascii=False).encode() + b"\n")
    return digest.hexdigest()
