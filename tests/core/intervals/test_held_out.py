"""Held-out choice: answers by hand, noise that must score chance, and intervals that cover."""

import numpy as np
import pytest

from stages.core.intervals.groups import line_weights, resampled_means, sums_of_groups
from stages.core.intervals.held_out import (
    Half,
    cross_fitted,
    divisions,
    halves,
    held_out,
    held_out_within,
    of_best,
    with_intervals,
)

GROUPS, CASES, CANDIDATES = 40, 200, 12
GENERATOR = np.random.default_rng(3)
OF_CASES = np.concatenate([np.arange(GROUPS), GENERATOR.integers(GROUPS, size=CASES - GROUPS)])
HITS = GENERATOR.random((CASES, CANDIDATES)) < np.linspace(0.2, 0.6, CANDIDATES)
RIVALS = GENERATOR.random((CASES, 3)) < 0.3


def test_halves_keep_groups_together_and_are_halves():
    groups = np.repeat(np.arange(10), [1, 5, 2, 3, 1, 1, 4, 2, 2, 1])
    sides = halves(groups, seed=3)
    for group in range(10):
        assert len(set(sides[groups == group])) == 1
    assert sum(sides[groups == group][0] for group in range(10)) == 5


def test_divisions_go_both_ways_and_differ():
    groups = np.repeat(np.arange(10), 3)
    ways = list(divisions(groups, 2))
    for (selecting, scored), (scored_again, selecting_again) in zip(
        ways[::2], ways[1::2], strict=True
    ):
        assert (selecting == ~scored).all()
        assert (selecting == selecting_again).all() and (scored == scored_again).all()
    assert (ways[0][0] == (halves(groups, 2) == 0)).all()
    assert len({tuple(selecting) for selecting, _ in ways}) == 10


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
    value, rival, gain = (choice.row()[f"{name}_drawn"] for name in ("score", "rival", "gain"))
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

    lines = cross_fitted(score, line_weights(GROUPS, 5, 0), 0)
    # Both halves of several divisions choose, and the mean is over all of them.
    assert len(set(seen)) == len(seen) == 10
    np.testing.assert_allclose(lines, 5.5)


def test_sums_of_a_half_by_hand():
    half = Half(np.array([True, False, True]), np.array([[1.0, 1.0, 1.0], [2.0, 1.0, 0.0]]))
    for sums in (half.sums, half.padded_sums):
        of_half = sums(np.array([[1.0, 10.0, 100.0], [5.0, 6.0, 7.0]]))
        assert of_half.tolist() == [[101.0, 12.0], [2.0, 10.0]]


def test_what_is_memorised_does_not_count():
    """Each group's own candidate is right there alone: chosen and measured alike it would win."""
    own = np.eye(GROUPS)

    def score(choosing: Half, scored: Half):
        picks = choosing.sums(own).argmax(1)
        return scored.sums(own)[np.arange(len(picks)), picks][None]

    assert (cross_fitted(score, line_weights(GROUPS, 20, 0), 0) == 0).all()


def test_measures_of_the_best_are_those_of_the_other_half():
    """Candidate 1 has most votes in every half: its measures count, whatever others have."""
    votes = np.stack([np.full(GROUPS, value) for value in (1.0, 3.0, 2.0)])
    measured = np.stack([np.full(GROUPS, 100.0), np.arange(GROUPS, dtype=float), -votes[0]])
    lines, same = of_best(
        lambda half: half.sums(votes),
        lambda half: np.stack([half.sums(measured), 2 * half.sums(measured)]),
        line_weights(GROUPS, 20, 0),
        0,
    )
    assert same
    # The halves of a division have all groups: the mean of both is half of the sum over all.
    assert lines[:, 0].tolist() == [np.arange(GROUPS).sum() / 2, np.arange(GROUPS).sum()]
    _, same = of_best(
        lambda half: half.sums(np.eye(GROUPS)),
        lambda half: half.sums(np.eye(GROUPS))[None],
        line_weights(GROUPS, 20, 0),
        0,
    )
    assert not same  # each half has other groups, and so another best candidate


def test_sets_of_candidates_are_chosen_from_as_if_each_were_alone():
    sets = [slice(0, CANDIDATES), slice(0, 4), slice(4, 12)]
    found = held_out_within(HITS, RIVALS, OF_CASES, sets, 60, 5)
    for some, choice in zip(sets, found, strict=True):
        alone = held_out(HITS[:, some], RIVALS, OF_CASES, 60, 5)
        assert choice.best == alone.best + some.start
        assert (choice.best_rival, choice.same) == (alone.best_rival, alone.same)
        assert (choice.cases, choice.groups) == (CASES, GROUPS)
        for name, value in alone.row().items():
            if name.endswith("_drawn"):
                assert (choice.row()[name] == value).all(), name
            else:
                assert choice.row()[name] == pytest.approx(value), name


def test_the_best_of_noise_scores_chance():
    noise = np.random.default_rng(0).random((4000, 100)) < 0.2
    groups = np.arange(4000) // 20
    (choice,) = held_out_within(noise, noise[:, :1], groups, [slice(0, 100)], 100, 0)
    assert noise.mean(0).max() > 0.213
    assert choice.score.value == pytest.approx(0.2, abs=0.01)


def test_few_groups_have_no_interval():
    (choice,) = held_out_within(HITS[:8], RIVALS[:8], np.arange(8) // 2, [slice(0, 12)], 20, 0)
    assert np.isnan([choice.score.low, choice.gain.high]).all()
    assert all(np.isnan(score.drawn).all() for score in (choice.score, choice.rival, choice.gain))
    (single,) = held_out_within(HITS[:3], RIVALS[:3], np.zeros(3, int), [slice(0, 12)], 20, 0)
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

        found = with_intervals(cross_fitted(score, line_weights(60, 200, seed), seed), 60)
        inside += found.low[0] < 0.4 < found.high[0]
        widths.append(found.high[0] - found.low[0])
    assert 183 <= inside <= 199
    assert np.mean(widths) < 0.13
