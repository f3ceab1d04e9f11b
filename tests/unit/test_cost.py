import pytest
from transformers import BertConfig, DistilBertConfig

from stages.core.cost import Geometry, least_for_grid
from stages.core.gates import Gate, single_heads

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
    assert SMALL.least_suffix(one, 3) == 3 * (SQUARE / 2 + NETWORK) + last
    both = Gate("zero", ((0, 0), (0, 1), (1, 0)), "random")
    assert SMALL.least_suffix(both, 3) == 3 * (SQUARE + NETWORK) + last
    assert SMALL.least_suffix(Gate("zero", ((1, 0),), "head"), 3) == SQUARE / 2 + NETWORK


@pytest.mark.parametrize(("geometry", "passes"), [((6, 12, 384), 27.9), ((12, 12, 768), 63.5)])
def test_grids_of_known_encoders_in_forward_passes(geometry, passes):
    layers, heads, hidden = geometry
    encoder = Geometry(layers, heads, hidden, 4 * hidden)
    gates = list(single_heads(layers, heads, "zero"))
    assert least_for_grid(encoder, gates, [50]) / encoder.forward(50) == pytest.approx(
        passes, abs=1
    )
