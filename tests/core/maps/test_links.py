"""Weights on links and on the same links moved, by hand."""

import numpy as np
import pytest
import torch

from stages.core.maps.links import (
    Weights,
    link_weights,
    near_weights,
    shifts_of,
    text_weights,
    tokens_of_words,
    weights_by_head,
)
from tests.oracle import HEADS, LAYERS, OracleRecording, oracle_corpus

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
    linked, moved = text_weights(MAP, [([1], [3])], PLAIN)["maximum"]
    assert (linked[0], moved[0]) == (pytest.approx(0.7), pytest.approx(0.2))
    linked, moved = text_weights(MAP, [([1], [4])], PLAIN)["maximum"]
    assert linked[0] == pytest.approx(0.9)
    assert np.isnan(moved[0])


def test_several_links_are_the_largest_or_their_sum():
    """Links 1-3 (0.7) and 2-3 (0) move together by one, to 2-4 (0.2) and 3-4 (0)."""
    links = [([1], [3]), ([2], [3])]
    maps = MAP.clone()
    maps[0, 3, 2], maps[0, 4, 3] = 0.1, 0.4
    found = text_weights(maps, links, PLAIN)
    assert [part[0] for part in found["maximum"]] == [pytest.approx(0.7), pytest.approx(0.4)]
    assert [part[0] for part in found["sum"]] == [pytest.approx(0.8), pytest.approx(0.6)]


def test_moved_links_are_a_mean_over_moves():
    maps = torch.zeros(1, 6, 6)
    maps[0, 1, 2], maps[0, 2, 3], maps[0, 3, 4] = 0.3, 0.5, 0.7
    linked, moved = text_weights(maps, [([2], [3])], PLAIN)["maximum"]
    assert (linked[0], moved[0]) == (pytest.approx(0.5), pytest.approx(0.5))
    linked, moved = text_weights(maps, [([1], [2])], PLAIN)["maximum"]
    assert (linked[0], moved[0]) == (pytest.approx(0.3), pytest.approx(0.6))


def test_neighbours_are_tokens_of_text_on_either_side():
    maps = torch.zeros(2, 6, 6)
    # Of head 0: to the next, to the one before, over two places, to itself, from and to specials.
    maps[0, 1, 2], maps[0, 4, 3], maps[0, 1, 3], maps[0, 2, 2] = 0.1, 0.2, 0.4, 0.8
    maps[0, 0, 1], maps[0, 4, 5] = 1.6, 3.2
    maps[1, 2, 3] = 0.5
    near, between = near_weights(maps, np.array(PLAIN))
    assert near.tolist() == [pytest.approx(0.3), pytest.approx(0.5)]
    assert between.tolist() == [pytest.approx(1.5), pytest.approx(0.5)]


def test_tokens_of_words_that_were_cut_away():
    assert tokens_of_words([-1, 0, 1, 1, -1], 3) == [[1], [2, 3], []]


def weights(count: int = 20) -> Weights:
    """Each head's weight is its number, a tenth of it moved; the first text cannot be moved."""
    heads = np.arange(LAYERS * HEADS, dtype=float)
    linked = np.tile(heads, (count, 1))
    moved = linked / 10
    moved[0] = np.nan
    return Weights(linked, moved, linked, 2 * linked, np.arange(count) // 2)


def test_texts_that_cannot_be_moved_are_left_out():
    kept = weights().movable
    assert len(kept) == 19
    assert not np.isnan(kept.moved).any()
    assert kept.groups.tolist() == weights().groups[1:].tolist()


def test_each_head_has_its_weight_and_gain():
    recording = OracleRecording(oracle_corpus(2))
    table = weights_by_head(recording, weights(), 20, 0).set_index(["layer", "head"])
    row = table.loc[(2, 1)]
    number = 2 * HEADS + 1
    assert row["weight"] == pytest.approx(number)
    assert row["moved"] == pytest.approx(number / 10)
    assert row["gain"] == pytest.approx(number * 0.9)
    assert row["percentile"] == pytest.approx((number + 1) / (LAYERS * HEADS))
    assert table["texts"].unique().tolist() == [20]
