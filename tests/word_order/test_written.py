"""T6's trap: no class of the training data is made of shuffled titles."""

from itertools import pairwise

import numpy as np
import pytest

from stages.core.written.lexicon import Lexicon
from stages.core.written.relevance import draw
from stages.core.written.search import GRADES

LEAST = 0.03


@pytest.fixture(scope="module")
def titles() -> dict[int, list[list[str]]]:
    """Parts of speech of 150 titles of each grade and more."""
    generator, lexicon = np.random.default_rng(0), Lexicon("train")
    found: dict[int, list[list[str]]] = {grade: [] for grade in GRADES}
    while min(map(len, found.values())) < 150:
        (row,) = draw(generator, lexicon)
        words = [word["upos"] for word in row["words"] if word["segment"] == 1]
        found[int(row["label"])].append(words)
    return found


def unseen(texts: list[list[str]], others: list[list[str]]) -> float:
    """The share of neighbouring parts of speech that other texts never have, ends among them."""
    known = {pair for text in others for pair in pairwise(["", *text, ""])}
    pairs = [pair for text in texts for pair in pairwise(["", *text, ""])]
    return float(np.mean([pair not in known for pair in pairs]))


@pytest.mark.parametrize("grade", GRADES)
def test_titles_of_each_grade_are_sentences_like_those_of_all_others(titles, grade):
    others = [text for other in GRADES if other != grade for text in titles[other]]
    assert unseen(titles[grade], others) < LEAST
    generator = np.random.default_rng(1)
    shuffled = [generator.permutation(text).tolist() for text in titles[grade]]
    assert unseen(shuffled, others) > 5 * LEAST
