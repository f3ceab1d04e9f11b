"""The network's first projection by a head's change: by hand, and on a layer of random numbers."""

from types import SimpleNamespace

import pytest
import torch
from torch import nn

from stages.core.grid.changed_network import after_changes, change_weights, unchanged_sums
from stages.core.heads.layer_modules import LayerModules
from stages.core.heads.layers import Layer


def linear(*rows, bias=(0.0, 0.0)):
    module = nn.Linear(len(rows[0]), len(rows))
    module.weight.data, module.bias.data = torch.tensor(rows), torch.tensor(bias)
    return module


@pytest.fixture
def layer():
    """A hidden state of two numbers, and one head of one; the network gives nothing out."""
    attention = SimpleNamespace(attention_head_size=1, scaling=1.0)
    asking = linear([1.0, 0.0], bias=[0.0])
    norm = nn.LayerNorm(2, eps=0.0)
    norm.weight.data, norm.bias.data = torch.tensor([2.0, 1.0]), torch.tensor([1.0, -1.0])
    modules = LayerModules(
        attention,
        query=asking,
        key=asking,
        value=asking,
        output=linear([1.0], [-1.0], bias=[7.0, 7.0]),
        mixing_norm=norm,
        inner=linear([1.0, 1.0], [0.0, 2.0], bias=[3.0, 4.0]),
        activation=nn.Identity(),
        outer=linear([0.0, 0.0], [0.0, 0.0], bias=[5.0, 6.0]),
        network_norm=nn.LayerNorm(2),
    )
    return Layer(modules, torch.float32, 0.0)


def test_by_hand(layer, monkeypatch):
    """A m = (6, 4), A P = (1, -2), a = (3, 2), c = (3, 2); with the change m = (3, 1): s = 1."""
    seen = []
    monkeypatch.setattr(layer, "from_sums", lambda *given: seen.append(given) or given[1])
    weights = change_weights(layer)
    assert weights.tolist() == [[[1, -2], [3, 2], [3, 2]]]
    mixed, change = torch.tensor([[[2.0, 2.0]]]), torch.tensor([[[[1.0]]]])
    sums = unchanged_sums(layer, mixed)
    assert sums.tolist() == [[[6, 4]]]
    changed = mixed + change @ layer.head_weights
    after_changes(layer, sums, changed, change, weights)
    ((found, normed),) = seen
    assert normed.tolist() == [[[2 + 1 + 5, -1 - 1 + 6]]]  # with the network's second bias
    assert found.tolist() == [[4, 0]]
    assert found.tolist() == layer.inner(normed[0]).tolist()
