"""Strengths of patterns of two texts, by hand."""

import numpy as np
import pytest
import torch

from stages.core.corpora.store import corpus_frame
from stages.core.maps.vig_patterns import TextTokens, pattern_strengths, pattern_targets
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


def test_pieces_of_a_word_are_not_related_and_its_namesakes_are():
    """The second text says "dog" of two pieces that are spelt alike: they are one word."""
    recording = OracleRecording(oracle_corpus(1))
    recording.tokens = recording.tokens.assign(
        tokens=[["[CLS]", "dog", "dog", "[SEP]", "dog", "dog", "[SEP]"]],
        segments=[[0, 0, 0, 0, 1, 1, 1]],
        word=[[-1, 0, 1, -1, 2, 2, -1]],
        special=[[1, 0, 0, 2, 0, 0, 2]],
    )
    corpus = corpus_frame([{"id": "a", "group": "a"}])
    maps = torch.zeros(1, 1, 1, 7, 7)
    found = pattern_targets(
        TextTokens(recording, corpus, MapBatch(np.array([0]), np.array([7]), maps))
    )

    def targets(name: str) -> dict[int, list[int]]:
        rows = found[name][0]
        return {query: rows[query].nonzero().ravel().tolist() for query in (1, 2, 4, 5)}

    assert targets("related") == {1: [2, 4, 5], 2: [1, 4, 5], 4: [1, 2], 5: [1, 2]}
    assert targets("related_other") == {1: [4, 5], 2: [4, 5], 4: [1, 2], 5: [1, 2]}
    assert targets("pieces") == {1: [], 2: [], 4: [5], 5: [4]}
    assert targets("next") == {1: [2], 2: [3], 4: [5], 5: [6]}
    assert targets("previous") == {1: [0], 2: [1], 4: [3], 5: [4]}
    assert targets("delimiter") == {query: [0, 3, 6] for query in (1, 2, 4, 5)}
    assert not any(found[name][0, [0, 3, 6]].any() for name in found)


def test_the_overlap_with_the_words_of_a_sentence_by_hand():
    """Four words ask. Two give their sentence 0.9 and 0.1, two give half of it to the other."""
    maps = torch.zeros(7, 7)
    maps[[1, 2]] = torch.tensor([0.0, 0.9, 0.1, 0, 0, 0, 0])
    maps[[4, 5]] = torch.tensor([0.0, 0.25, 0.25, 0, 0.25, 0.25, 0])
    maps[[0, 3, 6]] = torch.tensor([0.0, 0.5, 0.5, 0, 0, 0, 0])  # [CLS] and [SEP] ask nothing
    # Overlaps 0.5 + 0.1, and 0.25 + 0.25; by chance 2 of 7 tokens.
    share, chance = (0.6 + 0.6 + 0.5 + 0.5) / 4, 2 / 7
    assert two_texts(maps)["sentence"] == pytest.approx((share - chance) / (1 - chance))
