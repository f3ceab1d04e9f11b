"""The loss whose gradients are taken."""

import numpy as np
import torch

from stages.core.encoder.batches import Batch
from stages.core.losses import losses
from stages.gradients.stage import task_loss


def test_the_tasks_loss_is_that_of_its_rows():
    logits = torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.0, 3.0]])
    batch = Batch(np.array([1, 0]), np.array([3, 3]), {})
    expected = losses(logits, torch.tensor([2.0, 0.0]), "classification")
    found = task_loss(logits, batch, np.array([0.0, 2.0]), "classification")
    torch.testing.assert_close(found, expected)
