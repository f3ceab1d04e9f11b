"""Weights on links and on the same links moved, by hand."""

import numpy as np
import pytest
import torch

from stages.core.maps.links import (
    link_weights,
    shifts_of,
    text_weights,
)

MAP = torch.zeros(1, 6, 6)
MAP[0, 1, 3], MAP[0, 4, 1], MAP[0, 2, 4] = 0.7, 0.9, 0.2


PLAIN = [False, True, True, True, True, False]


def test_the_largest_weight_in_either_direction():
    assert link_weights(MAP, ([1], [3]), [0]).tolist() == [[pytest.approx(0.7)]]
    assert link_weights(MAP, ([1], [3, 4]), [0]).tolist() == [[pytest.approx(0.9)]]
    assert link_weights(MAP, ([1], [3]), [1]).tolist() == [[pytest.approx(0.2)]]


def test_links_move_within_the_text_only():
    assert shifts_of([([1], [3])], PLAIN) == [1]
    assert shifts_of([([2], [3])], PLAIN) == [-1, 1]
    assert shifts_of([([1], [4])], PLAIN) == []


def test_a_text_whose_links_cannot_move_has_no_control():
    linked, moved = text_weights(MAP, [([1], [3])], PLAIN)
    assert (linked[0], moved[0]) == (pytest.approx(0.7), pytest.approx(0.2))
    linked, moved = text_weights(MAP, [([1], [4])], PLAIN)
    assert linked[0] == pytest.approx(0.9)
    assert np.isnan(moved[0])
