"""Weights on links and on the same links moved."""

import numpy as np
import pytest
import torch

from stages.core.maps.links import (
    best_table,
    link_weights,
    linked_weights,
    shifts_of,
    text_weights,
    tokens_of_words,
    weights_by_head,
)
from stages.frames.__main__ import frame_links
from tests.oracle import NEXT, SYNTAX, UNIFORM, OracleRecording, oracle_corpus, oracle_texts

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


def test_tokens_of_words_and_of_frames():
    tokens = tokens_of_words([-1, 0, 1, 1, 2, -1], 4)
    assert tokens == [[1], [2, 3], [4], []]
    frame = {"target_first": 0, "target_last": 0, "first": 1, "last": 2}
    assert frame_links([frame], tokens) == [([1], [2, 3, 4])]


def test_a_head_that_links_is_told_from_one_that_looks_at_a_distance(tmp_path):
    corpus = oracle_corpus(40)
    recording, texts = OracleRecording(corpus), oracle_texts(corpus, tmp_path)
    (weights,) = linked_weights(
        recording, texts, [lambda row, tokens: frame_links(corpus["frames"][row], tokens)]
    )
    table = weights_by_head(recording, *weights, 100, 0).set_index(["layer", "head"])
    # "sees" and the words from "the" to "cat": the noun attends to the verb.
    assert table.loc[SYNTAX, "weight"] == pytest.approx(1)
    assert table.loc[SYNTAX, "gain_low"] > 0.1
    # The next word is in the phrase, and next to anything else that is moved there.
    assert table.loc[NEXT, "weight"] == pytest.approx(1)
    assert table.loc[NEXT, "gain_weight"] == pytest.approx(0, abs=1e-6)
    assert table.loc[UNIFORM, "gain_weight"] == pytest.approx(0, abs=1e-6)
    (best,) = best_table(recording, *weights, 100, 0).to_dict("records")
    assert (best["layer"], best["head"]) == SYNTAX
    assert best["low"] > 0
