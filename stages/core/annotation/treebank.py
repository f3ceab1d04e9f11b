"""Sentences of a treebank in CoNLL-U, read by the package `conllu`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import conllu

from stages.core.annotation.well_formed import first_fault
from stages.core.corpora.store import word
from stages.core.lines import numbered_lines
from stages.core.stage.files import InputError

NEGATIVE = ("Polarity=Neg", "PronType=Neg")


def sentences(path: Path) -> Iterator[tuple[conllu.TokenList, str]]:
    """Yield each sentence with the name of its document (its own, where the file names none).

    Raises:
        InputError: the file is not CoNLL-U, or a sentence has heads, ids or ranges that cannot be.
    """
    document = ""
    number = 0
    for number, (line, lines) in enumerate(_blocks(path), 1):
        if all(text.startswith("#") for text in lines):
            continue
        if fault := first_fault(lines):
            raise _refusal(path, line + fault[0], number, fault[1])
        try:
            (sentence,) = conllu.parse("".join(lines))
        except (conllu.exceptions.ParseException, ValueError) as error:
            raise _refusal(path, line, number, f"not CoNLL-U ({error})") from None
        document = sentence.metadata.get("newdoc id", document)
        yield sentence, document or sentence.metadata.get("sent_id", str(number))
    if not number:
        raise InputError(f"{path}: no sentences; name a CoNLL-U file")


def _blocks(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines of each sentence after the number of the first; empty lines end one."""
    block: list[str] = []
    for number, line in numbered_lines(path):
        if line.strip():
            block.append(line.rstrip("\r\n") + "\n")
        elif block:
            yield number - len(block), block
            block = []
    if block:
        yield number - len(block) + 1, block


def _refusal(path: Path, line: int, sentence: int, why: str) -> InputError:
    return InputError(f"{path}, line {line} (sentence {sentence}): {why}; mend the file")


def sentence_row(sentence: conllu.TokenList, group: str) -> dict[str, Any]:
    """A sentence as a row of a corpus.

    A multiword token (1-2) gives its place to the words that it stands for: each its own part where
    their forms add up to it ("do", "n't"), all of it otherwise.
    """
    text, words = "", []
    for surface, members in _surfaces(sentence):
        start, end = len(text), len(text) + len(surface["form"])
        parts = "".join(member["form"] for member in members) == surface["form"]
        for member in members:
            place = (start, start + len(member["form"])) if parts else (start, end)
            start = place[1] if parts else start
            feats = [f"{key}={value}" for key, value in (member["feats"] or {}).items()]
            words.append(
                word(
                    member["form"],
                    place[0],
                    end=place[1],
                    lemma=member["lemma"] or member["form"],
                    upos=member["upos"] or "",
                    feats="|".join(feats),
                    head=member["head"] - 1,  # ids count from 1, and 0 is the root
                    deprel=member["deprel"] or "",
                    negation=any(mark in feats for mark in NEGATIVE),
                )
            )
        text += surface["form"] + (" " if _space_after(surface) else "")
    identity = sentence.metadata.get("sent_id") or f"{group}-{text}"
    return {"id": identity, "group": group, "text_a": text.removesuffix(" "), "words": words}


def _surfaces(sentence: conllu.TokenList) -> Iterator[tuple[dict, list[dict]]]:
    """Yield each written token with its words; empty nodes (8.1) are left out."""
    words = {token["id"]: token for token in sentence if isinstance(token["id"], int)}
    spans = {
        token["id"][0]: token
        for token in sentence
        if isinstance(token["id"], tuple) and token["id"][1] == "-"
    }
    last = 0
    for number, token in words.items():
        if number <= last:
            continue
        surface = spans.get(number, token)
        last = surface["id"][2] if number in spans else number
        yield surface, [words[member] for member in range(number, last + 1)]


def _space_after(token: dict) -> bool:
    return (token["misc"] or {}).get("SpaceAfter") != "No"
