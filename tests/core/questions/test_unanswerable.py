"""Unanswerable questions: the named part changes, and nothing else."""

from collections import Counter

import pytest
from hypothesis import given

from stages.core.questions.shuffles import edit_distance
from stages.core.questions.unanswerable import NAMES, unanswerable
from tests.core.questions.drawn import degrees, questions, repeatable, seeds

TOUCHED = {"P": {"passage"}, "Q": {"question"}, "PQ": {"passage", "question"}}


@pytest.mark.parametrize("name", NAMES)
@repeatable
@given(question=questions(), seed=seeds, bound=degrees)
def test_the_named_part_changes_alone(name, question, seed, bound):
    parts, way = name.split("-")
    found = unanswerable(name, question, seed, bound)
    for part in ("id", "passage", "question", "options", "answer"):
        own, other = getattr(question, part), getattr(found.question, part)
        if part not in TOUCHED[parts]:
            assert own == other
        elif way == "Remove":
            assert other == ""
        else:
            assert Counter(own.split()) == Counter(other.split())
    if way == "Remove":
        assert found.shuffled == ()
        return
    assert len(found.shuffled) == len(TOUCHED[parts])
    texts = [getattr(question, part) for part in ("passage", "question") if part in TOUCHED[parts]]
    for text, outcome in zip(texts, found.shuffled, strict=True):
        distance = edit_distance(text.split(), outcome.text.split())
        assert outcome.degree == distance / len(text.split())
        assert outcome.left == (outcome.text == text) and (
            outcome.left or outcome.degree >= bound - 1e-9
        )


@repeatable
@given(question=questions(), seed=seeds)
def test_arms_share_the_draw(question, seed):
    passage, text, both = (
        unanswerable(f"{parts}-Shuffle", question, seed).question for parts in ("P", "Q", "PQ")
    )
    assert both.passage == passage.passage and both.question == text.question
    assert passage.question == question.question and text.passage == question.passage
