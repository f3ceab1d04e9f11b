"""Frames as links of tokens, and the heads that link them."""

import numpy as np
import pytest

from stages.core.maps.links import Weights, tokens_of_words, weights_by_head
from stages.core.stage.files import InputError
from stages.frames.stage import best_linking, frame_links, frame_weights
from tests.oracle import (
    HEADS,
    LAYERS,
    NEXT,
    SYNTAX,
    UNIFORM,
    OracleRecording,
    oracle_corpus,
    oracle_texts,
)


def test_tokens_of_words_and_of_frames():
    tokens = tokens_of_words([-1, 0, 1, 1, 2, -1], 4)
    assert tokens == [[1], [2, 3], [4], []]
    frame = {"target_first": 0, "target_last": 0, "first": 1, "last": 2}
    assert frame_links([frame], tokens) == [([1], [2, 3, 4])]
    frame = {"target_first": 1, "target_last": 2, "first": 0, "last": 0}
    assert frame_links([frame], tokens) == [([2, 3, 4], [1])]


def test_a_head_that_links_is_told_from_one_that_looks_at_a_distance(tmp_path):
    corpus = oracle_corpus(40)
    recording, texts = OracleRecording(corpus), oracle_texts(corpus, tmp_path)
    weights = frame_weights(recording, texts)
    table = weights_by_head(recording, weights, 100, 0).set_index(["layer", "head"])
    # "sees" and the words from "the" to "cat": the noun attends to the verb.
    assert table.loc[SYNTAX, "weight"] == pytest.approx(1)
    assert table.loc[SYNTAX, "gain_low"] > 0.1
    # The next word is in the phrase, and next to anything else that is moved there.
    assert table.loc[NEXT, "weight"] == pytest.approx(1)
    assert table.loc[NEXT, "gain"] == pytest.approx(0, abs=1e-6)
    assert table.loc[UNIFORM, "gain"] == pytest.approx(0, abs=1e-6)
    (best,) = best_linking(recording, weights, 100, 0).to_dict("records")
    assert (best["layer"], best["head"]) == SYNTAX
    assert best["score_low"] > 0
    assert best["weight"] - best["moved"] == pytest.approx(best["score"])
    assert best["score_drawn"].shape == (100,)
    assert np.quantile(best["score_drawn"], 0.025) == pytest.approx(best["score_low"])


def of_heads(linked: np.ndarray, moved: np.ndarray) -> Weights:
    return Weights(linked, moved, linked, linked, np.arange(len(linked)))


def test_the_best_of_noise_gains_nothing_on_other_texts():
    """Linked and moved weights of every head and text by chance: no head links."""
    recording = OracleRecording(oracle_corpus(2))
    generator = np.random.default_rng(0)
    linked, moved = generator.random((2, 400, LAYERS * HEADS))
    gains = (linked - moved).mean(0)
    (best,) = best_linking(recording, of_heads(linked, moved), 200, 0).to_dict("records")
    assert gains.max() > 0.02
    assert best["score_low"] < 0 < best["score_high"]
    assert best["score"] < gains.max() / 2


def test_texts_whose_links_cannot_move_are_no_cases():
    recording = OracleRecording(oracle_corpus(2))
    linked, moved = np.ones((2, 10, LAYERS * HEADS))
    moved[:3] = np.nan
    table = best_linking(recording, of_heads(linked, moved / 4), 20, 0)
    assert (table["cases"].item(), table["score"].item()) == (7, 0.75)
    assert best_linking(recording, of_heads(linked, moved * np.nan), 20, 0).empty


def test_text_without_frames_is_refused(tmp_path):
    corpus = oracle_corpus(2)
    corpus["frames"] = [[], []]
    with pytest.raises(InputError, match=r"frames\.corpora"):
        frame_weights(OracleRecording(corpus), oracle_texts(corpus, tmp_path))
