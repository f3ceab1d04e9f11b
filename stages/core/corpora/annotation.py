"""Whether the annotation of a corpus can be, whichever source it comes from.

Indices count from 0, so a wrong one would silently name another word, and -1 the last one.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from stages.core.annotation.well_formed import first_without_root
from stages.core.corpora.store import FRAME
from stages.core.stage.files import InputError
from stages.core.tasks.examples import MENTION, WORD

MENTION_KINDS = ("pronoun", "proper", "nominal")
WHOLE = (int, np.integer)
LARGEST = np.iinfo(np.int32).max  # of what a corpus on disk holds
# Real treebanks have underscores in one word of 1,000 (LitBank), most have fewer.
WITHHELD_SHARE = 0.05
# The commonest word of real text, as "the" or a comma, is one in fifteen.
ALIKE_SHARE, ALIKE_WORDS = 0.5, 20


def check_annotation(corpus: pd.DataFrame, source: str) -> None:
    """Check the columns of `stages.core.corpora.store.SCHEMA` of every text.

    Args:
        source: the corpus and its file, for the message.

    Raises:
        InputError: there is no text; a word, mention or frame is wrong, which the message names;
            or the words are withheld.
    """
    if corpus.empty:
        raise InputError(f"{source}: it has no texts; mend the file, or name another")
    forms: Counter[str] = Counter()
    for text in corpus.to_dict("records"):
        if fault := _fault(text):
            raise InputError(f"{source}, text {text['id']!r}: {fault}; mend the annotation")
        forms.update(_forms(text))
    require_words(forms, source)


def require_words(forms: Iterable[str], source: str) -> None:
    """Refuse text whose words are withheld: underscores or nothing stands for them, or one word.

    Publishers who may not pass on a text give its annotation alone.

    Raises:
        InputError: more than `WITHHELD_SHARE` of the words are withheld, or most are alike.
    """
    counted = Counter(forms)
    total = counted.total()
    withheld = sum(count for form, count in counted.items() if not form.strip("_ \t\n"))
    if withheld > WITHHELD_SHARE * total:
        raise InputError(
            f"{source}: {withheld} of {total} words are empty or underscores: the words are "
            "withheld; restore the text first, as its publisher describes"
        )
    # Marks may be most of few short sentences.
    spelt = Counter({form: n for form, n in counted.items() if any(map(str.isalnum, form))})
    ((commonest, count),) = (spelt or counted).most_common(1) or [("", 0)]
    if total >= ALIKE_WORDS and count > ALIKE_SHARE * total:
        raise InputError(
            f"{source}: {count} of {total} words are {commonest!r}: the words are withheld; "
            "restore the text first, as its publisher describes"
        )


def _forms(text: dict[str, Any]) -> Iterator[str]:
    """The words as an encoder reads them; those between spaces where nothing is annotated."""
    texts = (text["text_a"], text["text_b"])
    for word in text["words"]:
        written = texts[word["segment"]]
        yield word["text"] if written is None else written[word["start"] : word["end"]]
    if not len(text["words"]):
        for written in texts:
            yield from (written or "").split()


def _fault(text: dict[str, Any]) -> str:
    for key in ("id", "group"):
        if not isinstance(text[key], str) or not text[key]:
            return f"its `{key}` is {text[key]!r}, no text"
    for key, (fields, fault_of) in CHECKS.items():
        for number, entry in enumerate(text[key]):
            if fault := _wrong_type(entry, fields) or fault_of(entry, text):
                return f"{key.removesuffix('s')} {number} {fault}"
    return _fault_of_order(text) or _fault_of_heads(text["words"]) or _twice(text["mentions"])


def _wrong_type(entry: Any, fields: dict[str, tuple[type, ...]]) -> str:
    if not isinstance(entry, dict):
        return f"is {entry!r}, without {', '.join(fields)}"
    for name, types in fields.items():
        value = entry.get(name)
        # True is a whole number to Python.
        if not isinstance(value, types) or (types == WHOLE and isinstance(value, bool)):
            return f"has {value!r} as its `{name}`, which is no {types[0].__name__}"
        if types == WHOLE and not -1 <= value <= LARGEST:
            return f"has {value} as its `{name}`, no number from -1 to {LARGEST}"
    return ""


def _types(struct: pa.StructType) -> dict[str, tuple[type, ...]]:
    """The types of Python that the fields of a struct may have."""
    known = {pa.string(): (str,), pa.bool_(): (bool, np.bool_)}
    return {field.name: known.get(field.type, WHOLE) for field in struct}


def _fault_of_word(word: dict[str, Any], text: dict[str, Any]) -> str:
    if word["segment"] not in (0, 1):
        return f"has the segment {word['segment']}, neither 0 nor 1"
    # Both are null where only tokens are known.
    written = (text["text_a"], text["text_b"])[word["segment"]]
    if written is None and text["text_a"] is not None:
        return "has the segment 1, but there is no second text"
    if not 0 <= word["start"] <= word["end"]:
        return f"goes from character {word['start']} to {word['end']}"
    if written is not None and not word["start"] < word["end"] <= len(written):
        return f"goes from character {word['start']} to {word['end']} of a text of {len(written)}"
    return ""


def _fault_of_order(text: dict[str, Any]) -> str:
    for number, (before, after) in enumerate(pairwise(text["words"]), 1):
        if after["segment"] < before["segment"]:
            return f"word {number} has the segment 0, but the word before it has 1"
        # Words that are written as one have the same characters, as "du" in French.
        spans = [(word["start"], word["end"]) for word in (before, after)]
        apart = before["segment"] < after["segment"] or before["end"] <= after["start"]
        if text["text_a"] is not None and not apart and spans[0] != spans[1]:
            return f"word {number} begins before word {number - 1} ends"
    return ""


def _fault_of_heads(words: list[dict[str, Any]]) -> str:
    heads = [word["head"] for word in words]
    for number, head in enumerate(heads):
        if head >= len(words):
            return (
                f"the head of word {number} is {head}, but the last word is {len(words) - 1} "
                "(words count from 0)"
            )
        if head >= 0 and words[head]["segment"] != words[number]["segment"]:
            return f"the head of word {number} is {head}, a word of the other text"
    lost = first_without_root(heads)
    return "" if lost is None else f"the heads of word {lost} go in a circle and never lead to -1"


def _fault_of_span(words: list[dict[str, Any]], first: int, last: int) -> str:
    if not 0 <= first <= last < len(words):
        return (
            f"goes from word {first} to {last} of {len(words)} words (they count from 0, and the "
            "first of a span stands before its last)"
        )
    return ""


def _fault_of_mention(mention: dict[str, Any], text: dict[str, Any]) -> str:
    words = text["words"]
    first, last, head = mention["first"], mention["last"], mention["head"]
    if fault := _fault_of_span(words, first, last):
        return fault
    if not first <= head <= last:
        return f"goes from word {first} to {last}, but its head is word {head}"
    if {words[first]["segment"], words[last]["segment"]} != {mention["segment"]}:
        return f"has the segment {mention['segment']}, but its words have another"
    if mention["cluster"] < 0:
        return f"has the cluster {mention['cluster']}; clusters count from 0"
    if mention["kind"] not in MENTION_KINDS:
        return f"is of the kind {mention['kind']!r}, none of {', '.join(MENTION_KINDS)}"
    return ""


def _twice(mentions: list[dict[str, Any]]) -> str:
    spans: dict[tuple[int, int], int] = {}
    for number, mention in enumerate(mentions):
        earlier = spans.setdefault((mention["first"], mention["last"]), number)
        if earlier != number:
            return f"mentions {earlier} and {number} are the same words"
    return ""


def _fault_of_frame(frame: dict[str, Any], text: dict[str, Any]) -> str:
    words = text["words"]
    target, element = (frame["target_first"], frame["target_last"]), (frame["first"], frame["last"])
    for name, span in (("target", target), ("element", element)):
        if fault := _fault_of_span(words, *span):
            return f"has the {name} wrong: it {fault}"
    if target[0] <= element[1] and element[0] <= target[1]:
        return f"has the target {target} and the element {element}, which overlap"
    if len({words[number]["segment"] for number in (*target, *element)}) > 1:
        return "has words of both texts"
    return ""


CHECKS = {
    "words": (_types(WORD), _fault_of_word),
    "mentions": (_types(MENTION), _fault_of_mention),
    "frames": (_types(FRAME), _fault_of_frame),
}
