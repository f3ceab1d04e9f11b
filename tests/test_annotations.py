"""Shapes are checked while tests run; numbers of NumPy are numbers."""

import numpy as np
import pytest
import torch
from jaxtyping import TypeCheckError

from stages.core.heads.gate_batches import GateBatch, uniform_output
from stages.core.intervals.groups import group_means

VALUES = torch.zeros(3, 2, 5, 4)  # of three texts, two heads, five tokens
REAL = torch.ones(3, 5, dtype=torch.bool)


def test_swapped_axes_are_refused():
    assert uniform_output(VALUES, REAL).shape == (3, 2, 4)
    with pytest.raises(TypeCheckError, match="parameter 'real'"):
        uniform_output(VALUES.transpose(1, 2), REAL)
    with pytest.raises(TypeCheckError, match="parameter 'real'"):
        uniform_output(VALUES, REAL.T)


def test_shapes_of_fields_are_checked():
    with pytest.raises(TypeCheckError, match="parameter 'off'"):
        GateBatch("zero", torch.zeros(2, 3))


def test_whole_numbers_are_not_real_ones_in_arrays_but_numbers_of_numpy_are_numbers():
    cases = np.zeros(4, dtype=int)
    group_means(np.ones((1, 4)), cases, np.int64(10), 0)
    with pytest.raises(TypeCheckError, match="parameter 'values'"):
        group_means(np.ones((1, 4), dtype=int), cases, 10, 0)
