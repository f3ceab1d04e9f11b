"""The probes (Clark et al. 2019, section 5.1): p(i is the head of j) over all candidates i.

* `attention`: exp of a weighted sum of the attention between j and i in both directions, one
  weight a head and direction.
* `attention and words`: the weights are linear functions of the vectors of both words.
* `distances and words`: the same with one-hot distances in place of attention.
"""

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from tqdm import tqdm

from stages.probes.sentences import Sentence, SentenceBatch, batches

FURTHEST = 10  # words; longer distances count as this


class AttentionProbe(nn.Module):
    """One weight a head for attention from the word to the candidate, one for the way back."""

    def __init__(self, heads: int):
        super().__init__()
        self.to_head = nn.Parameter(torch.zeros(heads))
        self.from_head = nn.Parameter(torch.zeros(heads))

    def forward(self, batch: SentenceBatch) -> Float[Tensor, "text word candidate"]:
        there = torch.einsum("bhjc,h->bjc", batch.maps, self.to_head)
        back = torch.einsum("bhcj,h->bjc", batch.maps, self.from_head)
        return there + back


class WordProbe(nn.Module):
    """Weights that depend on both words, of attention or of any other features of a pair."""

    def __init__(self, size: int, features: int):
        super().__init__()
        # One linear function of two vectors side by side is the sum of one of each.
        self.of_word = nn.Linear(size, features)
        self.of_candidate = nn.Linear(size, features, bias=False)
        for layer in (self.of_word, self.of_candidate):
            nn.init.zeros_(layer.weight)
        nn.init.zeros_(self.of_word.bias)

    def scores(
        self,
        vectors: Float[Tensor, "text candidate size"],
        features: Float[Tensor, "text word candidate feature"],
    ) -> Float[Tensor, "text word candidate"]:
        word = torch.einsum("bjcf,bjf->bjc", features, self.of_word(vectors))
        candidate = torch.einsum("bjcf,bcf->bjc", features, self.of_candidate(vectors))
        return word + candidate


class AttentionWordProbe(WordProbe):
    """Attention in both directions."""

    def __init__(self, size: int, heads: int):
        super().__init__(size, 2 * heads)

    def forward(self, batch: SentenceBatch) -> Float[Tensor, "text word candidate"]:
        features = torch.cat([batch.maps, batch.maps.mT], dim=1).permute(0, 2, 3, 1)
        return self.scores(batch.vectors, features)


class DistanceWordProbe(WordProbe):
    """The distance between word and candidate; the root is a distance of its own."""

    def __init__(self, size: int):
        super().__init__(size, 2 * FURTHEST + 2)

    def forward(self, batch: SentenceBatch) -> Float[Tensor, "text word candidate"]:
        one_hot = distances(batch.heads.shape[1]).expand(len(batch.heads), -1, -1, -1)
        return self.scores(batch.vectors, one_hot)


def distances(width: int) -> Float[Tensor, "word candidate distance"]:
    """One-hot distances of candidates from words, and one for the root."""
    place = torch.arange(width)
    distance = (place[None] - place[:, None]).clamp(-FURTHEST, FURTHEST) + FURTHEST
    distance[:, 0] = 2 * FURTHEST + 1
    return torch.nn.functional.one_hot(distance, 2 * FURTHEST + 2).float()


def candidates(batch: SentenceBatch) -> Bool[Tensor, "text word candidate"]:
    """Every other word of the sentence, and the root."""
    width = batch.there.shape[1]
    return batch.there[:, None] & ~torch.eye(width, dtype=torch.bool)


def fit(
    probe: nn.Module,
    sentences: list[Sentence],
    *,
    epochs: int,
    batch: int,
    learning_rate: float,
    seed: int,
) -> nn.Module:
    """Maximise the likelihood of the gold heads, with a rate that falls to zero."""
    generator = np.random.default_rng(seed)
    steps = epochs * -(-len(sentences) // batch)
    optimizer = torch.optim.Adam(probe.parameters(), lr=learning_rate)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, steps)
    with tqdm(total=steps, desc=type(probe).__name__, unit="step", leave=False) as progress:
        for _ in range(epochs):
            for _, part in batches(sentences, batch, generator):
                scores = probe(part).masked_fill(~candidates(part), -1e9)
                loss = nn.functional.cross_entropy(
                    scores.flatten(0, 1), part.heads.flatten(), ignore_index=-1
                )
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                schedule.step()
                progress.update()
    return probe


@torch.inference_mode()
def predict(
    probe: nn.Module, sentences: list[Sentence], batch: int
) -> list[Int[Tensor, " candidate"]]:
    """The most likely head of every candidate, sentence by sentence."""
    found: list[Tensor] = [torch.empty(0)] * len(sentences)
    for places, part in batches(sentences, batch, None):
        best = probe(part).masked_fill(~candidates(part), -1e9).argmax(-1)
        for place, row in zip(places, best, strict=True):
            found[place] = row[: len(sentences[place].heads)]
    return found


class RightBranching(nn.Module):
    """Every word's head is the word after it, the last word's the root (Clark et al. 2019, 5.2)."""

    def forward(self, batch: SentenceBatch) -> Float[Tensor, "text word candidate"]:
        width = batch.heads.shape[1]
        return torch.eye(width).roll(1, dims=1).expand(len(batch.heads), -1, -1)
