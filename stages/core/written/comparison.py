"""What texts are compared by while they are drawn: their templates, and the words they share."""

import re
from collections.abc import Sequence

from stages.core.written.lexicon import Lexicon
from stages.core.written.tree import CONTENT, Node

WORD = re.compile(r"\w+")


def template_of(root: Node) -> str:
    """The words of a tree, with parts of speech in place of content words."""
    return " ".join(
        node.upos if node.upos in CONTENT else node.form.lower() for node in root.walk()
    )


def may_write(lexicon: Lexicon, roots: Sequence[Node]) -> bool:
    """Whether the templates of all trees are those of the lexicon's split."""
    return all(lexicon.may_say(template_of(root)) for root in roots)


def overlap(first: str, second: str) -> tuple[int, int, int]:
    """How many words `second` has, how many different ones, and how many of these `first` has.

    Where two texts have the same numbers beside a third one, they have the same Jaccard index,
    shares of shared words, and ratio of lengths.
    """
    one, other = (WORD.findall(text.lower()) for text in (first, second))
    return len(other), len(set(other)), len(set(other) & set(one))
