"""The heads that a task loses most without; what they choose is tested where it is measured."""

import numpy as np
import pandas as pd
import pytest

from stages.core.verdicts.chosen_heads import (
    OfHeads,
    chosen_less_others,
    lowest,
    of_heads,
    worst_less_others,
)


def test_ties_share_the_places_that_are_left():
    np.testing.assert_allclose(lowest(np.array([0.0, -3, -1, -1, 2]), 2), [0, 1, 0.5, 0.5, 0])
    both = lowest(np.array([[0.0, 0, 0, 0], [4, 3, 2, 1]]), 2)
    np.testing.assert_allclose(both, [[0.5] * 4, [0, 0, 1, 1]])


def test_chosen_less_others_by_hand():
    chosen, values = np.array([1.0, 0, 0, 1]), np.array([-3.0, 1, 2, -1])
    assert chosen_less_others(chosen, values) == pytest.approx(-2 - 1.5)
    rows = chosen_less_others(np.stack([chosen, 1 - chosen]), values)
    np.testing.assert_allclose(rows, [-3.5, 3.5])


def test_heads_stand_by_their_places():
    rows = pd.DataFrame({"layer": [1, 0, 0], "head": [0, 1, 0], "effect": [3.0, 2.0, 1.0]})
    rows["effect_drawn"] = [np.full(4, value) for value in rows["effect"]]
    found = of_heads(rows, "effect")
    assert found.values.tolist() == [1, 2, 3]
    assert found.drawn.tolist() == [[1, 2, 3]] * 4


def test_as_many_resamples_as_both_have():
    one = OfHeads(np.array([-1.0, 0, 0]), np.tile([-1.0, 0, 0], (10, 1)))
    other = OfHeads(np.array([5.0, 1, 3]), np.tile([5.0, 1, 3], (7, 1)))
    found = worst_less_others(one, other, 1)
    assert (found.value, len(found.drawn)) == (3, 7)
    assert worst_less_others(other, one, 1).value == 0.5  # the second head is the lowest
