"""Distances between heads whose distributions are known."""

import numpy as np
import pytest
import torch
from scipy.spatial.distance import jensenshannon

from stages.clusters import __main__ as clusters
from stages.clusters.__main__ import (
    Clusters,
    divergence_sums,
    divergences,
    neighbour_purity,
    purity_table,
    scaled,
)
from tests.oracle import HEADS, LAYERS, OracleRecording, oracle_corpus

PARAMETERS = Clusters(corpora=[], texts=None, neighbours=2, permutations=500, starts=1, seed=0)


def test_known_distributions():
    one, other, both = [1.0, 0.0], [0.0, 1.0], [0.5, 0.5]
    rows = torch.tensor([[one], [other], [both], [one]])
    found = divergence_sums(rows)
    assert found[0, 1] == pytest.approx(np.log(2))
    assert found[0, 3] == found[0, 0] == 0
    # JS of (1, 0) and (.5, .5): H(.75, .25) - log(2) / 2.
    expected = -0.75 * np.log(0.75) - 0.25 * np.log(0.25) - np.log(2) / 2
    assert found[0, 2] == pytest.approx(expected, rel=1e-6)
    assert torch.equal(found, found.T)


def test_as_scipy_has_it_and_blocks_change_nothing(monkeypatch):
    rows = np.random.default_rng(0).dirichlet(np.ones(7), (5, 9))
    expected = [
        [sum(jensenshannon(a, b) ** 2 for a, b in zip(x, y, strict=True)) for y in rows]
        for x in rows
    ]
    np.testing.assert_allclose(divergence_sums(torch.from_numpy(rows)), expected, atol=1e-9)
    monkeypatch.setattr(clusters, "BLOCK_NUMBERS", 1)
    np.testing.assert_allclose(divergence_sums(torch.from_numpy(rows)), expected, atol=1e-9)


def test_the_mean_is_over_real_tokens():
    corpus = oracle_corpus(6)
    recording = OracleRecording(corpus)
    found = divergences(recording, np.arange(6))
    tokens, total = 0, 0.0
    for row in range(6):
        maps = recording._maps(row).reshape(LAYERS * HEADS, -1, recording.lengths[row])
        total += sum(jensenshannon(a, b) ** 2 for a, b in zip(maps[1], maps[2], strict=True))
        tokens += maps.shape[1]
    assert found[1, 2] == pytest.approx(total / tokens, rel=1e-4)


def test_heads_of_a_layer_that_lie_together_are_found():
    layers = np.repeat(np.arange(4), 3)
    near = np.where(layers[:, None] == layers, 0.1, 1.0) - 0.1 * np.eye(12)
    assert neighbour_purity(near, layers, 2) == 1.0
    table = purity_table(near, layers, PARAMETERS)
    assert table["p"] < 0.01
    assert table["chance_high"] < 1
    # Two of eleven other heads are of the layer.
    assert table["chance"] == pytest.approx(2 / 11, abs=0.02)


def test_the_picture_keeps_distances_in_the_plane():
    points = np.random.default_rng(0).normal(size=(8, 2))
    distances = np.linalg.norm(points[:, None] - points, axis=-1)
    places, stress = scaled(distances, 4, 0)
    np.testing.assert_allclose(
        np.linalg.norm(places[:, None] - places, axis=-1), distances, atol=0.1
    )
    assert stress < 0.05
