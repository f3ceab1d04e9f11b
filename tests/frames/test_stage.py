"""Frames as links of tokens, and the heads that link them."""

import pytest

from stages.core.maps.links import (
    best_table,
    linked_weights,
    tokens_of_words,
    weights_by_head,
)
from stages.frames.__main__ import frame_links
from tests.oracle import NEXT, SYNTAX, UNIFORM, OracleRecording, oracle_corpus, oracle_texts


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
