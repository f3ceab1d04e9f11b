"""What attention maps look at, in numbers: means over an example's tokens, then over examples.

All of them but the entropies are weighted sums of a map's numbers: the weights are the same for all
layers and heads of a batch, so one matrix product gives them. Rows of padding queries weigh
nothing. An example without a token of the kind asked for gives NaN and is left out of the mean
over examples.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Float, Float64, Int
from torch import Tensor
from transformers import PreTrainedTokenizerBase

from stages.core.encoder.families import WORD_MARKS

MAP_STATISTICS = (
    "cls",
    "sep",
    "punctuation",
    "sep_to_sep",
    "previous",
    "next",
    "current",
    "distance",
)
QUERY_STATISTICS = ("entropy", "cls_entropy")
STATISTICS = (*MAP_STATISTICS, *QUERY_STATISTICS)


@dataclass(frozen=True)
class TokenKinds:
    """Which tokens of a batch are what. Padding is of no kind and not `real`."""

    real: Bool[Tensor, "batch token"]
    cls: Bool[Tensor, "batch token"]
    sep: Bool[Tensor, "batch token"]
    punctuation: Bool[Tensor, "batch token"]

    @cached_property
    def map_weights(self) -> Float[Tensor, "batch query_key statistic"]:
        """What every number of a map counts for in each of `MAP_STATISTICS`; NaN where it has none.

        Each is a mean over the queries that have such a key.
        """
        place = torch.arange(self.real.shape[1], device=self.real.device)
        offset = place - place[:, None]
        asking, keys = self.real[:, :, None], self.real[:, None]
        targets = [asking & kind[:, None] for kind in (self.cls, self.sep, self.punctuation)]
        targets += [self.sep[:, :, None] & self.sep[:, None]]
        targets += [asking & keys & (offset == step) for step in (-1, 1, 0)]
        shares = torch.stack(targets, dim=1)
        shares = shares / shares.any(3).sum(2)[..., None, None]
        distance = asking * offset.abs() / self.real.sum(1)[:, None, None]
        return torch.cat([shares, distance[:, None]], dim=1).flatten(2).mT

    @cached_property
    def query_weights(self) -> Float[Tensor, "batch query statistic"]:
        """The same of a query's entropy in each of `QUERY_STATISTICS`."""
        kinds = torch.stack([self.real, self.cls], dim=-1)
        return kinds / kinds.sum(1, keepdim=True)


@dataclass(frozen=True)
class KindIds:
    """The token ids of each kind in one vocabulary."""

    cls: int
    sep: int
    punctuation: Int[Tensor, " id"]

    @staticmethod
    def of(tokenizer: PreTrainedTokenizerBase, punctuation: Iterable[str]) -> "KindIds":
        """`punctuation` are the marks that count, with or without a space before them."""
        marks = set(punctuation)
        # Byte-level and sentencepiece vocabularies mark the space before a token by Ġ and ▁.
        ids = [
            id for token, id in tokenizer.get_vocab().items() if token.lstrip(WORD_MARKS) in marks
        ]
        return KindIds(tokenizer.cls_token_id, tokenizer.sep_token_id, torch.tensor(sorted(ids)))

    def find(self, inputs: dict[str, Int[Tensor, "batch token"]]) -> TokenKinds:
        """The kinds of the tokens of a batch, given the model's inputs."""
        ids, real = inputs["input_ids"], inputs["attention_mask"].bool()
        return TokenKinds(
            real,
            real & (ids == self.cls),
            real & (ids == self.sep),
            real & torch.isin(ids, self.punctuation.to(ids.device)),
        )


def surface_statistics(
    probabilities: Float[Tensor, "batch head query key"], kinds: TokenKinds
) -> Float[Tensor, "batch head statistic"]:
    """Per head and example the statistics of Clark et al. 2019 (Sections 3.1 to 3.3).

    Returns:
        In the order of `STATISTICS`: `cls`, `sep`, `punctuation`: share of attention on tokens of
        the kind; `sep_to_sep`: the same from the [SEP] tokens alone; `previous`, `next`, `current`:
        weight on the token at that place, over tokens that have one; `distance` in tokens between a
        token and what it attends to, weighted by attention; `entropy` in nats, `cls_entropy` from
        [CLS] alone. [CLS] and [SEP] count among the tokens.
    """
    of_maps = probabilities.flatten(2) @ kinds.map_weights
    return torch.cat([of_maps, query_entropy(probabilities) @ kinds.query_weights], dim=-1)


def query_entropy(probabilities: Float[Tensor, "*query key"]) -> Float[Tensor, "*query"]:
    """Entropy in nats of what each token attends to: 0 for one token, log n for n equally."""
    # torch.special.entr costs several times as much; the bound makes 0 log 0 = 0.
    logs = probabilities.clamp_min(torch.finfo(probabilities.dtype).tiny).log_()
    return logs.mul_(probabilities).sum(-1).neg_()


class Moments:
    """Mean and standard error over examples for every layer, head and statistic, in one pass.

    Memory does not depend on the number of examples; sums are float64 around a running mean.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._running: _Running | None = None

    def add(self, values: Float[np.ndarray, "example layer head statistic"]) -> None:
        """Take in the examples of a batch; NaN is left out."""
        batch = _Running.of(values.astype(np.float64))
        self._running = self._running.joined(batch) if self._running else batch

    def frame(self) -> pd.DataFrame:
        """One row per layer, head and statistic: `mean`, `standard_error` and `examples`.

        The mean is NaN where no example counted, the standard error where fewer than two did.
        """
        running = self._running
        if running is None:
            raise ValueError("no example was taken in")
        layer, head, name = np.indices(running.count.shape).reshape(3, -1)
        return pd.DataFrame(
            {
                "layer": layer,
                "head": head,
                "statistic": np.take(self._names, name),
                "mean": np.where(running.count > 0, running.mean, np.nan).ravel(),
                "standard_error": running.standard_error().ravel(),
                "examples": running.count.ravel().astype(int),
            }
        )


@dataclass(frozen=True)
class _Running:
    """Count, mean and sum of squared deviations (Chan, Golub and LeVeque 1979)."""

    count: Float64[np.ndarray, "layer head statistic"]
    mean: Float64[np.ndarray, "layer head statistic"]
    squares: Float64[np.ndarray, "layer head statistic"]

    @staticmethod
    def of(values: Float64[np.ndarray, "example layer head statistic"]) -> "_Running":
        present = ~np.isnan(values)
        count = present.sum(0).astype(float)
        mean = np.where(present, values, 0).sum(0) / np.maximum(count, 1)
        deviations = np.where(present, values - mean, 0)
        return _Running(count, mean, (deviations**2).sum(0))

    def joined(self, other: "_Running") -> "_Running":
        count = self.count + other.count
        share = other.count / np.maximum(count, 1)
        step = other.mean - self.mean
        squares = self.squares + other.squares + step**2 * self.count * share
        return _Running(count, self.mean + step * share, squares)

    def standard_error(self) -> Float64[np.ndarray, "layer head statistic"]:
        enough = self.count > 1
        variance = self.squares / np.where(enough, self.count - 1, 1)
        return np.where(enough, np.sqrt(variance / np.maximum(self.count, 1)), np.nan)
