"""The probes (Clark et al. 2019, section 5.1): p(i is the head of j) over all candidates i.

* `attention`: exp of a weighted sum of the attention between j and i in both directions, one
  weight a head and direction.
* `attention and words`: the weights are linear functions of the vectors of both words.
* `distances and words`: the same with one-hot distances in place of attention, or a network.

A probe is a function of its weights, which `stages.probes.fitting` fits. Its first step is done
once for all words that differ, the second for every sentence.
"""

from abc import ABC, abstractmethod
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import one_hot

from stages.core.stage.settings import Parameters
from stages.probes.sentences import FIRST_WORD, ROOT, SEP, SentenceBatch

FURTHEST = 10  # words; longer distances count as this
DISTANCES = 2 * FURTHEST + 2
HIDDEN = 256  # units of the source's network
UNIT = "units"

Vectors = Float[Tensor, "vector size"]
Scores = Float[Tensor, "text word candidate"]


class Choices(Parameters):
    """What a probe may be given in more than one way; an entry of `probes.choices`."""

    root: Literal["cls", "cls and sep"] | None
    words: Literal["aligned", "off by one"]
    distances: Literal["linear", "network"]


class Probe(ABC):
    """A probe of one shape.

    Attributes:
        shapes: of its weights.
        sizes: how many weights of each shape, in order.
    """

    shapes: list[tuple[int, ...]]

    @property
    def sizes(self) -> list[int]:
        return [torch.Size(shape).numel() for shape in self.shapes]

    def start(self, generator: torch.Generator) -> list[Tensor]:
        """The weights before fitting."""
        return [torch.zeros(shape) for shape in self.shapes]

    def penalised(self, weights: list[Tensor]) -> list[Tensor]:
        """The weights that a penalty keeps small."""
        return weights

    @abstractmethod
    def of_vectors(self, weights: list[Tensor], vectors: Vectors) -> list[Tensor]:
        """What the weights make of each vector, and weights that have nothing to do with them."""

    @abstractmethod
    def scores(self, batch: SentenceBatch, made: list[Tensor]) -> Scores:
        """The logarithm of p, up to a constant a word; candidates that are none have any score."""


class LinearProbe(Probe):
    """Weights of features that are linear in the vectors of the word and of the candidate.

    The first weights are [side, size, feature]: of the word's own vector, and (of probes with
    words) of the candidate's. Features are divided by their spreads, so that one penalty suits all.
    """

    def __init__(self, size: int, spreads: Float[Tensor, " feature"], choices: Choices):
        self.spreads, self.choices = spreads, choices
        self.shapes = [(2 if size > 1 else 1, size, len(spreads))]

    def of_vectors(self, weights: list[Tensor], vectors: Vectors) -> list[Tensor]:
        return [*(vectors @ weights[0] / self.spreads), *weights[1:]]

    @staticmethod
    @abstractmethod
    def values(batch: SentenceBatch) -> Float[Tensor, "text word candidate feature"]:
        """The features of every candidate."""

    def of_sides(
        self, batch: SentenceBatch, made: list[Tensor]
    ) -> list[Float[Tensor, "text word feature"]]:
        """The weights of the features, by each word and (of probes with words) each candidate."""
        places = [batch.words, shifted(batch.words, self.choices)]
        sides = self.shapes[0][0]
        return [of[at] for of, at in zip(made[:sides], places[:sides], strict=True)]


class AttentionProbe(LinearProbe):
    """Attention in both directions: that which is given, then that which is got."""

    def __init__(self, size: int, spreads: Float[Tensor, " feature"], choices: Choices):
        super().__init__(size, spreads, choices)
        if choices.root == "cls and sep":
            self.shapes.append((2,))

    def start(self, generator: torch.Generator) -> list[Tensor]:
        # A product with weights that are 0 has no gradient.
        return [torch.zeros(self.shapes[0]), *(torch.ones(shape) / 2 for shape in self.shapes[1:])]

    def penalised(self, weights: list[Tensor]) -> list[Tensor]:
        return weights[:1]  # not the shares of [CLS] and [SEP] in the root

    @staticmethod
    def values(batch: SentenceBatch) -> Float[Tensor, "text word candidate feature"]:
        return torch.cat([batch.there, batch.back], dim=2).mT

    def scores(self, batch: SentenceBatch, made: list[Tensor]) -> Scores:
        found = _products(batch, *self.of_sides(batch, made))
        if self.choices.root is None:
            root = torch.zeros_like(found[..., ROOT])
        elif self.choices.root == "cls":
            root = found[..., ROOT]
        else:
            root = made[-1][0] * found[..., ROOT] + made[-1][1] * found[..., SEP]
        return torch.cat([root[..., None], found[..., SEP:]], dim=-1)


