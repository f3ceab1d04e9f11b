"""Choices of one half of the groups, measured on the other."""

import numpy as np
import pytest

from stages.core.cross_fitting import Half, choices_within, cross_fitted, with_intervals
from stages.core.intervals.groups import sums_of_groups
from stages.core.intervals.held_out import held_out

GROUPS, CASES, CANDIDATES = 40, 200, 12
GENERATOR = np.random.default_rng(3)
OF_CASES = np.concatenate([np.arange(GROUPS), GENERATOR.integers(GROUPS, size=CASES - GROUPS)])
HITS = GENERATOR.random((CASES, CANDIDATES)) < np.linspace(0.2, 0.6, CANDIDATES)
RIVALS = GENERATOR.random((CASES, 3)) < 0.3


def test_halves_share_no_group_and_have_all_of_them():
    seen = []

    def score(choosing: Half, scored: Half):
        assert not set(choosing.members) & set(scored.members)
        assert sorted([*choosing.members, *scored.members]) == list(range(GROUPS))
        for half in (choosing, scored):
            assert (half.weights[0] == 1).all()
        # The weights of both halves are those of one resample: as many groups as there are.
        total = choosing.weights.sum(1) + scored.weights.sum(1)
        np.testing.assert_allclose(total, GROUPS)
        seen.append(tuple(choosing.members))
        return np.full((1, 6), float(len(seen)))

    lines = cross_fitted(score, GROUPS, 5, 0)
    # Both halves of several divisions choose, and the mean is over all of them.
    assert len(set(seen)) == len(seen) == 10
    np.testing.assert_allclose(lines, 5.5)


def test_sums_of_a_half_by_hand():
    half = Half(np.array([0, 2]), np.array([[1.0, 1.0], [2.0, 0.0]]))
    sums = half.sums(np.array([[1.0, 10.0, 100.0], [5.0, 6.0, 7.0]]))
    assert sums.tolist() == [[101.0, 12.0], [2.0, 10.0]]


def test_what_is_memorised_does_not_count():
    """Each group's own candidate is right there alone: chosen and measured alike it would win."""
    own = np.eye(GROUPS)

    def score(choosing: Half, scored: Half):
        picks = choosing.sums(own).argmax(1)
        return scored.sums(own)[np.arange(len(picks)), picks][None]

    assert (cross_fitted(score, GROUPS, 20, 0) == 0).all()


def test_sets_of_candidates_are_chosen_from_as_if_each_were_alone():
    sets = [slice(0, CANDIDATES), slice(0, 4), slice(4, 12)]
    found = choices_within(HITS, RIVALS, OF_CASES, sets, 60, 5)
    for some, choice in zip(sets, found, strict=True):
        alone = held_out(HITS[:, some], RIVALS, OF_CASES, 60, 5)
        assert choice.best == alone.best + some.start
        assert (choice.best_rival, choice.same) == (alone.best_rival, alone.same)
        assert (choice.cases, choice.groups) == (CASES, GROUPS)
        for name, value in alone.columns().items():
            assert choice.columns()[name] == pytest.approx(value), name
        np.testing.assert_allclose(choice.drawn, alone.drawn)


def test_the_best_of_noise_scores_chance():
    noise = np.random.default_rng(0).random((4000, 100)) < 0.2
    groups = np.arange(4000) // 20
    (choice,) = choices_within(noise, noise[:, :1], groups, [slice(0, 100)], 100, 0)
    assert noise.mean(0).max() > 0.213
    assert choice.score.value == pytest.approx(0.2, abs=0.01)


def test_few_groups_have_no_interval():
    (choice,) = choices_within(HITS[:8], RIVALS[:8], np.arange(8) // 2, [slice(0, 12)], 20, 0)
    assert np.isnan([choice.score.low, choice.gain.high]).all()
    assert np.isnan(choice.drawn).all()
    (single,) = choices_within(HITS[:3], RIVALS[:3], np.zeros(3, int), [slice(0, 12)], 20, 0)
    assert np.isnan(single.score.value)


def test_limits_are_those_of_the_resamples():
    lines = np.concatenate([[[9.0]], np.arange(1001.0)[None]], axis=1)
    found = with_intervals(lines, GROUPS)
    assert (found.value[0], found.low[0]) == (9.0, pytest.approx(25.0))
    assert found.high[0] == pytest.approx(975.0)
    assert found.drawn.shape == (1, 1001)


def test_the_interval_of_a_ratio_covers_it():
    """Of 200 samples the interval has the true ratio in nearly all, and is not much too wide."""
    generator = np.random.default_rng(1)
    inside, widths = 0, []
    for seed in range(200):
        below = generator.uniform(1, 3, 60)
        above = below * generator.normal(0.4, 0.2, 60)
        sums = sums_of_groups(np.stack([above, below]), np.arange(60))

        def score(choosing: Half, scored: Half, sums=sums):
            one, other = scored.sums(sums).T
            return (one / other)[None]

        found = with_intervals(cross_fitted(score, 60, 200, seed), 60)
        inside += found.low[0] < 0.4 < found.high[0]
        widths.append(found.high[0] - found.low[0])
    assert 183 <= inside <= 199
    assert np.mean(widths) < 0.13
