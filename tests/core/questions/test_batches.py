"""Batches of questions: what goes together, and how much of it is padding."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.core.questions.batches import padding_share, passes, steps_of_epoch
from tests.core.questions.drawn import repeatable, seeds

GENERATOR = np.random.default_rng(3)
LENGTHS = GENERATOR.integers(5, 200, size=103)


def test_every_step_has_as_many_questions_and_no_question_twice():
    steps = steps_of_epoch(LENGTHS, batch=8, pool=4, seed=0, epoch=0)
    assert steps.shape == (12, 8)
    assert len(set(steps.ravel().tolist())) == 96


def test_the_order_is_of_seed_and_epoch():
    first = steps_of_epoch(LENGTHS, 8, 4, 0, 0)
    np.testing.assert_array_equal(first, steps_of_epoch(LENGTHS, 8, 4, 0, 0))
    for seed, epoch in ((0, 1), (1, 0)):
        other = steps_of_epoch(LENGTHS, 8, 4, seed, epoch)
        assert set(other.ravel()) != set(first.ravel())  # others are left out
    assert (first[1:] != np.sort(first.ravel()).reshape(-1, 8)[1:]).any()


def test_steps_have_questions_of_like_lengths_in_no_order_of_length():
    spread = {
        pool: np.ptp(LENGTHS[steps_of_epoch(LENGTHS, 8, pool, 0, 0)], axis=1).mean()
        for pool in (1, 12)
    }
    assert spread[12] < 30 < 100 < spread[1]
    means = LENGTHS[steps_of_epoch(LENGTHS, 8, 12, 0, 0)].mean(axis=1)
    assert (np.diff(means) < 0).any() and (np.diff(means) > 0).any()


def test_fewer_questions_than_a_batch():
    with pytest.raises(ValueError, match="3 questions are fewer than a batch of 8"):
        steps_of_epoch(LENGTHS[:3], 8, 4, 0, 0)


def test_passes_by_hand():
    lengths, counts = np.array([10, 30, 20, 10]), np.array([3, 4, 3, 2])
    found = [part.tolist() for part in passes(np.arange(4), lengths, counts, 200)]
    # 30 * 4 = 120, with three rows more 210; 20 * (3 + 3 + 2) = 160.
    assert found == [[1], [2, 0, 3]]
    wide = [part.tolist() for part in passes(np.arange(4), lengths, counts, 210)]
    assert wide == [[1, 2], [0, 3]]
    assert [part.tolist() for part in passes(np.arange(4), lengths, counts, 209)] == found
    narrow = [part.tolist() for part in passes(np.array([3, 1]), lengths, counts, 1)]
    assert narrow == [[1], [3]]
    assert list(passes(np.array([], dtype=int), lengths, counts, 10)) == []


def test_long_rows_may_be_fewer_in_a_part():
    lengths, counts = np.array([10, 30, 20, 10]), np.array([3, 4, 3, 2])

    def squared(length, tokens):
        return tokens // length**2

    found = [part.tolist() for part in passes(np.arange(4), lengths, counts, 2000, squared)]
    # 2000 / 30^2 has room for two rows, 2000 / 20^2 for five, 2000 / 10^2 for twenty.
    assert found == [[1], [2], [0, 3]]


@repeatable
@given(
    st.lists(st.tuples(st.integers(1, 90), st.integers(2, 5)), min_size=1, max_size=30),
    st.integers(1, 900),
    seeds,
)
def test_passes_keep_to_their_tokens(sizes, tokens, seed):
    lengths, counts = map(np.array, zip(*sizes, strict=True))
    chosen = np.random.default_rng(seed).permutation(len(sizes))[: len(sizes) // 2 + 1]
    parts = list(passes(chosen, lengths, counts, tokens))
    assert sorted(np.concatenate(parts).tolist()) == sorted(chosen.tolist())
    for part in parts:
        assert len(part) == 1 or lengths[part].max() * counts[part].sum() <= tokens
    firsts = [lengths[part].max() for part in parts]
    assert firsts == sorted(firsts, reverse=True)
    # No part has room for the first question of the next one.
    for part, following in pairwise(parts):
        rows = counts[part].sum() + counts[following[0]]
        assert rows * lengths[part].max() > tokens


def test_padding_by_hand():
    row_lengths, counts = np.array([4, 6, 3, 3, 5]), np.array([2, 3])
    assert padding_share([np.array([0, 1])], row_lengths, counts) == pytest.approx(1 - 21 / 30)
    assert padding_share([np.array([0]), np.array([1])], row_lengths, counts) == pytest.approx(
        1 - 21 / (12 + 15)
    )
    of_unlike_sizes = [np.array([0, 1]), np.array([1])]
    assert padding_share(of_unlike_sizes, row_lengths, counts) == pytest.approx(1 - 32 / (30 + 15))
