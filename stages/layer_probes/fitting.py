"""Probes of all layers, trained together (Lin et al. 2019, section 3).

A probe is one weight for each number of a state: it gives every word of the sentence a score, and
the softmax of these is how likely each word is meant. All probes of all layers read a batch of
states at once; each has its own loss, so that none changes what another learns. Adam moves every
weight by its own gradients alone: a probe comes out as it would if it were trained by itself on the
same batches.
"""

from collections.abc import Iterator

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from tqdm import tqdm

from stages.layer_probes.sentences import NO_TARGET, Sentences
from stages.layer_probes.states import StateFile

LEAST_SPREAD = 1e-3  # of the largest of a state's: less is rounding in float16
Weights = Float[Tensor, "state probe size"]


def fit(
    states: StateFile,
    taught: Sentences,
    epochs: int,
    batch: int,
    learning_rate: float,
    seed: int,
    device: torch.device | str = "cpu",
) -> Weights:
    """Train all probes on all states.

    Numbers of a state are learnt on in units of their spread within sentences, so that one rate
    suits all of them; the weights that are returned are of the states as they are.

    Args:
        states: its first sentences are those of `taught`, whose order is by chance.
        epochs: passes over the sentences; batches come in another order in each.
        batch: sentences of a step.
        learning_rate: of the first step; it falls linearly to 0.
    """
    count, size = states.shape
    parts = list(_parts(len(taught.words), batch))
    unit = spreads(states, len(taught.words), batch).to(device)
    weights = torch.zeros(count, taught.targets.shape[1], size, device=device)
    optimizer = torch.optim.Adam([weights], lr=learning_rate)
    steps = epochs * len(parts)
    falling = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    generator = np.random.default_rng(seed)
    with tqdm(total=steps, desc="probes", unit="step") as progress:
        for _ in range(epochs):
            for number in generator.permutation(len(parts)):
                first, last = parts[number]
                own = (states.read(first, last).to(device) / unit).transpose(0, 1)
                targets = taught.targets[first:last].to(device)
                weights.grad = gradient(own, weights, _lengths(states, first, last), targets)
                optimizer.step()
                falling.step()
                progress.update()
    return weights / unit[:, None]


def gradient(
    states: Float[Tensor, "state word size"],
    weights: Weights,
    lengths: Int[np.ndarray, " sentence"],
    targets: Int[Tensor, "sentence probe"],
) -> Weights:
    """The gradient of the mean cross-entropy of each probe over the sentences that it is asked."""
    known, places = _places(lengths, states.device)
    likely = _padded(states @ weights.mT, known).softmax(2)
    asked = targets != NO_TARGET
    row, probe = asked.nonzero(as_tuple=True)
    likely[:, row, targets[row, probe], probe] -= 1
    likely *= asked[:, None] / asked.sum(0).clamp_min(1)
    return likely.flatten(1, 2)[:, places].mT @ states


def spreads(states: StateFile, sentences: int, batch: int) -> Float[Tensor, "state size"]:
    """How far each number of a state differs between the words of a sentence.

    The root mean square of the difference to the sentence's mean, which no softmax sees.
    """
    total = torch.zeros(states.shape, dtype=torch.float64)
    for first, last in _parts(sentences, batch):
        own = states.read(first, last)
        for sentence in own.split(_lengths(states, first, last).tolist()):
            total += (sentence - sentence.mean(0)).square().sum(0)
    found = (total / max(1, int(states.starts[sentences]))).sqrt().float()
    found = found.clamp_min(LEAST_SPREAD * found.amax(1, keepdim=True))
    return torch.where(found > 0, found, 1.0)


@torch.inference_mode()
def predictions(
    states: StateFile, first: int, last: int, weights: Weights, batch: int
) -> Int[Tensor, "sentence state probe"]:
    """The likeliest word of every sentence from `first` on, `last` not included."""
    found = []
    for begin, end in _parts(last - first, batch):
        begin, end = begin + first, end + first
        own = states.read(begin, end).to(weights.device).transpose(0, 1)
        known, _ = _places(_lengths(states, begin, end), own.device)
        found.append(_padded(own @ weights.mT, known).argmax(2).transpose(0, 1).cpu())
    return torch.cat(found)


def _parts(sentences: int, batch: int) -> Iterator[tuple[int, int]]:
    for first in range(0, sentences, batch):
        yield first, min(first + batch, sentences)


def _lengths(states: StateFile, first: int, last: int) -> Int[np.ndarray, " sentence"]:
    return np.diff(states.starts[first : last + 1])


def _places(
    lengths: Int[np.ndarray, " sentence"], device: torch.device
) -> tuple[Bool[Tensor, "sentence place"], Int[Tensor, " word"]]:
    """Which places of sentences of one length are words, and the numbers of these places."""
    known = np.arange(lengths.max()) < lengths[:, None]
    places = torch.from_numpy(np.flatnonzero(known)).to(device)
    return torch.from_numpy(known).to(device), places


def _padded(
    scores: Float[Tensor, "state word probe"], known: Bool[Tensor, "sentence place"]
) -> Float[Tensor, "state sentence place probe"]:
    """Scores by sentence; those behind its end make no word likely."""
    found = scores.new_full((scores.shape[0], *known.shape, scores.shape[2]), -torch.inf)
    found[:, known] = scores
    return found
