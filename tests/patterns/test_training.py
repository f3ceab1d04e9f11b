"""Copies that the pattern networks are trained on, with their classes."""

import numpy as np
import pytest
import torch
from torch import nn

from stages.patterns.features import FEATURES
from stages.patterns.labelled_maps import CLASSES
from stages.patterns.map_alone import MapAlone
from stages.patterns.network import Architecture, PatternNetwork
from stages.patterns.training import augmented, class_weights, descend, seen_by
from tests.patterns.maps import diagonal, squares

DIAGONAL, BOTH, BLOCK = 1, 2, 3
TARGETS = np.array([[0.1, 0.7, 0.0, 0.0, 0.2], [0.0, 0.0, 0.0, 0.8, 0.2]])


@pytest.mark.parametrize("recomposed", [0.0, 0.25, 1.0])
def test_a_copy_that_is_made_into_another_class_has_that_class(recomposed, settings):
    """A diagonal with a sink is Vertical + Diagonal, for sure; of squares nothing else is made."""
    count = 200
    changes = {"recomposed": recomposed, "copies": count}
    network = PatternNetwork(Architecture(side=16, width=2, last_width=2, wide=0.5, dropout=0.0))
    training = settings.model_copy(update=changes)
    maps = [diagonal(12), squares(6, 6)]
    copies, classes = augmented(maps, TARGETS, training, np.random.default_rng(0))
    views, plain = seen_by(network, copies, training)
    # What the network of maps alone sees of the same copies is the first of the views.
    (shown,) = seen_by(MapAlone(16, 2, 2, 0.0), copies, training)
    assert torch.equal(shown, views[:, :, :1])
    np.testing.assert_allclose(classes[1], TARGETS[[1] * count], atol=1e-6)
    made = (classes[0] == torch.eye(len(CLASSES))[BOTH]).all(1).numpy()
    np.testing.assert_allclose(classes[0][~made], TARGETS[[0] * int((~made).sum())], atol=1e-6)
    assert made.mean() == pytest.approx(recomposed, abs=0.08)
    if 0 < recomposed < 1:
        sink = plain[0, :, FEATURES.index("strongest_column")].numpy()
        assert np.median(sink[made]) > 2 * np.median(sink[~made])


class Remembering(nn.Module):
    """Learns a class for each of 18 things, and keeps what it was shown."""

    def __init__(self):
        super().__init__()
        self.linear, self.shown = nn.Linear(18, len(CLASSES)), []

    def forward(self, things):
        self.shown.append(things.argmax(1))
        return self.linear(things)


def test_every_epoch_shows_one_copy_of_each_map_and_in_the_end_all_with_their_classes(settings):
    things = torch.eye(18).view(6, 3, 18)
    codes = (torch.arange(6)[:, None] + 2 * torch.arange(3)) % len(CLASSES)
    network = Remembering()
    training = settings.model_copy(
        update={"epochs": 60, "batch": 2, "copies": 3, "learning_rate": 0.3, "weight_decay": 0.0}
    )
    classes, even = torch.eye(len(CLASSES))[codes], torch.ones(len(CLASSES))
    descend(network, (things,), classes, even, training, np.random.default_rng(0))
    shown = torch.stack(network.shown).view(60, 6)
    assert (shown // 3).sort(1).values.tolist() == [list(range(6))] * 60
    assert len(shown.unique()) == 18
    assert torch.equal(network(torch.eye(18)).argmax(1), codes.flatten())


@pytest.mark.parametrize(("balance", "expected"), [(0, [3, 1]), (1, [1, 1])])
def test_class_weights_undo_what_recomposed_copies_shift(balance, expected):
    """Three maps in four are vertical, but three copies in five are diagonal."""
    targets = np.eye(len(CLASSES))[[0, 0, 0, 1]]
    copies = torch.eye(len(CLASSES))[torch.tensor([[0, 0, 1, 1, 1]] * 4)]
    weights = class_weights(targets, copies, balance)
    in_loss = (weights * copies.mean((0, 1)))[:2]
    assert (in_loss / in_loss[1]).tolist() == pytest.approx(expected, rel=1e-4)
