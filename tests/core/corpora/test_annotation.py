"""Annotation that cannot be is refused, from whichever source; what can be is not."""

from collections.abc import Callable

import pandas as pd
import pytest

from stages.core.annotation.well_formed import first_without_root
from stages.core.corpora.annotation import check_annotation, require_words
from stages.core.corpora.store import corpus_frame, word
from stages.core.stage.files import InputError
from tests.oracle import oracle_corpus

FORMS = ("the", "dog", "that", "barked", "saw", "itself")
HEADS = (1, 4, 3, 1, -1, 4)


def text() -> dict:
    """A text whose "dog" and "itself" are one referent, and which has a frame."""
    words, start = [], 0
    for form, head in zip(FORMS, HEADS, strict=True):
        words.append(word(form, start, head=head, deprel="dep", upos="X"))
        start += len(form) + 1
    mention = {"segment": 0, "first": 0, "last": 3, "head": 1, "cluster": 0, "kind": "nominal"}
    itself = mention | {"first": 5, "last": 5, "head": 5, "kind": "pronoun"}
    target = {"target_first": 4, "target_last": 4}
    frame = {"frame": "Seeing", "element": "Seer", **target, "first": 0, "last": 1}
    return {
        "id": "one",
        "group": "document",
        "text_a": " ".join(FORMS),
        "words": words,
        "mentions": [mention, itself],
        "frames": [frame],
    }


def pair() -> dict:
    """The text with a second one behind it."""
    first = text()
    second = [word("so", 0, 1), word("what", 3, 1, head=6)]
    return first | {"text_b": "so what", "words": first["words"] + second}


def check(row: dict) -> None:
    check_annotation(corpus_frame([row]), "corpus mine (my.file)")


def test_annotation_that_can_be_passes():
    check(text())
    check(pair())
    check(text() | {"text_a": None})
    check_annotation(oracle_corpus(20), "corpus oracle")
    nested = text()
    nested["mentions"].append(nested["mentions"][0] | {"first": 1, "last": 4, "cluster": 1})
    check(nested)  # LitBank has mentions that overlap in part
    # Only tokens are known: places in a text are not needed.
    flat = text() | {"text_a": None}
    flat["words"] = [one | {"start": 0, "end": 0} for one in flat["words"]]
    check(flat)


def in_word(number: int, **changes: object) -> Callable[[dict], object]:
    return lambda row: row["words"][number].update(changes)


def in_mention(**changes: object) -> Callable[[dict], object]:
    return lambda row: row["mentions"][0].update(changes)


def in_frame(**changes: object) -> Callable[[dict], object]:
    return lambda row: row["frames"][0].update(changes)


WRONG = {
    "head beyond": (in_word(0, head=6), "the head of word 0 is 6, but the last word is 5"),
    "head below": (in_word(0, head=-2), "word 0 has -2 as its `head`"),
    "own head": (in_word(0, head=0), "the heads of word 0 go in a circle"),
    "circle": (in_word(4, head=1), "the heads of word 0 go in a circle"),
    "head null": (in_word(3, head=None), "word 3 has None as its `head`"),
    "head text": (in_word(3, head="1"), "word 3 has '1' as its `head`"),
    "head half": (in_word(3, head=1.0), "word 3 has 1.0 as its `head`"),
    "head true": (in_word(3, head=True), "word 3 has True as its `head`"),
    "head huge": (in_word(3, head=2**40), "word 3 has 1099511627776 as its `head`"),
    "segment 2": (in_word(5, segment=2), "word 5 has the segment 2"),
    "segment 1": (in_word(5, segment=1), "word 5 has the segment 1, but there is no second text"),
    "start below": (in_word(0, start=-1), "word 0 goes from character -1 to 3"),
    "reversed": (in_word(1, start=7, end=4), "word 1 goes from character 7 to 4"),
    "empty": (in_word(1, end=4), "word 1 goes from character 4 to 4 of a text of 30"),
    "beyond": (in_word(5, end=99), "word 5 goes from character 24 to 99 of a text of 30"),
    "overlap": (in_word(1, start=2), "word 1 begins before word 0 ends"),
    "order": (lambda row: row["words"].insert(0, row["words"].pop()), "word 1 begins before"),
    "no word": (lambda row: row["words"].__setitem__(2, "that"), "word 2 is 'that', without"),
    "no text": (in_word(2, text=None), "word 2 has None as its `text`"),
    "negation": (in_word(2, negation="no"), "word 2 has 'no' as its `negation`"),
    "mention beyond": (in_mention(last=6), "mention 0 goes from word 0 to 6 of 6 words"),
    "mention below": (in_mention(first=-1), "mention 0 goes from word -1 to 3"),
    "mention reversed": (in_mention(first=3, last=1), "mention 0 goes from word 3 to 1"),
    "mention's head": (in_mention(head=4), "mention 0 goes from word 0 to 3, but its head is"),
    "mention's segment": (in_mention(segment=1), "mention 0 has the segment 1, but its words"),
    "cluster": (in_mention(cluster=-1), "mention 0 has the cluster -1"),
    "kind": (in_mention(kind="noun"), "mention 0 is of the kind 'noun', none of pronoun"),
    "mention lacks": (lambda row: row["mentions"][1].pop("head"), "mention 1 has None as its"),
    "twice": (in_mention(first=5, last=5, head=5), "mentions 0 and 1 are the same words"),
    "target beyond": (
        in_frame(target_last=6),
        "frame 0 has the target wrong: it goes from word 4 to 6",
    ),
    "target below": (
        in_frame(target_first=-1),
        "frame 0 has the target wrong: it goes from word -1",
    ),
    "element beyond": (
        in_frame(last=99),
        "frame 0 has the element wrong: it goes from word 0 to 99",
    ),
    "element reversed": (
        in_frame(first=2, last=1),
        "frame 0 has the element wrong: it goes from word 2",
    ),
    "element on target": (in_frame(last=4), r"the target \(4, 4\) and the element \(0, 4\)"),
    "id": (lambda row: row.update(id=None), "its `id` is None"),
    "group": (lambda row: row.update(group=7), "its `group` is 7"),
}


