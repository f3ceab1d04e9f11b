import pytest
from transformers import BertConfig, DistilBertConfig

from stages.core.heads.gates import Gate, single_heads
from stages.importance.cost import Geometry, least_for_grid

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
