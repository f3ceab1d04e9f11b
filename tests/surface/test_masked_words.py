"""The loss of masked words."""

import numpy as np
import pytest
import torch

from stages.core.encoder.batches import Batch
from stages.surface.masked_words import IGNORED, masked, masked_loss


def test_masked_tokens_alone_have_a_loss():
    ids, special = [[2, 7, 8, 9, 10, 3]], [[1, 0, 0, 0, 0, 2]]
    shown, labels = masked(ids, special, mask=4, share=0.5, seed=0)
    drawn = [place for place, label in enumerate(labels[0]) if label != IGNORED]
    assert len(drawn) == 2
    assert not {0, 5} & set(drawn)
    for place, token in enumerate(ids[0]):
        assert shown[0][place] == (4 if place in drawn else token)
        assert labels[0][place] == (token if place in drawn else IGNORED)
    logits = torch.zeros(1, 6, 11)
    logits[0, drawn[0], ids[0][drawn[0]]] = 100.0
    batch = Batch(np.array([0]), np.array([6]), {})
    found = masked_loss(logits, batch, labels)
    assert found[0] == pytest.approx(np.log(11) / 2, rel=1e-5)
