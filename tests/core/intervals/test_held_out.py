"""Held-out choice on tables whose answers are known."""

import numpy as np
import pytest

from stages.core.intervals.groups import resampled_means
from stages.core.intervals.held_out import halves, held_out


def test_halves_keep_groups_together_and_are_halves():
    groups = np.repeat(np.arange(10), [1, 5, 2, 3, 1, 1, 4, 2, 2, 1])
    sides = halves(groups, seed=3)
    for group in range(10):
        assert len(set(sides[groups == group])) == 1
    assert sum(sides[groups == group][0] for group in range(10)) == 5


def test_a_perfect_candidate_is_chosen_and_scores_one():
    generator = np.random.default_rng(0)
    scores = generator.random((40, 5)) < 0.3
    scores[:, 2] = True
    rivals = np.zeros((40, 2), dtype=bool)
    rivals[::2, 1] = True
    choice = held_out(scores, rivals, np.arange(40) // 2, 200, 0)
    assert (choice.best, choice.best_rival, choice.same) == (2, 1, True)
    assert (choice.score.value, choice.rival.value, choice.gain.value) == (1.0, 0.5, 0.5)
    assert (choice.score.low, choice.score.high) == (1.0, 1.0)
    assert choice.gain.low == choice.gain.high == 0.5  # every group has one of each
    assert (choice.cases, choice.groups) == (40, 20)


def test_the_best_of_many_noisy_candidates_is_not_better_held_out():
    generator = np.random.default_rng(0)
    scores = generator.random((60, 500)) < 0.5
    choice = held_out(scores, np.zeros((60, 1)), np.arange(60), 200, 0)
    assert scores.mean(0).max() > 0.65
    assert choice.score.value < 0.6


def test_a_choice_on_all_cases_may_be_scored_on_some():
    scores = np.array([[1, 0], [1, 0], [1, 0], [0, 1]] * 10)
    scored = np.array([False, False, False, True] * 10)
    rivals = np.zeros((40, 1))
    choice = held_out(scores, rivals, np.arange(40), 50, 0, scored=scored)
    assert choice.best == 0
    assert choice.score.value == 0.0  # the head that is best on all is wrong on these
    assert choice.cases == 10


def test_each_half_is_scored_by_the_choice_of_the_other():
    # On every even case candidate 0 is right, on every odd one candidate 1: whoever is chosen on
    # one half is right on half of the other, and never more.
    scores = np.zeros((400, 2))
    scores[::2, 0] = scores[1::2, 1] = 1
    choice = held_out(scores, np.zeros((400, 1)), np.arange(400), 200, 0)
    assert choice.score.value == pytest.approx(0.5, abs=0.03)
    # Chosen and scored on the same half it would be better than half.
    assert choice.score.value < scores.mean(0).max() + 0.001


def test_the_resamples_are_of_the_score_shown():
    generator = np.random.default_rng(0)
    scores = generator.random((120, 6)) < np.linspace(0.2, 0.7, 6)
    rivals = generator.random((120, 2)) < 0.4
    choice = held_out(scores, rivals, np.arange(120) // 3, 400, 1)
    value, rival, gain = choice.drawn
    np.testing.assert_allclose(gain, value - rival)
    assert (choice.score.low, choice.score.high) == pytest.approx(
        tuple(np.quantile(value, [0.025, 0.975]))
    )
    assert abs(value.mean() - choice.score.value) < value.std()


def test_a_pick_is_made_anew_in_every_resample():
    # Two candidates that are alike on average: resamples differ in whom they choose, so that the
    # interval is wider than that of the cases of one of them.
    scores = np.zeros((60, 2))
    scores[:30, 0] = scores[30:, 1] = 1
    choice = held_out(scores, np.zeros((60, 1)), np.arange(60), 500, 0)
    assert not choice.same
    fixed = 1.96 * np.sqrt(0.25 / 60)
    assert choice.score.high - choice.score.low > 1.8 * fixed


def test_one_group_has_nothing_held_out():
    alone = held_out(np.ones((4, 2)), np.zeros((4, 1)), np.zeros(4, dtype=int), 50, 0)
    assert np.isnan(alone.score.value)


def test_the_best_of_many_noisy_rivals_is_not_better_held_out():
    generator = np.random.default_rng(1)
    rivals = generator.random((80, 300)) < 0.5
    choice = held_out(np.full((80, 1), 0.5), rivals, np.arange(80), 200, 0)
    assert rivals.mean(0).max() > 0.62
    assert choice.rival.value == pytest.approx(0.5, abs=0.06)
    assert choice.gain.value == pytest.approx(0, abs=0.06)


def test_every_case_counts_alike_whatever_its_group():
    """One candidate, which every half must choose: its score is the mean over all cases."""
    groups = np.repeat(np.arange(7), [1, 9, 2, 1, 1, 20, 3])
    scores = (groups % 3 == 2).astype(float) + 0.01 * np.arange(len(groups))
    scored = np.arange(len(groups)) % 4 != 1
    choice = held_out(scores[:, None], np.zeros((37, 1)), groups, 100, 0, scored=scored)
    assert choice.score.value == pytest.approx(scores[scored].mean())
    # And so on each resample, of which those of plain means have the same groups.
    plain = resampled_means(np.where(scored, scores, np.nan)[None], groups, 100, 0)
    np.testing.assert_allclose(choice.score.drawn, plain.drawn[0])