def _products(
    batch: SentenceBatch,
    own: Float[Tensor, "text word feature"],
    other: Float[Tensor, "text word feature"] | None = None,
) -> Scores:
    """Sums over heads and directions of attention times the weights of both words.

    A map is read once for the attention of its row's word and once for that of its column's.
    """
    there, back = own.chunk(2, dim=-1)
    if other is None:
        given, got = (
            (of[:, :, None] @ maps).squeeze(2)
            for of, maps in ((there, batch.there), (back, batch.back))
        )
        return given + got
    other_there, other_back = other.chunk(2, dim=-1)
    by_row = torch.stack([there, other_back], dim=2) @ batch.there
    by_column = torch.stack([back, other_there], dim=2) @ batch.back
    return by_row[:, :, 0] + by_row[:, :, 1].mT + by_column[:, :, 0] + by_column[:, :, 1].mT


class DistanceProbe(LinearProbe):
    """The distance between word and candidate; the root is a distance of its own."""

    @staticmethod
    def values(batch: SentenceBatch) -> Float[Tensor, "text word candidate feature"]:
        return one_hot(_distances(batch), DISTANCES).float()

    def scores(self, batch: SentenceBatch, made: list[Tensor]) -> Scores:
        distance = _distances(batch)
        own, *other = self.of_sides(batch, made)
        return own.gather(2, distance) + sum(of.gather(2, distance.mT).mT for of in other)


class DistanceNetwork(Probe):
    """A network with one layer of tanh units over both words' vectors and their distance."""

    def __init__(self, size: int, choices: Choices):
        self.choices = choices
        self.shapes = [(size, HIDDEN), (size, HIDDEN), (DISTANCES, HIDDEN), (HIDDEN,)]

    def start(self, generator: torch.Generator) -> list[Tensor]:
        """Random weights, the smaller the more inputs are added up."""
        return [torch.randn(shape, generator=generator) / shape[0] ** 0.5 for shape in self.shapes]

    def of_vectors(self, weights: list[Tensor], vectors: Vectors) -> list[Tensor]:
        return [vectors @ weights[0], vectors @ weights[1], *weights[2:]]

    def scores(self, batch: SentenceBatch, made: list[Tensor]) -> Scores:
        own, other, of_distance, out = made
        word, candidate = own[batch.words], other[shifted(batch.words, self.choices)]
        inside = word[:, :, None] + candidate[:, None] + of_distance[_distances(batch)]
        return torch.tanh(inside) @ out


class RightBranching(Probe):
    """Every word's head is the word after it, the last word's the root (Clark et al. 2019, 5.2)."""

    shapes = []

    def of_vectors(self, weights: list[Tensor], vectors: Vectors) -> list[Tensor]:
        return []

    def scores(self, batch: SentenceBatch, made: list[Tensor]) -> Scores:
        width = batch.heads.shape[1]
        following = torch.eye(width).roll(1, dims=1)
        # What comes after the last word is no candidate; the root is what is left.
        following[:, ROOT] = 0.5
        return following.expand(len(batch.heads), -1, -1)


def shifted(words: Int[Tensor, "text word"], choices: Choices) -> Int[Tensor, "text word"]:
    """The vector of each candidate: its own or, as in the source's code, that of the word after it.

    There the vectors of the words begin in the root's column; the last word has none.
    """
    if choices.words == "aligned":
        return words
    after = torch.zeros_like(words)
    after[:, FIRST_WORD:-1] = words[:, FIRST_WORD + 1 :]
    after[:, ROOT] = words[:, FIRST_WORD]
    return after


def _distances(batch: SentenceBatch) -> Int[Tensor, "text word candidate"]:
    """The number of the distance from each word to each candidate."""
    width = batch.heads.shape[1]
    place = torch.arange(width)
    distance = (place[None] - place[:, None]).clamp(-FURTHEST, FURTHEST) + FURTHEST
    distance[:, :FIRST_WORD] = DISTANCES - 1
    return distance.expand(len(batch.heads), -1, -1)
