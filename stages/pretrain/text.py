"""Plain text to learn from: JSON lines of texts, each a list of paragraphs."""

import hashlib
import json
from pathlib import Path

import numpy as np

from stages.core.lines import JsonLine, json_objects
from stages.core.stage.files import InputError
from stages.core.stage.settings import PARAMETER_FILE
from stages.core.tasks.texts import fault_of_text, has_half, shown

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
    for line in json_objects(path):
        try:
            paragraphs = paragraphs_of(line)
        except ValueError as fault:
            raise InputError(
                f"{path}, line {line.number}: not a text with `paragraphs` or `text` ({fault}); "
                "mend it"
            ) from None
        if paragraphs:
            texts.append(paragraphs)
    return texts


def paragraphs_of(line: JsonLine) -> Text:
    """The paragraphs of one line, without those of white space alone.

    Raises:
        ValueError: it has none, or something that is no text.
    """
    if line.values is None:
        raise ValueError(line.fault)
    key = next((key for key in ("paragraphs", "text") if key in line.values), None)
    if key is None:
        raise ValueError(f"its keys are {', '.join(line.values) or 'none'}")
    paragraphs = line.values[key]
    if key == "text" and isinstance(paragraphs, str):
        paragraphs = paragraphs.split("\n")
    if not isinstance(paragraphs, list):
        raise ValueError(f"`{key}` is {shown(paragraphs)}")
    for text in paragraphs:
        if not isinstance(text, str) or has_half(text):
            raise ValueError(f"{fault_of_text(text)} in `{key}`")
    return [text for paragraph in paragraphs if (text := paragraph.strip())]


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
