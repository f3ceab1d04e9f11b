"""Probes of all layers, trained together (Lin et al. 2019, section 3).

A probe has one weight for each number of a state. It gives every word of the sentence a score; the
softmax of the scores is the probability of each word. All probes of all layers read a batch of
states at once. Each has its own loss, and Adam moves every weight by its own gradients, so a probe
equals one that is trained alone on the same batches.
"""

from collections.abc import Iterator

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from tqdm import tqdm

from stages.layer_probes.sentences import NO_TARGET, ProbedSentences
from stages.layer_probes.states import StateFile

LEAST_SPREAD = 1e-3  # of the largest of a state's: less is rounding in float16
Weights = Float[Tensor, "state probe size"]


def fit_probes(
    states: StateFile,
    taught: ProbedSentences,
    epochs: int,
    batch: int,
    learning_rate: float,
    seed: int,
    device: torch.device | str = "cpu",
) -> Weights:
    """Train all probes on all states.

    Training reads the numbers of a state in units of their spread within sentences, so that one
    rate suits all of them. The returned weights apply to the states as they are.

    Args:
        states: its first sentences are those of `taught`, whose order is by chance.
        epochs: passes over the sentences; batches come in another order in each.
        batch: sentences of a step.
        learning_rate: of the first step; it falls linearly to 0.
    """
    count, size = states.shape
    batches = list(_batches(len(taught.words), batch))
    unit = state_spreads(states, len(taught.words), batch).to(device)
    weights = torch.zeros(count, taught.targets.shape[1], size, device=device)
    optimizer = torch.optim.Adam([weights], lr=learning_rate)
    steps = epochs * len(batches)
    falling = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    generator = np.random.default_rng(seed)
    with tqdm(total=steps, desc="probes", unit="step") as progress:
        for _ in range(epochs):
            for number in generator.permutation(len(batches)):
                first, last = batches[number]
                read = (states.read(first, last).to(device) / unit).transpose(0, 1)
                targets = taught.targets[first:last].to(device)
                weights.grad = gradient(read, weights, _lengths(states, first, last), targets)
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
    known, words = _words(lengths, states.device)
    likely = _padded(states @ weights.mT, known).softmax(2)
    asked = targets != NO_TARGET
    row, probe = asked.nonzero(as_tuple=True)
    likely[:, row, targets[row, probe], probe] -= 1
    likely *= asked[:, None] / asked.sum(0).clamp_min(1)
    return likely.flatten(1, 2)[:, words].mT @ states


def state_spreads(states: StateFile, sentences: int, batch: int) -> Float[Tensor, "state size"]:
    """How far each number of a state differs between the words of a sentence.

    The root mean square of the difference to the sentence's mean, which the softmax ignores.
    """
    total = torch.zeros(states.shape, dtype=torch.float64)
    for first, last in _batches(sentences, batch):
        words = states.read(first, last)
        for sentence in words.split(_lengths(states, first, last).tolist()):
            total += (sentence - sentence.mean(0)).square().sum(0)
    spread = (total / max(1, int(states.starts[sentences]))).sqrt().float()
    spread = spread.clamp_min(LEAST_SPREAD * spread.amax(1, keepdim=True))
    return torch.where(spread > 0, spread, 1.0)


@torch.inference_mode()
def predicted_words(
    states: StateFile, first: int, last: int, weights: Weights, batch: int
) -> Int[Tensor, "sentence state probe"]:
    """The likeliest word of every sentence from `first` on, `last` not included."""
    likeliest = []
    for begin, end in _batches(last - first, batch):
        begin, end = begin + first, end + first
        read = states.read(begin, end).to(weights.device).transpose(0, 1)
        known, _ = _words(_lengths(states, begin, end), read.device)
        likeliest.append(_padded(read @ weights.mT, known).argmax(2).transpose(0, 1).cpu())
    return torch.cat(likeliest)


def _batches(sentences: int, batch: int) -> Iterator[tuple[int, int]]:
    for first in range(0, sentences, batch):
        yield first, min(first + batch, sentences)


def _lengths(states: StateFile, first: int, last: int) -> Int[np.ndarray, " sentence"]:
    return np.diff(states.starts[first : last + 1])


def _words(
    lengths: Int[np.ndarray, " sentence"], device: torch.device
) -> tuple[Bool[Tensor, "sentence position"], Int[Tensor, " word"]]:
    """Mark the words of padded sentences, and number them."""
    known = np.arange(lengths.max()) < lengths[:, None]
    words = torch.from_numpy(np.flatnonzero(known)).to(device)
    return torch.from_numpy(known).to(device), words


def _padded(
    scores: Float[Tensor, "state word probe"], known: Bool[Tensor, "sentence position"]
) -> Float[Tensor, "state sentence position probe"]:
    """Scores by sentence; those behind its end make no word likely."""
    padded = scores.new_full((scores.shape[0], *known.shape, scores.shape[2]), -torch.inf)
    padded[:, known] = scores
    return padded
