"""Training one pattern network on few labelled maps."""

import numpy as np
import torch
from jaxtyping import Float, Int
from pydantic import Field
from torch import Tensor
from torch.nn import functional as F

from stages.core.parameters import Parameters
from stages.core.pattern_augmentation import recompose, vary
from stages.core.pattern_data import CLASSES, Map
from stages.core.pattern_network import Architecture, PatternNetwork


class Training(Parameters):
    """How a network is built and trained."""

    side: int = Field(gt=0)  # cells to which a map is brought
    width: int = Field(gt=0)  # channels of the first two convolutions
    last_width: int = Field(gt=0)  # channels of the last three
    epochs: int = Field(gt=0)
    batch: int = Field(gt=1)  # maps
    learning_rate: float = Field(gt=0)  # at its peak; one cycle up and down
    weight_decay: float = Field(ge=0)
    label_smoothing: float = Field(ge=0, lt=1)
    copies: int = Field(gt=0)  # augmented copies of each map to draw from
    recomposed: float = Field(ge=0, le=1)  # share of the copies made into another class


def fit_network(
    maps: list[Map], labels: Int[np.ndarray, " map"], training: Training, seed: int
) -> PatternNetwork:
    """Train a network; equal arguments and equally many threads give equal weights."""
    torch.manual_seed(seed)
    generator = np.random.default_rng(seed)
    network = PatternNetwork(
        Architecture(side=training.side, width=training.width, last_width=training.last_width)
    ).train()
    views, classes = augmented(maps, labels, network, training, generator)
    weights = class_weights(classes)
    optimizer = torch.optim.AdamW(
        network.parameters(), training.learning_rate, weight_decay=training.weight_decay
    )
    batches = max(1, len(maps) // training.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, training.learning_rate, total_steps=training.epochs * batches
    )
    for _ in range(training.epochs):
        for rows in np.array_split(generator.permutation(len(maps)), batches):
            copy = generator.integers(training.copies, size=len(rows))
            loss = F.cross_entropy(
                network(views[rows, copy]),
                classes[rows, copy],
                weight=weights,
                label_smoothing=training.label_smoothing,
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return network.eval()


def augmented(
    maps: list[Map],
    labels: Int[np.ndarray, " map"],
    network: PatternNetwork,
    training: Training,
    generator: np.random.Generator,
) -> tuple[Float[Tensor, "map copy view side side"], Int[Tensor, "map copy"]]:
    """The views of the augmented copies of each map, and their classes."""
    views, classes = [], []
    for weights, label in zip(maps, labels.tolist(), strict=True):
        for _ in range(training.copies):
            changed, made = weights.astype(np.float64), label
            if generator.random() < training.recomposed:
                changed, made = recompose(changed, label, generator)
            varied = torch.from_numpy(vary(changed, generator))
            views.append(network.views(varied[None])[0])
            classes.append(made)
    shape = (len(maps), training.copies)
    return torch.stack(views).unflatten(0, shape), torch.tensor(classes).view(shape)


def class_weights(classes: Int[Tensor, "map copy"]) -> Float[Tensor, " class"]:
    """Weights of the classes in the loss: the root of how rare each is."""
    counts = torch.bincount(classes.flatten(), minlength=len(CLASSES)).clamp_min(1)
    return (counts.float().mean() / counts).sqrt()
