"""Attacks and controls: what they touch and what they leave, by hand and on drawn questions."""

from collections import Counter

import pytest
from hypothesis import given

from stages.core.questions.question import Question
from stages.core.questions.shuffles import LEAST_ARRANGEMENTS, arrangements, edit_distance
from stages.reading.attacks import (
    CONTROLS,
    NAMES,
    TO_OPTIONS,
    TO_PASSAGE,
    attack,
    drawn_sentences,
    intact,
    passage_sentences,
)
from tests.core.questions.drawn import degrees, questions, repeatable, seeds

QUESTION = Question(
    "q-1",
    "The old dog never sees the river. Yes. A small cat finds a red book! No child reads it.",
    "Who finds a red book?",
    ("the old dog", "a small cat", "no child", "river"),
    1,
)


def bag(text):
    return Counter(text.split())


@pytest.mark.parametrize("name", NAMES)
@repeatable
@given(question=questions(), seed=seeds, bound=degrees)
def test_right_option_label_question_and_passage_stay(name, question, seed, bound):
    attacked = attack(name, question, seed, bound)
    assert attacked == attack(name, question, seed, bound)
    found = attacked.question
    assert found.right.encode() == question.right.encode()
    assert found.answer == question.answer
    assert len(found.options) == len(question.options)
    for part in ("id", "passage", "question"):
        assert getattr(found, part).encode() == getattr(question, part).encode()
    if name == TO_PASSAGE:
        assert found == question
    else:
        assert attacked.appended == ""


@repeatable
@given(question=questions(), seed=seeds)
def test_what_is_appended_are_the_words_of_question_and_wrong_options(question, seed):
    attacked = attack(TO_PASSAGE, question, seed)
    wrong = [option for option in question.options if option != question.right]
    assert bag(attacked.appended) == bag(" ".join([question.question, *wrong]))
    assert attacked.shuffled[0].text == attacked.appended


@pytest.mark.parametrize("name", TO_OPTIONS)
@repeatable
@given(question=questions(), seed=seeds, bound=degrees)
def test_what_becomes_of_wrong_options(name, question, seed, bound):
    recipe = TO_OPTIONS[name]
    attacked = attack(name, question, seed, bound)
    added = {
        "sentence": drawn_sentences(question, seed),
        "answer": [question.right] * len(question.wrong),
    }[recipe.added]
    for place, more, number in zip(question.wrong, added, range(9), strict=False):
        option = attacked.question.options[place]
        text = f"{question.options[place]} {more}" if recipe.keeps_option else more
        assert bag(option) == bag(text)
        if not recipe.shuffled:
            assert option == text
            continue
        outcome = attacked.shuffled[number]
        assert option == outcome.text
        distance = edit_distance(text.split(), option.split())
        assert outcome.degree == distance / len(text.split())
        assert outcome.left or outcome.degree >= bound - 1e-9
    assert len(attacked.shuffled) == (len(question.wrong) if recipe.shuffled else 0)


def test_every_control_lacks_one_ingredient():
    assert {*CONTROLS, *(name for names in CONTROLS.values() for name in names)} == set(NAMES)
    for name, controls in CONTROLS.items():
        for control in controls:
            own, other = TO_OPTIONS[name], TO_OPTIONS[control]
            assert own.keeps_option and own.shuffled and own.added == other.added
            assert (other.keeps_option, other.shuffled) in ((False, True), (True, False))
    assert [len(controls) for controls in CONTROLS.values()] == [0, 2, 2]


def test_attacks_by_hand():
    added = attack("AddAns2Opt", QUESTION, 0).question.options
    assert added == (
        "the old dog a small cat",
        "a small cat",
        "no child a small cat",
        "river a small cat",
    )
    alone = attack("Ans2Opt-Shuffle", QUESTION, 0)
    assert [bag(option) for option in alone.question.options] == [bag("a small cat")] * 4
    assert alone.question.options.count("a small cat") == 1
    appended = attack(TO_PASSAGE, QUESTION, 0).appended
    assert bag(appended) == bag("Who finds a red book? the old dog no child river")
    assert intact(QUESTION).question is QUESTION and intact(QUESTION).appended == ""


def test_an_attack_and_its_controls_add_the_same_sentences():
    three = drawn_sentences(QUESTION, 0)
    assert sorted(three) == [
        "A small cat finds a red book!",
        "No child reads it.",
        "The old dog never sees the river.",
    ]
    plain = attack("AddSent2Opt", QUESTION, 0).question.options
    assert plain == (
        f"the old dog {three[0]}",
        "a small cat",
        f"no child {three[1]}",
        f"river {three[2]}",
    )
    alone = attack("Sent2Opt-Shuffle", QUESTION, 0).question.options
    both = attack("AddSent2Opt-Shuffle", QUESTION, 0).question.options
    for place, sentence in zip((0, 2, 3), three, strict=True):
        assert bag(alone[place]) == bag(sentence)
        assert bag(both[place]) == bag(plain[place])
        assert alone[place] != sentence and both[place] != plain[place]


def test_sentences_that_cannot_be_shuffled_are_added_where_there_are_no_others():
    short = Question("q", "Yes. No no.", "What?", ("a", "b", "c", "d"), 0)
    assert sorted(set(drawn_sentences(short, 0))) == ["No no.", "Yes."]
    attacked = attack("Sent2Opt-Shuffle", short, 0)
    assert all(outcome.left for outcome in attacked.shuffled)
    assert len(attacked.shuffled) == 3
    assert all(
        arrangements(one.split()) < LEAST_ARRANGEMENTS for one in passage_sentences(short.passage)
    )


def test_every_option_has_a_draw_of_its_own():
    alike = Question("q", "A b.", "What?", ("one two three", "four five", "one two three"), 1)
    first, _, last = attack("AddAns2Opt-Shuffle", alike, 0).question.options
    assert bag(first) == bag(last) and first != last


def test_draws_are_of_the_seed():
    orders = {tuple(drawn_sentences(QUESTION, seed)) for seed in range(20)}
    assert len(orders) > 3


def test_options_that_nobody_can_tell_apart_are_counted():
    one_word = Question("q", "Ann met Tom.", "Who met Tom?", ("Tom", "Ann", "Eve"), 1)
    assert attack("Ans2Opt-Shuffle", one_word, 0).same_as_right == 2
    assert attack("AddAns2Opt-Shuffle", one_word, 0).same_as_right == 0
    assert attack("Ans2Opt-Shuffle", QUESTION, 0).same_as_right == 0


@pytest.mark.parametrize(
    "passage, found",
    [
        ("One. Two? Three!", ["One.", "Two?", "Three!"]),
        ('He said "Go." She went.', ['He said "Go."', "She went."]),
        ("M: At 3.30 p.m.? W: No", ["M: At 3.30 p.m.?", "W: No"]),
        ("A line\n\nanother one", ["A line", "another one"]),
        ("", []),
    ],
)
def test_sentences(passage, found):
    assert passage_sentences(passage) == found
