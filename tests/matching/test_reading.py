"""The [CLS] row of one head under gates, and its share and entropy."""

import numpy as np
import pytest
import torch

from stages.core.heads.gate_batches import GateBatch, off_matrix
from stages.core.heads.gates import Gate
from stages.core.heads.seam import Gated
from stages.matching.reading import cls_rows, reading_table, share_and_entropy
from stages.matching.tables import MATCHING, NONE, RANDOM

GATES = [None, Gate("zero", ((0, 1), (0, 3)), "matching"), Gate("zero", ((1, 0),), "random")]


@pytest.mark.parametrize("reader", [(0, 2), (1, 1)])
def test_rows_are_those_of_the_whole_model_under_the_gate(padded_classifier, reader):
    model, inputs = padded_classifier([9, 4, 6])
    gated = Gated(model)
    found = cls_rows(gated, reader, GATES, inputs)
    layer, head = reader
    for gate, rows in zip(GATES, found, strict=True):
        maps = {}
        batch = None
        if gate is not None:
            off = off_matrix([gate], gated.layers, gated.heads).expand(3, -1, -1)
            batch = GateBatch("zero", off)
        with torch.inference_mode():
            gated(inputs, gate=batch, record_maps=maps.__setitem__)
        np.testing.assert_allclose(rows, maps[layer][:, head, 0], atol=1e-5)


def test_share_and_entropy_by_hand():
    row = np.array([0.5, 0.25, 0.25, 0.0])
    shared = np.array([False, True, False, True])
    share, entropy = share_and_entropy(row, shared)
    assert share == pytest.approx(0.25)
    assert entropy == pytest.approx(1.5 * np.log(2))


def test_random_heads_are_a_mean_over_draws_and_examples_without_shared_terms_are_left_out():
    generator = np.random.default_rng(0)
    figures = np.empty((2, 5, 80))
    # Without ablation, without the matching heads, and three draws.
    for condition, share in enumerate((0.6, 0.2, 0.5, 0.6, 0.7)):
        figures[0, condition] = share + 0.1 * generator.normal(size=80)
        figures[1, condition] = 2 - share
    figures[:, :, 40:] = np.nan
    table = reading_table(figures, 400, 0)
    assert table["ablated"].tolist() == [NONE, MATCHING, RANDOM]
    assert table["draws"].tolist() == [1, 1, 3]
    assert table["examples"].tolist() == [40] * 3
    expected = np.nanmean(figures, axis=2)
    assert table["share"].tolist() == pytest.approx([*expected[0, :2], expected[0, 2:].mean()])
    assert table["entropy"].tolist() == pytest.approx([1.4, 1.8, 1.4])
    drawn = np.stack(table["share_drawn"])
    assert drawn.shape == (3, 400)
    np.testing.assert_allclose(np.quantile(drawn, 0.025, axis=1), table["share_low"])
    np.testing.assert_allclose(np.stack(table["entropy_drawn"])[:2].T, [[1.4, 1.8]] * 400)
    # One draw's interval is of the examples; that of three is of the draws too.
    width = (table["share_high"] - table["share_low"]).to_numpy()
    assert width[0] == pytest.approx(2 * 1.96 * 0.1 / np.sqrt(40), rel=0.35)
    assert width[2] > 2 * width[0]
    assert (table["entropy_high"] - table["entropy_low"]).tolist()[:2] == pytest.approx([0, 0])
