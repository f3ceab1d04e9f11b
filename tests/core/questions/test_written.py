"""Written questions: gold answers by hand, and what can be told of them without reading."""

import re
from collections import Counter

import numpy as np
import pytest

from stages.core.questions.phrasings import QUESTIONS
from stages.core.questions.question import validate
from stages.core.questions.teller import Teller, Unfit
from stages.core.questions.written import (
    KINDS,
    SHARES,
    _is_told,
    draw_questions,
    superlative,
    written_questions,
)
from stages.core.written.lexicon import SPLITS, Lexicon, held_out

SIZES = {"train": 2000, "validation": 1000}
# Chance is 0.29 of three or four options; a standard error of 1,000 questions is 0.0144.
NEAR_CHANCE = 0.045


@pytest.fixture(scope="module")
def drawn():
    return {split: draw_questions(split, size, 0) for split, size in SIZES.items()}


@pytest.fixture(scope="module")
def questions(drawn):
    return {split: [one.question for one in found] for split, found in drawn.items()}


def words(text):
    return re.findall(r"\w+", text.lower())


def taken(values, answer):
    """The chance of the answer among the places of the largest value."""
    best = [place for place, value in enumerate(values) if value == max(values)]
    return (answer in best) / len(best)


def accuracy(questions, value):
    """Accuracy of whoever takes the option of the largest value."""
    return np.mean(
        [taken([value(one, option) for option in one.options], one.answer) for one in questions]
    )


def chance(questions):
    return np.mean([1 / len(one.options) for one in questions])


SHORTCUTS = {
    "longest in words": lambda one, option: len(option.split()),
    "longest in characters": lambda one, option: len(option),
    "shortest": lambda one, option: -len(option),
    "words shared with the passage": lambda one, option: len(
        set(words(option)) & set(words(one.passage))
    ),
    "share of words shared with the passage": lambda one, option: (
        len(set(words(option)) & set(words(one.passage))) / len(set(words(option)))
    ),
    "occurrences in the passage": lambda one, option: sum(
        word in words(option) for word in words(one.passage)
    ),
    "words shared with the question": lambda one, option: len(
        set(words(option)) & set(words(one.question))
    ),
    "told of first": lambda one, option: -one.passage.lower().find(option.lower()),
    "told of last": lambda one, option: one.passage.lower().rfind(option.lower()),
}


BY_LENGTH = ("longest in words", "longest in characters", "shortest")


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("shortcut", SHORTCUTS)
def test_no_shortcut_tells_the_answer(drawn, split, shortcut):
    """But where distractors are strangers, of which lengths alone tell nothing."""
    own = [one.question for one in drawn[split] if shortcut in BY_LENGTH or not one.strangers]
    assert len(own) > 0.45 * SIZES[split]
    # A standard error of half of the questions is larger.
    near = NEAR_CHANCE * (SIZES[split] / len(own)) ** 0.5
    assert abs(accuracy(own, SHORTCUTS[shortcut]) - chance(own)) < near


def content(option):
    """Names, and the last word."""
    found = option.split()
    return {found[-1], *(word for word in found if word[0].isupper())}


@pytest.mark.parametrize("split", SPLITS)
def test_strangers_are_not_told_of(drawn, split):
    own = [one.question for one in drawn[split] if one.strangers]
    assert 0.35 < len(own) / SIZES[split] < 0.55
    for one in own:
        told = {*words(one.passage), *words(one.right)}
        for option in set(one.options) - {one.right}:
            assert not {word.lower() for word in content(option)} & told
    # Whoever looks for words of the passage is mostly right: a synonym hides some of them.
    told_of = SHORTCUTS["share of words shared with the passage"]
    assert accuracy(own, told_of) > 0.8


def test_a_stranger_by_hand():
    lexicon = Lexicon("train")
    (noun, synonyms), *_ = sorted(lexicon.noun_synonyms.items())
    known = f"The {noun} saw Maria Keller on Monday."
    for option in (f"the {noun}", f"the old {noun}", f"the {synonyms[0]}", "Maria", "Ann Keller"):
        assert _is_told(option, known, lexicon)
    for option in ("the zebra crossing", "on Tuesday", "Ann Jones"):
        assert not _is_told(option, known, lexicon)


def test_options_alone_tell_nothing(questions):
    right, all_ = Counter(), Counter()
    for one in questions["train"]:
        right[one.right] += 1
        all_.update(one.options)
    by_share = accuracy(
        questions["validation"], lambda one, option: (right[option] + 1) / (all_[option] + 3)
    )
    by_count = accuracy(questions["validation"], lambda one, option: right[option])
    assert max(by_share, by_count) < chance(questions["validation"]) + NEAR_CHANCE


@pytest.mark.parametrize("split", SPLITS)
def test_every_place_is_as_often_right(questions, split):
    for count in (3, 4):
        of_size = [one.answer for one in questions[split] if len(one.options) == count]
        assert len(of_size) > 0.45 * len(questions[split])
        shares = np.bincount(of_size, minlength=count) / len(of_size)
        assert abs(shares - 1 / count).max() < 0.07


@pytest.mark.parametrize("split", SPLITS)
def test_questions_are_sound_and_all_different(questions, split):
    validate(questions[split], split)
    assert len({one.passage for one in questions[split]}) == SIZES[split]
    for one in questions[split]:
        assert len(set(one.options)) == len(one.options)
        assert not re.search(r"[{}]|None|  | \.", one.passage + one.question)


