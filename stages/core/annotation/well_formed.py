"""What a sentence in CoNLL-U has to keep to, line by line, beyond what its columns' types say.

A reader that does not look gets words with heads of other words, or loses words, without a sign.
"""

import re
from collections.abc import Sequence

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
NUMBER = "[0-9]{1,9}"  # no sentence has more words, and Python refuses to read longer ones
WORD, RANGE, EMPTY = NUMBER, rf"({NUMBER})-({NUMBER})", rf"{NUMBER}\.{NUMBER}"
SHOWN = 30  # characters of a cell in a message


def first_fault(lines: list[str]) -> tuple[int, str] | None:
    """The place in `lines` and the nature of the first fault of a sentence; None where it has none.

    Ids count from 1 on without a gap, ranges stand before their first word and end at a word of
    the sentence, heads are 0 or a word of the sentence, and lead to 0.
    """
    heads: dict[int, tuple[int, str]] = {}  # of each word, its line and what stands for its head
    open_range = (0, 0, 0)  # line, first and last word of the last range
    for place, line in enumerate(lines):
        if line.startswith("#"):
            continue
        columns = line.rstrip("\r\n").split("\t")
        if len(columns) != len(COLUMNS):
            return place, f"{len(columns)} columns, not {len(COLUMNS)} (a tab stands between two)"
        if "  " in line:
            return place, "two spaces stand together, which readers take for a tab"
        for name, cell in zip(COLUMNS, columns, strict=True):
            if not cell.strip():
                return place, f"the column {name} is empty; write _ for nothing"
        identity, following = columns[0], len(heads) + 1
        if span := re.fullmatch(RANGE, identity):
            first, last = int(span[1]), int(span[2])
            if first != following or last <= first or first <= open_range[2]:
                return place, f"the range {identity} does not stand before its words"
            open_range = (place, first, last)
        elif re.fullmatch(WORD, identity):
            if int(identity) != following:
                return place, f"the id is {identity}, but the next word is number {following}"
            heads[following] = (place, columns[6])
        elif not re.fullmatch(EMPTY, identity):
            return (
                place,
                f"{identity[:SHOWN]!r} is no id: a number, a range (1-2) or an empty node (1.1)",
            )
    if open_range[2] > len(heads):
        return open_range[0], f"the range ends at {open_range[2]}, the last word is {len(heads)}"
    return _fault_of_heads(heads)


def _fault_of_heads(heads: dict[int, tuple[int, str]]) -> tuple[int, str] | None:
    for number, (line, head) in heads.items():
        if not re.fullmatch(WORD, head) or int(head) > len(heads):
            shown = head[:SHOWN]
            return line, f"the head of word {number} is {shown}, no number from 0 to {len(heads)}"
    lost = first_without_root([int(head) - 1 for _, head in heads.values()])
    if lost is None:
        return None
    line, _ = heads[lost + 1]
    return line, f"the heads of word {lost + 1} go in a circle and never lead to 0"


def first_without_root(heads: Sequence[int]) -> int | None:
    """The first word whose heads never lead to a root; None where all do. Takes linear time.

    Args:
        heads: of each word the index of another, -1 for a root.
    """
    rooted: dict[int, bool] = {-1: True}
    for word in range(len(heads)):
        path = []
        while word not in rooted:
            rooted[word] = False  # until its heads turn out to lead to a root
            path.append(word)
            word = heads[word]
        rooted |= dict.fromkeys(path, rooted[word])
    return next((word for word in range(len(heads)) if not rooted[word]), None)
