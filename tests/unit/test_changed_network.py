"""The network's first projection by a head's change: by hand, and on a layer of random numbers."""

from types import SimpleNamespace

import torch
from torch import nn

from stages.core.heads.changed_network import after_changes, change_weights, unchanged_sums
from stages.core.heads.layers import Layer


class OneHead(Layer):
    """A hidden state of two numbers, and one head of one; the layer ends with its sums."""

    def __init__(self):
        super().__init__(nn.Module())
        self.norm = nn.LayerNorm(2, eps=0.0)
        self.first = nn.Linear(2, 2)
        with torch.no_grad():
            self.norm.weight.copy_(torch.tensor([2.0, 1.0]))
            self.norm.bias.copy_(torch.tensor([1.0, -1.0]))
            self.first.weight.copy_(torch.tensor([[1.0, 1.0], [0.0, 2.0]]))
            self.first.bias.copy_(torch.tensor([3.0, 4.0]))

    projections = attention = network_norm = None
    output_projection = SimpleNamespace()
    head_weights = torch.tensor([[[1.0, -1.0]]])

    @property
    def mixing_norm(self):
        return self.norm

    @property
    def network(self):
        return self.first, nn.Identity(), nn.Identity()

    def from_sums(self, sums, hidden):
        return sums


@torch.no_grad()
def test_by_hand():
    """A m = (6, 4), A P = (1, -2), a = (3, 2), c = (3, 2); with the change m = (3, 1): s = 1."""
    layer = OneHead()
    weights = change_weights(layer)
    assert weights.tolist() == [[[1, -2], [3, 2], [3, 2]]]
    mixed, change = torch.tensor([[[2.0, 2.0]]]), torch.tensor([[[[1.0]]]])
    sums = unchanged_sums(layer, mixed)
    assert sums.tolist() == [[[6, 4]]]
    changed = mixed + change @ layer.head_weights
    found = after_changes(layer, sums, changed, change, weights)
    assert found.tolist() == [[[4, 0]]]
    assert found.tolist() == layer.first(layer.norm(changed[0])).tolist()
