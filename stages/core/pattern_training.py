"""Training the pattern network on few maps of one model so that it works on other models."""

import numpy as np
import torch
from jaxtyping import Float, Int
from torch.nn import functional as F

from stages.core.parameters import Parameters
from stages.core.pattern_data import CLASSES, Map
from stages.core.pattern_network import Architecture, PatternClassifier, PatternNetwork


class Training(Parameters):
    """How the networks are trained."""

    width: int  # channels of the first of the eight convolutions
    pooled_width: int  # channels of the last one
    networks: int  # random starts whose probabilities are averaged
    epochs: int
    batch: int  # maps, all of about one size
    learning_rate: float
    weight_decay: float
    label_smoothing: float
    longest: int  # tokens; longer maps are cut to a window of this size in training only


def fit(
    maps: list[Map], labels: Int[np.ndarray, " map"], training: Training, seed: int
) -> PatternClassifier:
    """Train `training.networks` networks from different starts."""
    architecture = Architecture(width=training.width, pooled_width=training.pooled_width)
    networks = [
        _fit_one(maps, labels, architecture, training, seed + 1000 * index)
        for index in range(training.networks)
    ]
    return PatternClassifier(networks, architecture)


def _fit_one(
    maps: list[Map],
    labels: Int[np.ndarray, " map"],
    architecture: Architecture,
    training: Training,
    seed: int,
) -> PatternNetwork:
    torch.manual_seed(seed)
    generator = np.random.default_rng(seed)
    network = PatternNetwork(architecture).train()
    optimizer = torch.optim.AdamW(
        network.parameters(), training.learning_rate, weight_decay=training.weight_decay
    )
    steps = training.epochs * len(list(_batches(maps, training, np.random.default_rng(0))))
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, training.learning_rate, total_steps=steps
    )
    counts = np.bincount(labels, minlength=len(CLASSES)).clip(1)
    weights = torch.tensor(np.sqrt(counts.mean() / counts), dtype=torch.float32)
    for _ in range(training.epochs):
        for rows in _batches(maps, training, generator):
            length = min(training.longest, min(len(maps[row]) for row in rows))
            stack = np.stack([augment(maps[row], length, generator) for row in rows])
            logits = network(torch.from_numpy(stack).float())
            loss = F.cross_entropy(
                logits,
                torch.from_numpy(labels[rows]),
                weight=weights,
                label_smoothing=training.label_smoothing,
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return network.eval()


def _batches(
    maps: list[Map], training: Training, generator: np.random.Generator
) -> list[Int[np.ndarray, " batch"]]:
    """Batches of maps of about one size, in random order."""
    lengths = np.array([len(weights) for weights in maps])
    order = np.argsort(lengths * generator.uniform(0.9, 1.1, len(maps)), kind="stable")
    batches = [order[k : k + training.batch] for k in range(0, len(order), training.batch)]
    return [batches[k] for k in generator.permutation(len(batches))]


def augment(weights: Map, length: int, generator: np.random.Generator) -> Map:
    """A map of `length` tokens that an annotator would give the same class.

    Tokens left out; sharper or flatter rows; a stronger or weaker sink; the sink at another token,
    or shared between two tokens as [CLS] and [SEP] share it in some models; the text reversed.
    """
    result = _shorten(weights, length, generator)
    result = result ** generator.uniform(0.8, 1.25)
    sink = int(result.mean(0).argmax())
    if generator.random() < 0.5:
        result[:, sink] *= np.exp(generator.uniform(-0.4, 0.4))
    if generator.random() < 0.5:
        other = int(generator.choice([0, length - 1, generator.integers(length)]))
        rows = generator.random(length) < generator.choice([0.3, 0.5, 1.0])
        result[np.ix_(rows, [sink, other])] = result[np.ix_(rows, [other, sink])]
    if generator.random() < 0.5:
        result = result[::-1, ::-1]
    if generator.random() < 0.3:
        noise = generator.gamma(0.5, 2.0, result.shape)
        result = result / result.sum(1, keepdims=True)
        result = result + generator.uniform(0, 0.1) * noise / noise.sum(1, keepdims=True)
    return (result / result.sum(1, keepdims=True)).astype(np.float32)


def _shorten(
    weights: Map, length: int, generator: np.random.Generator
) -> Float[np.ndarray, "query key"]:
    """Leave out a run of tokens, but no strong column, and let the rows add up to 1 again."""
    surplus = len(weights) - length
    keep = np.ones(len(weights), dtype=bool)
    if surplus:
        strong = np.argsort(-weights.mean(0), kind="stable")[:2]
        start = generator.integers(len(weights))
        droppable = np.roll(np.arange(len(weights)), -start)
        droppable = droppable[~np.isin(droppable, strong)]
        keep[droppable[:surplus]] = False
    result = weights[keep][:, keep].astype(np.float64) + 1e-6
    return result / result.sum(1, keepdims=True)
