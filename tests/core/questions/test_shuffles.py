"""Words in another order: edit distances by hand and by a table, and what cannot be shuffled."""

import itertools
import math
from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stages.core.questions import shuffles
from stages.core.questions.shuffles import (
    LEAST_DEGREE,
    Shuffled,
    arrangements,
    degrees,
    edit_distance,
    shuffle,
)
from tests.core.questions.drawn import degrees as degree_bounds
from tests.core.questions.drawn import repeatable, seeds, words

ITEMS = st.lists(st.sampled_from("abcde"), max_size=12)


def by_table(one, other):
    """Wagner and Fischer's table of distances."""
    row = list(range(len(other) + 1))
    for number, item in enumerate(one, 1):
        before, row[0] = row[0], number
        for place, against in enumerate(other, 1):
            best = min(row[place] + 1, row[place - 1] + 1, before + (item != against))
            before, row[place] = row[place], best
    return row[-1]


@pytest.mark.parametrize(
    "one, other, distance",
    [
        ("kitten", "sitting", 3),
        ("", "abc", 3),
        ("abc", "", 3),
        ("", "", 0),
        ("abc", "abc", 0),
        ("abcd", "bcda", 2),  # one deleted, one inserted
        ("abcd", "dcba", 4),
        ("abcde", "edcba", 4),  # the one in the middle stays
        ("aaab", "baaa", 2),
    ],
)
def test_edit_distances_by_hand(one, other, distance):
    assert edit_distance(one, other) == distance == edit_distance(other, one)


@repeatable
@given(ITEMS, ITEMS)
def test_edit_distances_are_those_of_the_table(one, other):
    assert edit_distance(one, other) == by_table(one, other)


def test_edit_distances_of_long_texts():
    """Longer than a machine word has bits."""
    one = [place * 7 % 31 for place in range(150)]
    other = [place * 11 % 29 for place in range(131)]
    assert edit_distance(one, other) == by_table(one, other)


@pytest.mark.parametrize(
    "text, count",
    [("a", 1), ("a b", 2), ("a a b", 3), ("a a a b", 4), ("a b c", 6), ("a a a a", 1)],
)
def test_arrangements(text, count):
    assert arrangements(text.split()) == count
    assert count == len(set(itertools.permutations(text.split())))


@repeatable
@given(words, seeds, degree_bounds)
@example(["a", "b", "c", "d"], 0, 1.0)
@example(["a", "a", "a", "b"], 0, LEAST_DEGREE)
@example(["a", "a", "b", "b"], 0, 1.0)
def test_a_shuffled_text_has_its_words_in_an_order_that_is_far_enough(own, seed, bound):
    text = " ".join(own)
    found = shuffle(text, "q-1", seed, "passage", bound)
    assert found == shuffle(text, "q-1", seed, "passage", bound)
    assert found.words == len(own)
    assert Counter(found.text.split()) == Counter(own)
    assert found.degree == by_table(own, found.text.split()) / len(own)
    if found.left:
        assert found.text == text
        # No order of the words is far enough, or there are too few.
        if len(own) <= 7 and len(set(itertools.permutations(own))) >= 4:
            orders = set(itertools.permutations(own))
            assert not any(by_table(own, order) >= bound * len(own) for order in orders)
    else:
        assert found.degree >= bound - 1e-9


@repeatable
@given(words, seeds)
def test_texts_that_can_be_shuffled_at_the_default_bound(own, seed):
    """Three different words at least, none of which is more than half of the text."""
    counts = Counter(own)
    if len(own) >= 4 and len(counts) >= 3 and max(counts.values()) <= len(own) / 2:
        found = shuffle(" ".join(own), "q-1", seed, "passage")
        assert not found.left and found.degree >= LEAST_DEGREE


@pytest.mark.parametrize("text", ["a a a b", "a b a b", "a b a a b", "a a b a a a"])
def test_texts_of_two_words_that_cannot_be_shuffled_at_the_default_bound(text):
    assert arrangements(text.split()) >= 4
    assert shuffle(text, "q-1", 0, "passage").left
    assert not shuffle(text, "q-1", 0, "passage", 0.3).left


@repeatable
@given(st.integers(4, 40), seeds)
def test_different_words_can_always_be_shuffled(count, seed):
    text = " ".join(f"w{number}" for number in range(count))
    found = shuffle(text, "q-1", seed, "option 1")
    assert not found.left and LEAST_DEGREE <= found.degree <= 1


@pytest.mark.parametrize("text", ["Rome", "red car", "no no no no", "so so good", "", "  Rome. "])
def test_texts_with_fewer_than_four_orders_are_left_to_the_byte(text):
    assert shuffle(text, "q-1", 0, "option 0") == Shuffled(text, 0.0, len(text.split()))


def test_pieces_and_marks_stay_with_their_words():
    found = shuffle("Dr. Miller's\n\nunbelievable  story, retold.", "q-1", 0, "passage")
    assert sorted(found.text.split(" ")) == ["Dr.", "Miller's", "retold.", "story,", "unbelievable"]


def test_the_draw_is_of_question_part_and_seed():
    text = "one two three four five six seven eight"
    own = shuffle(text, "q-1", 0, "passage").text
    assert own == shuffle(text, "q-1", 0, "passage").text
    others = [("q-2", 0, "passage"), ("q-1", 1, "passage"), ("q-1", 0, "question")]
    assert len({own, *(shuffle(text, *other).text for other in others)}) == 4
    assert shuffle(text, "q-1", 0, "passage", 0.0).degree > 0  # any other order, but another one
    # The end of one name is not the beginning of the next.
    assert shuffle(text, "b", 0, "a").text != shuffle(text, "", 0, "ab").text


def test_every_order_that_is_far_enough_can_come_out():
    """Of three words the five other orders: two have a distance of 2 of 3, and all are drawn."""
    found = Counter(shuffle("a b c", str(number), 0, "x", 0.6).text for number in range(600))
    far = {
        " ".join(order)
        for order in itertools.permutations("abc")
        if by_table("abc", order) >= 0.6 * 3
    }
    assert set(found) == far
    assert min(found.values()) > 600 / len(far) * 0.7


def test_orders_are_looked_at_one_by_one_where_no_draw_is_far_enough(monkeypatch):
    """As many as the bound asks for are enough: of four words four."""
    monkeypatch.setattr(shuffles, "DRAWS", 0)
    found = {shuffle("a b c d", str(number), 0, "x", 1.0).text for number in range(200)}
    assert found == {
        " ".join(order) for order in itertools.permutations("abcd") if by_table("abcd", order) == 4
    }
    assert shuffle("a b c d e f g h", "q-1", 0, "x").left  # too many orders to look at


def test_degrees_of_many_texts():
    texts = [Shuffled("a", 0.0, 1), Shuffled("a b", 0.0, 2), Shuffled("b c a", 0.75, 4)]
    found = degrees([*texts, Shuffled("x", 1.0, 5)])
    assert (found.texts, found.left, found.one_word) == (4, 2, 1)
    assert (found.mean, found.least) == (0.875, 0.75)
    none = degrees(texts[:1])
    assert math.isnan(none.mean) and math.isnan(none.least)
