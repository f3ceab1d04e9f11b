"""Heads that are planted in random maps are found, and only they."""

import numpy as np
import pytest

from stages.matching.selection import (
    heads_beyond_chance,
    random_like,
    resampled,
    scores_beyond_chance,
    select_heads,
)
from stages.matching.terms import PLANES
from tests.matching.toy_pairs import BY_KEY, BY_PLACE, HEADS, LAYERS, MATCHING, READING, figures

SHARE = 4 / 12  # more than are planted
TRAIN, OTHERS = figures(120), figures(120, seed=1)


def test_planted_heads_are_found_and_only_they():
    selected = select_heads(TRAIN, SHARE, 1.0)
    assert len(selected.strongest) == 4
    assert sorted(selected.matching) == sorted(MATCHING)
    lower = {(layer, head) for layer in range(2) for head in range(HEADS)}
    assert set(selected.others) == lower - set(MATCHING)
    assert selected.candidates == [READING]
    assert {layer for layer, _ in selected.upper} == {2, 3}


def test_a_share_is_rounded_up_and_the_strongest_come_first():
    weak = TRAIN.copy()
    weak[:, :, *MATCHING[0]] *= 0.5
    assert select_heads(weak, 1 / 13, 1.0).matching == [MATCHING[1]]
    assert select_heads(weak, 1 / 11, 1.0).matching == [MATCHING[1], MATCHING[0]]


def test_heads_that_go_by_place_or_by_key_do_not_match():
    found = scores_beyond_chance(OTHERS)
    equal, place, key = (np.nanmean(OTHERS[PLANES.index(name)], 0) for name in PLANES[:3])
    assert [found[head] for head in MATCHING] == pytest.approx([1, 1])
    # One of the two kinds of chance gives each of them away.
    assert equal[BY_PLACE] > 0.15
    assert abs(place[BY_PLACE]) < 0.03
    assert equal[BY_KEY] > 0.3
    assert abs(key[BY_KEY]) < 1e-6
    assert found[BY_PLACE] < 0.03
    assert found[BY_KEY] < 1e-6


def test_noise_scores_chance_on_examples_that_chose_nothing():
    train, others = figures(150, 2, noise=True), figures(150, 3, noise=True)
    selected = select_heads(train, SHARE, 1.0)
    assert (selected.matching, selected.candidates) == ([], [])
    best = np.array(selected.strongest).T
    assert scores_beyond_chance(train)[*best].mean() > scores_beyond_chance(others)[*best].mean()
    lines = resampled(others, 300, 0)["score"]
    low, high = np.quantile(lines[1:, *best].mean(1), [0.025, 0.975])
    # The smaller of two kinds of chance: 0 at most.
    assert low < 0.001
    assert high < 0.02


def test_many_heads_that_are_asked_need_more():
    generator = np.random.default_rng(0)
    own = generator.normal(0.25, 1, size=(len(PLANES), 100, 1, 1))
    own = own - own.mean(1, keepdims=True) + 0.25  # 2.5 standard errors
    assert heads_beyond_chance(own, ["place"], 1).all()
    assert not heads_beyond_chance(own, ["place"], 36).any()


def test_random_heads_are_as_many_of_the_same_layers_and_never_the_same():
    heads = [(0, 2), (1, 1), (1, 4)]
    draws = [random_like(heads, 6, draw, 0) for draw in range(60)]
    for own in draws:
        assert [layer for layer, _ in own] == [0, 1, 1]
        assert not set(own) & set(heads)
        assert len(set(own)) == 3
    assert {head for own in draws for layer, head in own if layer == 0} == {0, 1, 3, 4, 5}
    assert draws[0] == random_like(heads, 6, 0, 0)
    assert len(set(draws)) > 20


def test_where_a_layer_has_too_few_others_any_are_drawn():
    every = [(0, head) for head in range(4)]
    assert random_like(every, 4, 0, 0) == tuple(every)


def test_resamples_are_of_the_examples_and_missing_cases_are_left_out():
    own = np.full((len(PLANES), 40, LAYERS, HEADS), np.nan)
    own[:, :30] = figures(30)
    found = resampled(own, 200, 0)
    for name in ("equal", "sep"):
        expected = np.nanmean(own[PLANES.index(name)], axis=0)
        np.testing.assert_allclose(found[name][0], expected)
        assert found[name].shape == (201, LAYERS, HEADS)
    np.testing.assert_allclose(found["score"][0], scores_beyond_chance(own))
    spread = found["sep"][1:].std(0)
    error = np.nanstd(own[PLANES.index("sep")], axis=0) / np.sqrt(30)
    np.testing.assert_allclose(spread, error, rtol=0.35)