@pytest.mark.parametrize("name", WRONG)
def test_annotation_that_cannot_be(name):
    change, complaint = WRONG[name]
    row = text()
    change(row)
    with pytest.raises(InputError, match=rf"^corpus mine \(my\.file\), text .*{complaint}"):
        check(row)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (in_word(7, head=4), "the head of word 7 is 4, a word of the other text"),
        (in_word(7, segment=0), "word 7 has the segment 0, but the word before it has 1"),
        (in_mention(last=6), "mention 0 has the segment 0, but its words have another"),
        (in_frame(target_first=6, target_last=6), "frame 0 has words of both texts"),
    ],
)
def test_annotation_of_pairs_that_cannot_be(change, complaint):
    row = pair()
    change(row)
    with pytest.raises(InputError, match=complaint):
        check(row)


def test_no_texts_are_refused():
    with pytest.raises(InputError, match="corpus mine: it has no texts"):
        check_annotation(corpus_frame([]), "corpus mine")


def test_a_long_sentence_takes_no_longer_than_its_words():
    """Looked up from each word anew, 300,000 words would take hours."""
    count = 300_000
    assert first_without_root(range(-1, count - 1)) is None
    assert first_without_root([*range(1, count), -1]) is None
    assert first_without_root([*range(1, count), 0]) == 0
    assert first_without_root([-1, 0, 4, 2, 3, 2]) == 2


def withheld(forms: list[str]) -> pd.DataFrame:
    words, start = [], 0
    for form in forms:
        words.append(word(form, start))
        start += len(form) + 1
    return corpus_frame([{"id": "one", "group": "d", "text_a": " ".join(forms), "words": words}])


@pytest.mark.parametrize(
    "forms",
    [
        ["_"] * 6,
        ["_", "__", "___"],  # of the length of the words
        ["the", "dog", "_", "_", "."],
        ["*"] * 20,
        ["[MASK]"] * 15 + ["the", "dog", "saw", "it", "."],
    ],
)
def test_words_that_are_withheld(forms):
    with pytest.raises(InputError, match="withheld; restore the text first"):
        check_annotation(withheld(forms), "corpus mine")


def test_recorded_words_and_plain_texts_that_are_withheld():
    empty = withheld(["a"])
    empty["text_a"], empty["words"] = None, [[word("", 0), word(" ", 0)]]
    with pytest.raises(InputError, match="2 of 2 words are empty or underscores"):
        check_annotation(empty, "corpus mine")
    plain = corpus_frame([{"id": "one", "group": "d", "text_a": "_ _ _", "text_b": "__ __"}])
    with pytest.raises(InputError, match="5 of 5 words are empty or underscores"):
        check_annotation(plain, "corpus mine")


def test_words_that_are_not_withheld():
    # LitBank and EWT have underscores that stand in the text.
    require_words(["the", "dog", "saw", "it", "."] * 4 + ["_"], "mine")
    require_words(["ha"] * 19, "mine")
    require_words([".", ".", ".", "ha", "the"] * 4, "mine")  # few, short sentences
    require_words([], "mine")
    # Two words that are written as one: the text has them, though their forms are not given.
    merged = corpus_frame(
        [{"id": "o", "group": "d", "text_a": "du", "words": [word("_", 0, end=2)] * 2}]
    )
    check_annotation(merged, "corpus mine")
