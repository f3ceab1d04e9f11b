"""What is chosen, by hand: the clearest and the median, beside decoys."""

import numpy as np
import pandas as pd
import pytest

from stages.core.viewer.clearest import clearest_and_median
from stages.examples.choosing import candidates, choose_patterns, choose_roles, drawn_by_seed

NAN = float("nan")


@pytest.mark.parametrize(
    ("values", "clearest", "median"),
    [
        ([3.0, 1.0, 2.0], 0, 2),
        ([0.2, 0.9, NAN, 0.5, 0.9], 1, 3),  # of four the lower one in the middle; the first 0.9
        ([NAN, 0.4], 1, 1),
        ([0.5, 0.5, 0.5], 0, 0),
        ([0.1, 0.7, 0.2, 0.7, 0.7], 1, 1),  # the median is one of three equal ones: the first
    ],
)
def test_the_clearest_and_the_median(values, clearest, median):
    found = clearest_and_median(np.array(values))
    assert found == {"clearest": clearest, "median": median}


@pytest.mark.parametrize("values", [[], [NAN, NAN]])
def test_of_nothing_nothing_is_chosen(values):
    assert clearest_and_median(np.array(values, dtype=float)) == {}


def test_each_pattern_has_its_own_clearest_and_median_map():
    rows = [
        (0, 0, 0, "vertical", 0.99),  # a decoy: the surest of all, of another pattern
        (0, 1, 2, "diagonal", 0.70),
        (1, 0, 1, "diagonal", 0.95),
        (1, 1, 0, "diagonal", 0.60),
        (2, 1, 2, "diagonal", 0.80),
        (2, 0, 0, "diagonal", 0.95),  # as sure as another, but of a later text
    ]
    maps = pd.DataFrame(rows, columns=["text", "layer", "head", "pattern", "probability"])
    found = choose_patterns(maps.sample(frac=1, random_state=0))
    assert [tuple(choice) for choice in found] == [
        ("pattern", "diagonal", "clearest", 1, 0, 1, 0.95, 5),
        ("pattern", "diagonal", "median", 2, 1, 2, 0.80, 5),
        ("pattern", "vertical", "clearest", 0, 0, 0, 0.99, 1),
        ("pattern", "vertical", "median", 0, 0, 0, 0.99, 1),
    ]


def test_a_role_is_shown_in_the_head_with_most_on_average_and_not_in_that_with_one_strong_text():
    previous = np.full((5, 6), 0.1)  # two layers of three heads
    previous[:, 4] = [0.5, 0.8, 0.6, NAN, 0.7]
    previous[0, 1] = 0.99  # a decoy
    previous[3] = NAN  # a text that lacks the role
    strengths = {
        "previous": previous,
        "related": np.full((5, 6), NAN),
        "sentence": np.full((5, 6), -0.2),
    }
    found = choose_roles(strengths, heads=3)
    assert [tuple(choice) for choice in found] == [
        ("role", "previous", "clearest", 1, 1, 1, 0.8, 4),
        ("role", "previous", "median", 2, 1, 1, 0.6, 4),
    ]


def test_candidates_are_short_and_drawn_by_the_seed():
    lengths = np.array([10, 50, 20, 40, 7])
    assert candidates(lengths, 40, None, seed=0).tolist() == [0, 2, 3, 4]
    few = candidates(lengths, 40, 2, seed=0)
    assert len(few) == 2
    assert set(few.tolist()) < {0, 2, 3, 4}
    assert few.tolist() == candidates(lengths, 40, 2, seed=0).tolist()
    assert candidates(lengths, 5, None, seed=0).tolist() == [4]  # the shortest, where none is short


def test_texts_are_drawn_without_a_look_at_their_maps():
    drawn = drawn_by_seed(50, 5, seed=3)
    assert len(set(drawn)) == 5
    assert drawn == drawn_by_seed(50, 5, seed=3) != drawn_by_seed(50, 5, seed=4)
    assert drawn_by_seed(3, 5, seed=0) == [0, 1, 2]
