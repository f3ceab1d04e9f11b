"""Attention to words that stand in both texts of a pair, by hand and on stored maps."""

import numpy as np
import pandas as pd
import pytest
import torch

from stages.core.recording_writer import MapWriter
from stages.core.recordings.recording import StoredRecording
from stages.core.recordings.store import MapStore
from stages.features.matches import match_gains, match_table, match_weights

# [CLS] The dog sleep-s . [SEP] a cat . the [SEP]
PIECES = ["[CLS]", "The", "dog", "sleep", "##s", ".", "[SEP]", "a", "cat", ".", "the", "[SEP]"]
NUMBERS = [-1, 0, 1, 2, 2, 3, -1, 4, 5, 6, 7, -1]
SEGMENTS = [0] * 7 + [1] * 5
THE, DOT, OTHER_A, OTHER_CAT, OTHER_DOT, OTHER_THE = 1, 5, 7, 8, 9, 10


def gain(maps: np.ndarray) -> float:
    return float((match_weights(NUMBERS, PIECES, SEGMENTS) * maps).sum())


def test_weights_by_hand():
    """Each `the` has one equal word across, and other words of two and of three pieces."""
    weights = match_weights(NUMBERS, PIECES, SEGMENTS)
    expected = np.zeros((12, 12))
    expected[THE, OTHER_THE] = 1 / 2
    expected[THE, [OTHER_A, OTHER_CAT]] = -1 / 4
    expected[OTHER_THE, THE] = 1 / 2
    expected[OTHER_THE, [2, 3, 4]] = -1 / 6
    np.testing.assert_allclose(weights, expected)


def test_a_head_that_tells_no_words_apart_gains_nothing():
    even = np.full((12, 12), 1 / 12)
    assert gain(even) == pytest.approx(0)
    assert gain(np.eye(12)) == 0


def test_what_looks_from_elsewhere_or_within_the_text_gains_nothing():
    maps = np.zeros((12, 12))
    maps[:, [0, 6]] = 0.5
    maps[2, OTHER_THE] = maps[DOT, OTHER_DOT] = maps[THE, THE] = 1
    assert gain(maps) == 0
    maps[THE, OTHER_THE] = 1
    assert gain(maps) == 0.5
    # The other words of the other text take it away again.
    maps[THE, [OTHER_A, OTHER_CAT]] = 1
    assert gain(maps) == 0


def test_a_word_of_several_pieces_and_one_that_stands_twice():
    pieces = ["play", "##ed", "x", "[SEP]", "play", "##ed", "play", "##ed", "y"]
    numbers = [0, 0, 1, -1, 2, 2, 3, 3, 4]
    weights = match_weights(numbers, pieces, [0] * 4 + [1] * 5)
    # Three words stand in both texts; the first has two equal ones and one other.
    np.testing.assert_allclose(weights[0], np.array([0, 0, 0, 0, 1, 1, 1, 1, -4]) / 6)
    np.testing.assert_allclose(weights[0], weights[1])
    np.testing.assert_allclose(weights[4], np.array([1, 1, -2, 0, 0, 0, 0, 0, 0]) / 6)
    assert not weights[2].any()


def test_texts_that_share_no_word_or_have_no_other_have_no_weights():
    assert match_weights([0, 1], ["a", "b"], [0, 1]) is None
    assert match_weights([0, 1], ["a", "A"], [0, 1]) is None
    assert match_weights([0, 1, 2], ["a", "a", "b"], [0, 0, 0]) is None
    assert match_weights([0, 1, 2], [".", ".", "b"], [0, 1, 1]) is None


def test_every_text_and_head_keeps_its_place(tmp_path):
    """Two pairs of unlike length; in the second, layer 1 head 2 looks at the same word across."""
    tokens = pd.DataFrame(
        {
            "id": ["none", "match"],
            "tokens": [["a", "b"], ["a", "b", "a", "c"]],
            "segments": [[0, 1], [0, 0, 1, 1]],
            "word": [[0, 1], [0, 1, 2, 3]],
            "special": [[0] * 2, [0] * 4],
        }
    )
    writer = MapWriter(tmp_path / "maps", tokens[["id", "tokens", "segments"]], 2, 3, 10**6)
    for row, length in enumerate((2, 4)):
        for layer in range(2):
            maps = torch.full((1, 3, length, length), 1 / length)
            if (row, layer) == (1, 1):
                maps[0, 2, 0] = torch.tensor([0.0, 0, 1, 0])
            writer.write(layer, [row], maps)
    writer.release()
    writer.finish()
    gains = match_gains(StoredRecording("tuned", MapStore(tmp_path / "maps"), tokens))
    assert np.isnan(gains[:, 0]).all()
    # From one of the two words all of it, from the other as much as to any word.
    np.testing.assert_allclose(gains[:, 1], [0, 0, 0, 0, 0, 0.5], atol=1e-3)


def test_tables_of_arms_and_tasks_without_pairs():
    values = np.array([[0.1, np.nan, 0.3] * 4, [0.5, np.nan, 0.7] * 4, [0.0] * 12])
    values[2, 1::3] = np.nan
    table = match_table({"tuned": values, "random_weights": 0 * values}, 2, 50, 0)
    assert table["gain"].tolist() == pytest.approx([0.2, 0.6, 0, 0, 0, 0])
    assert table[["layer", "head"]].to_numpy().tolist() == [[0, 0], [0, 1], [1, 0]] * 2
    assert table["texts"].tolist() == [8] * 6
    drawn = np.stack(table["gain_drawn"])
    assert drawn.shape == (6, 50)
    np.testing.assert_allclose(drawn[1] - drawn[0], 0.4)
    assert match_table({"tuned": np.full((3, 2), np.nan)}, 2, 50, 0).empty
