"""Fitting probes to convergence, and what they predict.

A linear probe has one best set of weights, as its penalised likelihood is concave. L-BFGS finds it
in a few dozen passes, as the likelihood's curvature, known where all weights are 0, turns and
stretches the weights beforehand. Weights are penalised as they are, not as they are stretched.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from stages.probes.models import LinearProbe, Probe, Scores, Vectors
from stages.probes.sentences import FIRST_WORD, Sentence, SentenceBatch, batches

# Of the gradient of the loss a word, with weights stretched: what is then left to gain is far below
# what would turn a decision.
TOLERANCE = 1e-4
REMEMBERED = 50  # steps from which L-BFGS learns of the curvature
NO_SPREAD = 1e-5  # of a feature's size: so little is rounding
NEVER = -1e9


@dataclass(frozen=True)
class Fit:
    """The weights of a probe: the loss a word that they reach, in how many steps, and whether at
    its minimum."""

    weights: list[Tensor]
    loss: float
    steps: int
    converged: bool


def fit(
    probe: Probe,
    taught: list[SentenceBatch],
    vectors: Vectors,
    penalty: float,
    iterations: int,
    seed: int,
    tolerance: float = TOLERANCE,
) -> Fit:
    """Maximise the likelihood of the gold heads less `penalty` / 2 times the squared weights.

    Args:
        iterations: steps at most.
        seed: of the weights at the start, where these are drawn.
        tolerance: of the gradient of the loss a word, with weights stretched.
    """
    start = probe.start(torch.Generator().manual_seed(seed))
    words = sum(int(batch.scored.sum()) for batch in taught)
    stretched = _stretching(probe, start, taught, vectors, penalty)
    place = torch.zeros(sum(probe.sizes), dtype=torch.float64, requires_grad=True)

    def weights_at(moved: Float[Tensor, " weight"]) -> list[Tensor]:
        parts = [
            part.view(shape)
            for part, shape in zip(moved.split(probe.sizes), probe.shapes, strict=True)
        ]
        parts[0] = stretched(parts[0])
        return [first + part for first, part in zip(start, parts, strict=True)]

    def loss_with_gradient() -> float:
        place.grad = None
        weights = weights_at(place.float())
        squares = penalty / 2 * sum((part**2).sum() for part in probe.penalised(weights)) / words
        made = probe.of_vectors(weights, vectors)
        # Each batch goes back to here at once, so that memory holds the steps of one.
        inner = [part.detach().requires_grad_() for part in made]
        total = float(squares.detach())
        for batch in taught:
            loss = log_loss(probe.scores(batch, inner), batch) / words
            loss.backward()
            total += float(loss.detach())
        torch.autograd.backward([*made, squares], [*(part.grad for part in inner), None])
        return total

    optimizer = torch.optim.LBFGS(
        [place],
        max_iter=iterations,
        tolerance_grad=tolerance,
        tolerance_change=0.0,
        history_size=REMEMBERED,
        line_search_fn="strong_wolfe",
    )
    optimizer.step(loss_with_gradient)
    loss = loss_with_gradient()
    with torch.no_grad():
        weights = weights_at(place.float())
    steps = optimizer.state[place]["n_iter"]
    return Fit(weights, loss, steps, float(place.grad.abs().max()) <= tolerance)


def log_loss(scores: Scores, batch: SentenceBatch) -> Float[Tensor, ""]:
    """The negative logarithm of the likelihood of the gold heads, summed over words."""
    known = scores.masked_fill(~batch.candidates, NEVER)[batch.scored]
    return cross_entropy(known, batch.heads[batch.scored], reduction="sum")


@torch.inference_mode()
def predict(
    probe: Probe, weights: list[Tensor], sentences: list[Sentence], vectors: Vectors
) -> list[Int[Tensor, " candidate"]]:
    """The most likely head of every candidate, sentence by sentence."""
    made = probe.of_vectors(weights, vectors)
    found: list[Tensor] = [torch.empty(0)] * len(sentences)
    for places, part in batches(sentences):
        best = probe.scores(part, made).masked_fill(~part.candidates, NEVER).argmax(-1)
        for place, row in zip(places, best, strict=True):
            found[place] = row[: len(sentences[place].heads)]
    return found


def spreads(kind: type[LinearProbe], taught: list[SentenceBatch]) -> Float[Tensor, " feature"]:
    """How far each feature differs between the candidates of a word.

    The root mean square of the difference to the mean of the sentence's words: what is the same
    for all candidates tells nothing about the head. [CLS] and [SEP], which may get most of the
    attention, do not count. A feature without differences has its own root mean square, and one
    that is 0 throughout has 1.
    """
    differing, plain, count = 0.0, 0.0, 0
    for batch in taught:
        known = (batch.candidates & batch.scored[..., None]).float()
        known[..., :FIRST_WORD] = 0
        values = kind.values(batch) * known[..., None]
        mean = values.sum(2, keepdim=True) / known.sum(-1).clamp_min(1)[..., None, None]
        plain = plain + values.square().sum((0, 1, 2)).double()
        away = (values - mean) * known[..., None]
        differing = differing + away.square_().sum((0, 1, 2)).double()
        count += int(known.sum())
    spread, size = ((total / max(count, 1)).sqrt() for total in (differing, plain))
    spread = torch.where(spread > NO_SPREAD * size, spread, size)
    return torch.where(spread > 0, spread, 1.0).float()


def _stretching(
    probe: Probe,
    weights: list[Tensor],
    taught: list[SentenceBatch],
    vectors: Vectors,
    penalty: float,
) -> Callable[[Tensor], Tensor]:
    """The weights [side, size, feature] of a linear probe from those that L-BFGS moves.

    The curvature of the loss is about the product of the vectors' second moments and those of the
    features; the penalty adds a constant. Both are turned to their axes, and each axis is divided
    by the square root of its curvature. A network stays as it is.
    """
    if not isinstance(probe, LinearProbe):
        return lambda moved: moved
    words = sum(int(batch.scored.sum()) for batch in taught)
    with torch.no_grad():
        made = probe.of_vectors(weights, vectors)
        moments = _feature_moments(probe, made, taught)[: probe.shapes[0][0]]
    of_vectors, turn = torch.linalg.eigh(_vector_moments(taught, vectors))
    of_features, turns = torch.linalg.eigh(moments)
    curvature = of_vectors.clamp_min(0)[:, None] * of_features.clamp_min(0)[:, None]
    scale = (curvature + penalty / words).rsqrt().float()
    turn, turns = turn.float(), turns.float()
    return lambda moved: turn @ (scale * moved) @ turns.mT


def _vector_moments(taught: list[SentenceBatch], vectors: Vectors) -> Float[Tensor, "size size"]:
    """Second moments of the vectors of the words."""
    counts = vectors.new_zeros(len(vectors))
    for batch in taught:
        counts += torch.bincount(batch.words[batch.scored], minlength=len(vectors))
    return ((vectors.mT * counts) @ vectors).double() / counts.sum()


def _feature_moments(
    probe: LinearProbe, made: list[Tensor], taught: list[SentenceBatch]
) -> Float[Tensor, "2 feature feature"]:
    """Second moments of the features over candidates by their p, about a word's mean and about 0.

    What a word adds to its own weights is the same for all of its candidates; what candidates add
    is not.
    """
    centred, plain, count = 0.0, 0.0, 0
    for batch in taught:
        known = probe.scores(batch, made).masked_fill(~batch.candidates, NEVER).softmax(-1)
        known = known * batch.scored[..., None]
        values = probe.values(batch) / probe.spreads
        mean = torch.einsum("bjcf,bjc->bjf", values, known)[batch.scored]
        chosen = known > 0
        rows, share = values[chosen], known[chosen][:, None]
        second = ((rows * share).mT @ rows).double()
        centred = centred + second - (mean.mT @ mean).double()
        plain = plain + second
        count += int(batch.scored.sum())
    return torch.stack([centred, plain]) / count
