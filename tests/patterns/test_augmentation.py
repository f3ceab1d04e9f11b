"""New maps from labelled ones: what an annotator would still see in them, and how often."""

from itertools import compress

import numpy as np
import pytest

from stages.patterns.augmentation import (
    BLOCK,
    HETEROGENEOUS,
    VERTICAL,
    find_stripes,
    recompose,
    vary,
)

LENGTH = 20


def generators(count: int) -> list[np.random.Generator]:
    return [np.random.default_rng(seed) for seed in range(count)]


def striped(column: int) -> np.ndarray:
    """Seven tenths of every row on one column, the rest on all."""
    weights = np.full((LENGTH, LENGTH), 0.3 / LENGTH)
    weights[:, column] += 0.7
    return weights


def test_a_column_is_a_stripe_and_the_diagonal_is_none():
    assert np.flatnonzero(find_stripes(striped(6))).tolist() == [6]
    assert not find_stripes(np.eye(LENGTH) * 0.9 + 0.1 / LENGTH).any()


def test_a_map_becomes_every_class_that_its_parts_allow():
    """Four in ten become blocks, three heterogeneous, three vertical."""
    made = [recompose(striped(6), HETEROGENEOUS, one)[1] for one in generators(600)]
    shares = np.bincount(made, minlength=5)[[BLOCK, HETEROGENEOUS, VERTICAL]] / len(made)
    assert shares == pytest.approx([0.4, 0.3, 0.3], abs=0.06)
    assert shares.sum() == pytest.approx(1)


def varied(weights: np.ndarray, count: int = 600) -> list[np.ndarray]:
    return [vary(weights, one) for one in generators(count)]


def test_rows_add_up_to_one_and_only_some_tokens_are_left_out():
    lengths = set()
    for found in varied(striped(6), 60):
        np.testing.assert_allclose(found.sum(1), 1, atol=1e-5)
        assert found.min() >= 0
        lengths.add(len(found))
    assert lengths <= set(range(LENGTH - LENGTH // 4 + 1, LENGTH + 1))
    assert len(lengths) > 3


def test_every_change_happens_as_often_as_it_should():
    """Told from a map whose rows all are the same: a ramp with a sink."""
    ramp = np.linspace(1, 2, LENGTH)
    ramp[6] = 40
    weights = np.tile(ramp / ramp.sum(), (LENGTH, 1))
    found = varied(weights)
    alike = np.array([np.ptp(one, axis=0).max() < 1e-6 for one in found])
    # Rows differ where some of them have another sink, or noise: 1 - (1 - 0.5 * 2 / 3) * 0.7,
    # less what is drawn for the other sink where it stood already.
    assert 1 - alike.mean() == pytest.approx(0.53, abs=0.06)
    plain = list(compress(found, alike))
    reversed_ones = np.array([one[0, 0] > one[0, -1] for one in plain])
    assert reversed_ones.mean() == pytest.approx(0.5, abs=0.15)
    # A sink that is smoothed gives to its neighbours in the row.
    smooth = np.array([(np.sort(one[0])[-3:-1] > 0.08).all() for one in plain])
    assert smooth.mean() == pytest.approx(0.25, abs=0.1)
