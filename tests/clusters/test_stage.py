"""Distances between heads whose distributions are known."""

import numpy as np
import pytest
import torch
from scipy.spatial.distance import jensenshannon

from stages.clusters import stage as clusters
from stages.clusters.stage import (
    Clusters,
    divergence_sums,
    neighbour_purity,
    purity_table,
    scaled,
    text_divergences,
    weighted_distances,
)
from tests.oracle import HEADS, LAYERS, OracleRecording, oracle_corpus

PARAMETERS = Clusters(
    corpora=[], texts=None, neighbours=2, permutations=500, starts=1, resamples=200, seed=0
)


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


def test_sums_are_of_each_text_over_its_real_tokens():
    """Texts are asked for out of order; batches hold them longest first."""
    corpus = oracle_corpus(6)
    recording = OracleRecording(corpus)
    rows = np.array([4, 0, 3])
    found = text_divergences(recording, rows)
    assert found.shape == (3, LAYERS * HEADS, LAYERS * HEADS)
    for place, row in enumerate(rows):
        maps = recording._maps(row).reshape(LAYERS * HEADS, -1, recording.lengths[row])
        total = sum(jensenshannon(a, b) ** 2 for a, b in zip(maps[1], maps[7], strict=True))
        assert found[place, 1, 7] == pytest.approx(total, rel=1e-4)


def test_distances_are_weighted_sums_over_weighted_tokens():
    sums = np.array([[[0.0, 6.0], [6.0, 0.0]], [[0.0, 1.0], [1.0, -1e-9]]])
    found = weighted_distances(np.array([1.0, 3.0]), sums, np.array([2.0, 1.0]))
    np.testing.assert_allclose(found, [[0, 9 / 5], [9 / 5, 0]])
    assert (found >= 0).all()


LAYER = np.repeat(np.arange(4), 3)
NEAR = np.where(LAYER[:, None] == LAYER, 0.1, 1.0) - 0.1 * np.eye(12)


def purity(sums, tokens=None, groups=None):
    count = len(sums)
    tokens = np.ones(count, dtype=int) if tokens is None else tokens
    groups = np.arange(count) if groups is None else groups
    return purity_table(sums, tokens, groups, LAYER, PARAMETERS)


def test_heads_of_a_layer_that_lie_together_are_found():
    assert neighbour_purity(NEAR, LAYER, 2) == 1.0
    table = purity(np.stack([NEAR] * 10))
    assert table["purity"] == 1
    assert table["p"] < 0.01
    assert table["chance_high"] < 1
    # Two of eleven other heads are of the layer.
    assert table["chance"] == pytest.approx(2 / 11, abs=0.02)
    assert table["above"] == pytest.approx(9 / 11, abs=0.02)
    assert 0.5 < table["above_low"] < table["above"] < table["above_high"]
    # All texts say the same: the spread is that of the shuffled layers.
    assert table["above_drawn"].shape == (PARAMETERS.resamples,)
    width = table["above_high"] - table["above_low"]
    assert width == pytest.approx(table["chance_high"] - table["chance_low"], rel=0.2)


def test_chance_is_of_shuffled_layers():
    """Four heads in two layers: a shuffle leaves the pairs together one time in three."""
    layers = np.array([0, 0, 1, 1])
    near = np.where(layers[:, None] == layers, 0.1, 1.0)
    parameters = PARAMETERS.model_copy(update={"neighbours": 1, "permutations": 3000})
    table = purity_table(
        np.stack([near] * 6), np.ones(6, dtype=int), np.arange(6), layers, parameters
    )
    assert (table["purity"], table["neighbours"]) == (1, 1)
    assert table["chance"] == pytest.approx(1 / 3, abs=0.03)
    assert (table["chance_low"], table["chance_high"]) == (0, 1)
    assert table["p"] == pytest.approx(1 / 3, abs=0.03)
    assert table["above"] == pytest.approx(2 / 3, abs=0.03)
    # More neighbours are asked for than there are others: all of them count.
    parameters = PARAMETERS.model_copy(update={"neighbours": 9})
    table = purity_table(
        np.stack([near] * 6), np.ones(6, dtype=int), np.arange(6), layers, parameters
    )
    assert table["neighbours"] == 3
    assert (table["purity"], table["p"]) == (pytest.approx(1 / 3), 1)


@pytest.mark.parametrize(
    ("sizes", "neighbours", "chance", "high"),
    [((3, 4), 2, None, 1), ((2, 2, 2, 2), 1, 1 / 7, 0.5)],
)
def test_the_range_of_chance_leaves_out_a_fortieth_at_each_end(sizes, neighbours, chance, high):
    """Heads that lie with those of their layer: by chance in one of 35 shuffles, or in one of 105.

    The first is more than a fortieth. Of four pairs the second most is two that stay together.
    """
    layers = np.repeat(np.arange(len(sizes)), sizes)
    near = np.where(layers[:, None] == layers, 0.1, 1.0)
    parameters = PARAMETERS.model_copy(update={"neighbours": neighbours, "permutations": 20000})
    count = np.ones(6, dtype=int)
    table = purity_table(np.stack([near] * 6), count, np.arange(6), layers, parameters)
    assert (table["purity"], table["chance_high"]) == (1, high)
    if chance is not None:
        assert (table["chance"], table["chance_low"]) == (pytest.approx(chance, abs=0.01), 0)


def test_the_smallest_p_is_of_one_more_than_the_shuffles():
    table = purity(np.stack([NEAR] * 6))
    assert table["p"] == pytest.approx(1 / (1 + PARAMETERS.permutations))


def test_texts_that_disagree_widen_the_interval():
    """On half of the texts heads of a layer lie together, on half those of the same number."""
    number = np.tile(np.arange(3), 4)
    apart = np.where(number[:, None] == number, 0.1, 1.0) - 0.1 * np.eye(12)
    agreed = purity(np.stack([NEAR] * 12))
    mixed = purity(np.stack([NEAR] * 6 + [apart] * 6))
    width, usual = (table["above_high"] - table["above_low"] for table in (mixed, agreed))
    assert width > 2 * usual
    assert mixed["above_drawn"].min() < 0 < mixed["above_drawn"].max()


def test_groups_are_drawn_as_one():
    """Twelve texts of four groups are no more than four."""
    sums = np.stack([NEAR] * 12)
    table = purity(sums, groups=np.repeat(np.arange(4), 3))
    assert np.isnan(table["above_drawn"]).all()
    assert np.isnan(table["above_low"])
    assert table["purity"] == 1


def test_heads_that_differ_by_noise_alone_do_not_lie_together():
    """Heads of one layer by name only: the interval must not lie above 0."""
    held = 0
    for seed in range(40):
        points = np.random.default_rng(seed).normal(size=(20, 12, 5))
        sums = np.square(points[:, :, None] - points[:, None]).sum(-1)
        table = purity(sums)
        held += table["above_low"] > 0
    assert held <= 2


def test_the_picture_keeps_distances_in_the_plane():
    points = np.random.default_rng(0).normal(size=(8, 2))
    distances = np.linalg.norm(points[:, None] - points, axis=-1)
    places, stress = scaled(distances, 4, 0)
    np.testing.assert_allclose(
        np.linalg.norm(places[:, None] - places, axis=-1), distances, atol=0.1
    )
    assert stress < 0.05
