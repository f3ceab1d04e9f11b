import numpy as np
import pytest
from transformers import BertConfig, DistilBertConfig

from stages.core.heads.gates import Gate, single_heads
from stages.importance.cost import Geometry, cost_table, least_for_grid

# Two layers, two heads: a vector costs 2 x 16 in a projection, 4 x 4 x 8 in the network.
SMALL = Geometry(layers=2, heads=2, hidden=4, feed_forward=8)
SQUARE, NETWORK = 32, 128


def test_sizes_of_every_family():
    bert = BertConfig(
        hidden_size=4, num_hidden_layers=2, num_attention_heads=2, intermediate_size=8
    )
    assert Geometry.of(bert) == SMALL
    assert Geometry.of(DistilBertConfig(dim=4, n_layers=2, n_heads=2, hidden_dim=8)) == SMALL


def test_forward_by_hand():
    layer = 3 * (4 * SQUARE + NETWORK) + 4 * 9 * 4
    assert SMALL.forward(3) == 2 * layer
    # One query: query, folded keys, values and output of one vector, then scores and their sum.
    last = 4 * SQUARE + NETWORK + 4 * 3 * 2 * 4
    assert SMALL.least_forward(3) == layer + last


def test_suffix_by_hand():
    last = 4 * SQUARE + NETWORK + 4 * 3 * 2 * 4
    one = Gate("zero", ((0, 1),), "head")
    terms = SQUARE / 2 + NETWORK / 4 + NETWORK / 2  # one head of two, through two projections
    assert SMALL.least_suffix(one, 3) == 3 * terms + last
    assert SMALL.least_suffix(one, 3, by_terms=False) == 3 * (SQUARE + NETWORK) + last
    both = Gate("zero", ((0, 0), (0, 1), (1, 0)), "random")
    assert SMALL.least_suffix(both, 3) == 3 * (SQUARE + NETWORK) + last
    assert SMALL.least_suffix(Gate("zero", ((1, 0),), "head"), 3) == terms


@pytest.mark.parametrize(("layers", "heads", "hidden"), [(6, 12, 384), (12, 12, 768)])
def test_grids_of_known_encoders(layers, heads, hidden):
    """All of it by hand once more: a vector through a matrix costs 2 operations a weight."""
    tokens = 50
    square = 2 * hidden**2
    layer = tokens * 12 * square + 4 * tokens**2 * hidden
    last = 12 * square + 4 * tokens * heads * hidden
    encoder = Geometry(layers, heads, hidden, 4 * hidden)
    gates = list(single_heads(layers, heads, "zero"))
    for by_terms, first_layer in ((True, 5 * square / heads + 4 * square), (False, 9 * square)):
        below = [
            tokens * first_layer + (layers - 2 - first) * layer + last
            for first in range(layers - 1)
        ]
        expected = (layers - 1) * layer + last + heads * (sum(below) + first_layer)
        found = least_for_grid(encoder, gates, [tokens], by_terms)
        assert found == pytest.approx(expected, rel=1e-6)
        # Fewer than the heads' forward passes by more than half.
        assert found < 0.45 * layers * heads * encoder.forward(tokens)


def test_gradients_by_hand():
    """Three tokens: two layers forward, as much backward, and attention's products once more."""
    layer = 3 * (4 * SQUARE + NETWORK) + 4 * 9 * 4
    assert SMALL.gradients(3) == 4 * layer + 2 * 4 * 9 * 4


def test_the_ratio_is_of_sums_over_examples():
    gates = list(single_heads(2, 2, "zero"))
    lengths = np.array([3, 50])
    (row,) = cost_table(SMALL, lengths, 200, 0).to_dict("records")
    grid = [least_for_grid(SMALL, gates, [tokens]) for tokens in (3, 50)]
    gradients = [SMALL.gradients(3), SMALL.gradients(50)]
    forward = SMALL.forward(3) + SMALL.forward(50)
    assert row["examples"] == 2
    assert row["grid_passes"] == pytest.approx(sum(grid) / forward)
    assert row["gradient_passes"] == pytest.approx(sum(gradients) / forward)
    assert row["ratio"] == pytest.approx(sum(gradients) / sum(grid))
    # Resamples of two examples: both alike, or one of each.
    ends = sorted(mine / theirs for mine, theirs in zip(gradients, grid, strict=True))
    assert [row["ratio_low"], row["ratio_high"]] == pytest.approx(ends)
    # Two layers of two heads: gradients are dearer than the grid.
    assert row["ratio"] > 1


def test_many_heads_make_the_grid_dear():
    (row,) = cost_table(Geometry(12, 12, 768, 3072), np.array([50, 60]), 50, 0).to_dict("records")
    assert 2 < row["gradient_passes"] < 2.1
    # Of 144 forward passes the grid needs but those above each head's layer.
    assert 0.4 * 144 < row["grid_passes"] < 0.45 * 144
    assert row["ratio"] == pytest.approx(row["gradient_passes"] / row["grid_passes"])
