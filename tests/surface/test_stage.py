"""Shares of attention and strengths of patterns of oracle heads."""

import numpy as np
import pytest
import torch

from stages.core.corpora.store import corpus_frame
from stages.core.maps.vig_patterns import VIG_PATTERNS, TextTokens, pattern_strengths
from stages.core.recordings.recording import MapBatch
from stages.surface.__main__ import Surface, surface_table
from tests.oracle import NEXT, PREVIOUS, SEP, UNIFORM, OracleRecording, oracle_corpus, oracle_texts

PARAMETERS = Surface(
    corpora=[],
    punctuation=["."],
    gradient_texts=None,
    masked=0.15,
    batch=4,
    resamples=50,
    seed=0,
)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    corpus = oracle_corpus(12)
    found = surface_table(
        OracleRecording(corpus), oracle_texts(corpus, tmp_path_factory.mktemp("o")), PARAMETERS
    )
    return found.set_index(["statistic", "layer", "head"])["mean"]


def test_oracle_heads_have_strength_one_and_equal_weights_none(table):
    assert table["pattern_next"][NEXT] == pytest.approx(1)
    assert table["pattern_previous"][PREVIOUS] == pytest.approx(1)
    assert table["pattern_delimiter"][SEP] == pytest.approx(1)
    for pattern in VIG_PATTERNS:
        if f"pattern_{pattern}" in table:
            assert table[f"pattern_{pattern}"][UNIFORM] == pytest.approx(0, abs=1e-6), pattern
    assert table["sep"][SEP] == pytest.approx(1)
    assert table["entropy"][SEP] == pytest.approx(0, abs=1e-6)


def test_single_texts_have_no_pattern_across_texts(table):
    names = set(table.index.get_level_values(0))
    assert "pattern_next" in names
    assert not {"pattern_related_other", "pattern_sentence"} & names


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