def test_no_two_of_a_passage_mean_the_same():
    """Two things, "the dog" and "the hound", or two persons could both be the answer."""
    lexicon = Lexicon("train")
    fitting = 0
    for seed in range(2000):
        try:
            deeds = Teller(np.random.default_rng(seed), lexicon).deeds(4)
        except Unfit:
            continue
        fitting += 1
        for phrases in ([deed.thing for deed in deeds], [deed.person for deed in deeds]):
            nouns = {phrase.noun.singular for phrase in phrases}
            same = {other for noun in nouns for other in lexicon.noun_synonyms.get(noun, ())}
            assert len(nouns) == 4 and not nouns & same
    assert fitting > 500


def test_kinds_are_as_frequent_as_they_should_be(drawn):
    for found in drawn.values():
        counts = Counter(one.kind for one in found)
        assert set(counts) == set(KINDS)
        for kind, share in SHARES.items():
            assert abs(counts[kind] / len(found) - share) < 0.05


def test_the_same_seed_gives_the_same_questions():
    assert written_questions("train", 30, 5) == written_questions("train", 30, 5)
    assert written_questions("train", 30, 5) != written_questions("train", 30, 6)
    # A larger draw begins as a smaller one.
    assert written_questions("train", 40, 5)[:30] == written_questions("train", 30, 5)


def test_validation_has_phrasings_and_words_of_its_own(drawn, questions):
    train, validation = ({one.template for one in found} for found in drawn.values())
    assert not train & validation
    assert len(train) > 25 and len(validation) > 15
    assert not any(set(one["train"]) & set(one["validation"]) for one in QUESTIONS.values())
    # Held-out names are in validation alone.
    names = {word for one in questions["train"] for word in re.findall(r"[A-Z]\w+", one.passage)}
    assert "Anna" in names and held_out("Peter") == ("Peter" not in names)


def sentences_of(one):
    return [words(text) for text in one.passage.split(". ")]


def follows(sentence, first, second):
    """Whether the words of `second` come somewhere behind those of `first`."""
    text = " ".join(sentence)
    first, second = " ".join(words(first)), " ".join(words(second))
    return first in text and second in text and text.index(first) < text.index(second)


def test_gold_answers_of_an_order(drawn):
    """The one at a place did it: found again from the text alone."""
    places = ["first", "second", "third", "fourth"]
    checked = 0
    for split in SPLITS:
        for one in drawn[split]:
            if one.kind != "order" or "by whom" in one.question.question.lower():
                continue
            question = one.question
            asked = re.sub(
                r"^(Who was it that|Which person|Who|_|Can you tell who|The one who) ",
                "",
                question.question,
            )
            asked = re.sub(r"^Somebody | was _\.$|\. Who\?$|[?.]$", "", asked)
            first, *rest = question.passage.split(". ")
            if question.right not in first:  # named by a synonym
                continue
            (deed,) = [text for text in rest if asked in text]
            place = next(n for n, name in enumerate(places) if f"{name} " in deed)
            order = sorted(question.options, key=lambda option: first.find(option))
            if all(option in first for option in order):
                assert order[place] == question.right, question
                checked += 1
    assert checked > 75


def test_gold_answers_of_ranks(drawn):
    """Whoever is above all others, or below: found again from the comparisons."""
    checked = 0
    for split in SPLITS:
        for one in drawn[split]:
            question = one.question
            low = question.passage.lower()
            options = [option.lower() for option in question.options]
            if one.kind != "ranks" or not all(option in low for option in options):
                continue
            pairs = [
                text.split(" than ") for text in low.rstrip(".").split(". ") if " than " in text
            ]
            above = {(a.split(" was ")[0], b) for a, b in pairs}
            highest = [o for o in options if not any(b == o for _, b in above)]
            lowest = [o for o in options if not any(a == o for a, _ in above)]
            right = question.right.lower()
            expected = {"highest": highest, "lowest": lowest}.get(one.asked)
            if expected is None:
                assert right not in highest + lowest
            else:
                assert expected == [right]
            checked += 1
    assert checked > 75


def test_gold_answers_of_roles(drawn):
    """Who did it, and to whom: the other side of the sentence, by active and passive."""
    checked = 0
    for one in drawn["train"]:
        question = one.question
        active = re.fullmatch(r"Whom did (.+) (\w+)\?|Who (\w+ed) (.+)\?", question.question)
        if one.kind != "roles" or not active:
            continue
        if active[1]:
            named, side = active[1], "patient"
        else:
            named, side = active[4], "agent"
        right = question.right
        near = [
            text
            for text in question.passage.lower().split(". ")
            if right.lower() in text and named.lower() in text
        ]
        if not near:
            continue
        (text,) = near[:1]
        passive = " was " in text or " been " in text
        right_first = text.index(right.lower()) < text.index(named.lower())
        assert right_first == ((side == "agent") != passive), question
        checked += 1
    assert checked > 30


@pytest.mark.parametrize(
    "adjective, form", [("tall", "tallest"), ("lazy", "laziest"), ("honest", "most honest")]
)
def test_superlatives(adjective, form):
    assert superlative(adjective) == form
