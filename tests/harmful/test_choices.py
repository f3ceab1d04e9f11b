"""Halves, and which heads they choose."""

import numpy as np

from stages.harmful.choices import as_many_as_help, divide, harmful_heads, random_heads, rank


def test_halves_share_those_that_choose():
    choosing = np.arange(60) < 20
    sides = divide(choosing, 3, 0)
    for side in sides:
        assert (side[choosing].sum(), side[~choosing].sum()) == (10, 20)
    assert (sides[0] != sides[1]).any()
    np.testing.assert_array_equal(sides, divide(choosing, 3, 0))
    assert (sides != divide(choosing, 3, 1)).any()


def test_the_heads_whose_loss_is_lowest_and_only_those_that_lower_it():
    changes = np.zeros((4, 2, 3))
    changes[:, 0, 2], changes[:, 1, 0], changes[:, 1, 1] = -3, -1, -2
    changes[:, 0, 0] = [19, -5, -5, -5]  # lowers the loss of most examples, but not its mean
    assert harmful_heads(changes, 2) == ((0, 2), (1, 1))
    assert harmful_heads(changes, 5) == ((0, 2), (1, 1), (1, 0))
    assert harmful_heads(np.ones((4, 2, 3)), 5) == ()


def test_each_half_chooses_by_its_own_examples():
    """Head 1.2 hurts the even examples, head 0.1 the odd ones."""
    changes = np.ones((20, 2, 3))
    changes[::2, 1, 2] = changes[1::2, 0, 1] = -1
    side = (np.arange(20) % 2)[None]
    assert rank(changes, side, 1) == [(((1, 2),), ((0, 1),))]


def test_as_many_are_off_as_lower_the_loss_together():
    """Without the first two the mean loss is 1, without the third as well it rises again."""
    ranked = ((5, 3), (0, 1), (2, 2))
    without = np.array([[2.0, 2.0], [0.0, 2.0], [3.0, 0.0]])
    assert as_many_as_help(ranked, without) == ((0, 1), (5, 3))
    assert as_many_as_help(ranked[:1], without[:1]) == ((5, 3),)
    assert as_many_as_help((), without[:0]) == ()


def test_random_sets_have_as_many_heads_and_differ():
    sets = random_heads(6, 12, 5, 4, 0)
    assert [len(set(heads)) for heads in sets] == [5] * 4
    assert len(set(sets)) == 4
    assert sets == random_heads(6, 12, 5, 4, 0) != random_heads(6, 12, 5, 4, 1)
    assert all(layer < 6 and head < 12 for heads in sets for layer, head in heads)
