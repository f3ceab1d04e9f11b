"""Strengths of patterns of two texts, by hand."""

import numpy as np
import pytest
import torch

from stages.core.corpora.store import corpus_frame
from stages.core.maps.vig_patterns import TextTokens, pattern_strengths
from stages.core.recordings.recording import MapBatch
from tests.oracle import OracleRecording, oracle_corpus


def two_texts(maps: torch.Tensor) -> dict[str, np.ndarray]:
    """[CLS] dog sees [SEP] dog ##gy [SEP] under one head."""
    recording = OracleRecording(oracle_corpus(1))
    recording.tokens = recording.tokens.assign(
        tokens=[["[CLS]", "dog", "sees", "[SEP]", "dog", "##gy", "[SEP]"]],
        segments=[[0, 0, 0, 0, 1, 1, 1]],
        word=[[-1, 0, 1, -1, 2, 2, -1]],
        special=[[1, 0, 0, 2, 0, 0, 2]],
    )
    corpus = corpus_frame([{"id": "a", "group": "a"}])
    batch = MapBatch(np.array([0]), np.array([7]), maps[None, None, None])
    found = pattern_strengths(batch, TextTokens(recording, corpus, batch))
    return {name: float(values[0, 0]) for name, values in found.items()}


def test_patterns_of_two_texts_by_hand():
    maps = torch.full((7, 7), 1 / 7)
    maps[1] = torch.eye(7)[4]  # dog to dog
    maps[4] = torch.eye(7)[5]  # dog to ##gy
    maps[5] = torch.eye(7)[4]  # ##gy to dog
    found = two_texts(maps)
    # Asked of the two "dog" tokens: one looks at the other, one does not.
    assert found["related"] == pytest.approx((0.5 - 1 / 7) / (1 - 1 / 7))
    assert found["related_other"] == found["related"]
    assert found["pieces"] == pytest.approx(1)
    assert found["delimiter"] < 0


def test_all_words_of_the_sentence_are_more_than_a_neighbour():
    inside = torch.zeros(7, 7)
    for segment in ([1, 2], [4, 5]):
        for query in segment:
            inside[query, segment] = 0.5
    inside[[0, 3, 6], 0] = 1
    assert two_texts(inside)["sentence"] == pytest.approx(1)
    neighbour = torch.eye(7).roll(1, dims=1)
    assert two_texts(neighbour)["sentence"] < 0.4
    assert two_texts(torch.full((7, 7), 1 / 7))["sentence"] == pytest.approx(0, abs=1e-6)
