"""Baselines by hand, and on questions whose right options are known to be the longest or not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.core.questions.question import Question
from stages.reading.baselines import longest_option, random_guess
from tests.core.questions.drawn import questions, repeatable


def question(answer, *options):
    return Question("q", "Ann met Tom.", "Who?", options, answer)


QUESTIONS = [
    question(0, "one two three", "incomprehensibilities", "a"),  # longest in words
    question(1, "one two three", "incomprehensibilities", "a"),  # longest in characters
    question(2, "a b", "cd e", "fg hi"),  # all alike in words, longest in characters
    question(3, "a b", "c", "c d", "e f"),  # one of three
    question(0, "a", "b c"),  # the shorter one
    question(1, "  a  b      ", "c d"),  # spaces around it are no length
]


def test_longest_options_by_hand():
    assert longest_option(QUESTIONS).tolist() == pytest.approx([1, 0, 1 / 3, 1 / 3, 0, 1 / 2])
    characters = longest_option(QUESTIONS, "characters").tolist()
    assert characters == pytest.approx([0, 1, 1, 1 / 3, 0, 0])
    assert longest_option(QUESTIONS).mean() == pytest.approx((1 + 1 / 3 + 1 / 3 + 1 / 2) / 6)


def test_guesses_by_hand():
    assert random_guess(QUESTIONS).tolist() == [1 / 3, 1 / 3, 1 / 3, 1 / 4, 1 / 2, 1 / 2]


@repeatable
@given(questions(), st.sampled_from(["words", "characters"]))
def test_the_chances_of_all_options_add_up_to_one(own, unit):
    each = [
        Question(own.id, own.passage, own.question, own.options, answer)
        for answer in range(len(own.options))
    ]
    assert longest_option(each, unit).sum() == pytest.approx(1)
    assert random_guess(each).sum() == pytest.approx(1)
