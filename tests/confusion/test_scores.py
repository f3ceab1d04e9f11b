"""The confusion score on maps whose answer is worked out by hand."""

import math

import numpy as np
import pytest
import torch

from stages.confusion.scores import all_scores, candidate_weights, confusion_bits
from stages.core.maps.words import membership
from tests.stimuli_oracle import DECOY, FINDS, UNIFORM, StimuliRecording, written_stimuli

# [CLS] the cat-s near the dog does [SEP]: "cats" in two pieces, "does" in two.
WORDS = [[-1, 0, 1, 1, 2, 3, 4, 5, 5, -1]]
RIGHT, WRONG, SOURCE = [0, 1], [3, 4], 5


def weights(maps: torch.Tensor, candidates: list | None = None) -> torch.Tensor:
    parts = membership(WORDS, 10)
    return candidate_weights(maps, parts, [SOURCE], [candidates or [RIGHT, WRONG]])


def test_attention_to_pieces_is_summed_and_from_pieces_averaged():
    maps = torch.zeros(1, 1, 1, 10, 10)
    maps[0, 0, 0, 7, [1, 2, 3, 5, 0]] = torch.tensor([0.1, 0.2, 0.1, 0.2, 0.4])
    maps[0, 0, 0, 8, [1, 6, 4]] = torch.tensor([0.2, 0.2, 0.6])
    maps[0, 0, 0, 5] = 0.1  # another word's: nobody asks it
    found = weights(maps)[0, 0, 0]
    assert found.tolist() == pytest.approx([(0.4 + 0.2) / 2, (0.2 + 0.2) / 2])
    assert confusion_bits(found).item() == pytest.approx(-math.log2(0.3 / 0.5))


def test_a_uniform_head_has_one_bit_with_one_distractor_of_as_many_pieces():
    maps = torch.full((1, 1, 1, 10, 10), 0.1)
    even = [[0, 2], WRONG]
    assert confusion_bits(weights(maps, even)).item() == pytest.approx(1)
    three = [[0, 2], [3, 4], [4, 3]]
    assert confusion_bits(weights(maps, three)).item() == pytest.approx(math.log2(3))


def test_a_head_that_looks_at_no_candidate_says_nothing():
    maps = torch.zeros(1, 1, 1, 10, 10)
    maps[..., 0] = 1
    assert confusion_bits(weights(maps)).item() == pytest.approx(1)


def test_a_candidate_that_is_not_there_counts_nothing():
    assert confusion_bits(torch.tensor([0.25, 0.75, torch.nan])).item() == pytest.approx(2)
    parts = membership(WORDS * 2, 10)
    maps = torch.full((2, 1, 1, 10, 10), 0.1)
    found = candidate_weights(maps, parts, [5, 5], [[[0], [2]], [[0], [2], [3]]])
    assert confusion_bits(found).ravel().tolist() == pytest.approx([1, math.log2(3)])


def test_attention_is_averaged_over_heads_before_its_share_is_taken():
    stimuli = written_stimuli(2)
    recording = StimuliRecording(stimuli)
    mean, heads = all_scores(recording, stimuli)
    assert heads[:, *FINDS] == pytest.approx(np.zeros(len(stimuli)), abs=1e-5)
    assert (heads[:, *DECOY] > 20).all()
    # One head at 0 bits and one at 30: the mean of heads is far from their mean.
    assert (mean[:, DECOY[0]] < heads[:, DECOY[0]].mean(1)).all()
    chance = np.log2(1 + stimuli["distractors"])
    assert heads[:, *UNIFORM] == pytest.approx(chance.to_numpy(), abs=1e-5)


def test_the_order_of_batches_does_not_matter(monkeypatch):
    stimuli = written_stimuli(3)
    recording = StimuliRecording(stimuli)
    whole = all_scores(recording, stimuli)
    monkeypatch.setattr("stages.core.recordings.recording.MAP_NUMBERS", 10_000)
    for one, other in zip(whole, all_scores(recording, stimuli), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
