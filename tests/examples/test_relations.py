"""Maps of relations, by hand: a head that attends from each dependent to its head is found."""

import numpy as np
import pandas as pd
import pytest

from stages.core.recordings.tokens import Special
from stages.examples.text_examples.relations import (
    choose_relations,
    related_tokens,
    relation_strengths,
)
from tests.toy_maps import ToyRecording

NAN = float("nan")
# "the dog sees cats": det(dog, the), nsubj(sees, dog), dobj(sees, cats), a Stanford label; "dogs"
# is two tokens in the second text.
WORDS = [
    {"head": 1, "deprel": "det"},
    {"head": 2, "deprel": "nsubj"},
    {"head": -1, "deprel": "root"},
    {"head": 2, "deprel": "dobj"},
]
NUMBERS = [[-1, 0, 1, 2, 3, -1], [-1, 0, 1, 1, 2, 3, -1], [-1, -1]]


class Related(ToyRecording):
    """Head 1-0 attends from each dependent to its head alone; the others to all tokens alike."""

    name, layers, heads = "toy", 2, 2

    def __init__(self):
        special = [[Special.NONE if word >= 0 else Special.SEP for word in one] for one in NUMBERS]
        self.tokens = pd.DataFrame(
            {"word": NUMBERS, "tokens": NUMBERS, "segments": NUMBERS, "special": special}
        )

    def _maps(self, row: int) -> np.ndarray:
        numbers = NUMBERS[row]
        maps = np.full((2, 2, len(numbers), len(numbers)), 1 / len(numbers), dtype=np.float32)
        for query, word in enumerate(numbers):
            head = WORDS[word]["head"] if word >= 0 else -1
            if head >= 0:
                keys = [key for key, other in enumerate(numbers) if other == head]
                maps[1, 0, query] = 0
                maps[1, 0, query, keys] = 1 / len(keys)
        return maps


CORPUS = pd.DataFrame({"words": [WORDS, WORDS, []]})


def test_tokens_of_a_relation_are_those_of_both_words():
    assert related_tokens(WORDS, NUMBERS[0], "obj") == [(4, 3)]
    assert related_tokens(WORDS, NUMBERS[1], "nsubj") == [(2, 4), (3, 4)]
    assert related_tokens(WORDS, NUMBERS[1], "det") == [(1, 2), (1, 3)]
    assert related_tokens(WORDS, NUMBERS[0], "root") == []
    assert related_tokens(WORDS, NUMBERS[0][:4], "obj") == []  # the object was cut away


def test_the_head_of_the_relation_has_strength_1_and_equal_attention_0():
    rows = np.array([0, 1, 2])
    found = relation_strengths(Related(), CORPUS, rows, ["nsubj", "obj", "iobj"])
    there, back = (found["nsubj", way] for way in ("dependent to head", "head to dependent"))
    np.testing.assert_allclose(there[:2], [[0, 0, 1, 0], [0, 0, 1, 0]], atol=1e-6)
    # The verb of the first text has 1 / 6 on its subject, as on all: it has no head.
    np.testing.assert_allclose(back[:2], 0, atol=1e-6)
    assert np.isnan(there[2]).all()
    assert np.isnan(found["iobj", "dependent to head"]).all()


def test_the_stronger_direction_is_kept_and_what_no_text_has_is_left_out():
    strengths = {
        ("obj", "dependent to head"): np.array([[0.1, 0.2], [0.1, 0.4], [NAN, NAN]]),
        ("obj", "head to dependent"): np.array([[0.9, 0.0], [0.3, 0.0], [0.6, 0.0]]),
        ("iobj", "dependent to head"): np.full((3, 2), NAN),
        ("iobj", "head to dependent"): np.full((3, 2), NAN),
    }
    found = choose_relations(strengths, 2)
    assert [tuple(choice) for choice in found] == [
        ("relation", "obj, head to dependent", "clearest", 0, 0, 0, 0.9, 3),
        ("relation", "obj, head to dependent", "median", 2, 0, 0, 0.6, 3),
    ]


@pytest.mark.parametrize("value", [0.0, -0.3])
def test_a_relation_that_no_head_follows_is_left_out(value):
    strengths = {("obj", "dependent to head"): np.full((2, 4), value)}
    assert choose_relations(strengths, 2) == []
