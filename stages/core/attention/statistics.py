"""What attention maps look at, in numbers: means over an example's tokens, then over examples.

Every function takes `probabilities`, the maps of one layer for a padded batch, and says by masks
which tokens count; rows of padding queries are never read into a result. An example without a token
of the kind asked for gives NaN and is left out of the mean over examples.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Float, Float64, Int
from torch import Tensor
from transformers import PreTrainedTokenizerBase


@dataclass(frozen=True)
class TokenKinds:
    """Which tokens of a batch are what. Padding is of no kind and not `real`."""

    real: Bool[Tensor, "batch token"]
    cls: Bool[Tensor, "batch token"]
    sep: Bool[Tensor, "batch token"]
    punctuation: Bool[Tensor, "batch token"]


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
        ids = [id for token, id in tokenizer.get_vocab().items() if token.lstrip("Ġ▁") in marks]
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
) -> dict[str, Float[Tensor, "batch head"]]:
    """Per head and example the statistics of Clark et al. 2019 (Sections 3.1 to 3.3).

    Returns:
        `cls`, `sep`, `punctuation`: share of attention on tokens of the kind; `sep_to_sep`: the
        same from the [SEP] tokens alone; `previous`, `next`, `current`: share on the token at that
        place; `entropy` in nats, `cls_entropy` from [CLS] alone; `distance` in tokens.
        [CLS] and [SEP] count among the tokens.
    """
    shares = attention_shares(
        probabilities,
        queries=torch.stack([kinds.real, kinds.sep], dim=1),
        keys=torch.stack([kinds.cls, kinds.sep, kinds.punctuation], dim=1),
    )
    entropy = query_entropy(probabilities)
    return {
        "cls": shares[:, :, 0, 0],
        "sep": shares[:, :, 0, 1],
        "punctuation": shares[:, :, 0, 2],
        "sep_to_sep": shares[:, :, 1, 1],
        "previous": offset_share(probabilities, kinds.real, -1),
        "next": offset_share(probabilities, kinds.real, 1),
        "current": offset_share(probabilities, kinds.real, 0),
        "entropy": query_mean(entropy, kinds.real),
        "cls_entropy": query_mean(entropy, kinds.cls),
        "distance": mean_distance(probabilities, kinds.real),
    }


def attention_shares(
    probabilities: Float[Tensor, "batch head query key"],
    queries: Bool[Tensor, "batch source query"],
    keys: Bool[Tensor, "batch kind key"],
) -> Float[Tensor, "batch head source kind"]:
    """Share of attention that tokens of each source kind give to tokens of each target kind.

    The weights on the target tokens are summed, then averaged over the source tokens. NaN where an
    example has no token of the source or of the target.
    """
    received = queries.to(probabilities.dtype)[:, None] @ probabilities
    shares = received @ keys.to(probabilities.dtype)[:, None].mT
    shares = shares / queries.sum(-1)[:, None, :, None]
    absent = ~keys.any(-1)[:, None, None, :]
    return shares.masked_fill(absent, torch.nan)


def offset_share(
    probabilities: Float[Tensor, "batch head query key"],
    real: Bool[Tensor, "batch token"],
    offset: int,
) -> Float[Tensor, "batch head"]:
    """Mean weight on the token `offset` places on (-1: the previous), over tokens that have one."""
    weights = probabilities.diagonal(offset, dim1=-2, dim2=-1)
    pairs = real & real.roll(-offset, dims=-1)
    has_neighbour = pairs[:, max(0, -offset) : real.shape[-1] - max(0, offset)]
    return query_mean(weights, has_neighbour)


def query_entropy(
    probabilities: Float[Tensor, "batch head query key"],
) -> Float[Tensor, "batch head query"]:
    """Entropy in nats of what each token attends to: 0 for one token, log n for n equally."""
    # torch.special.entr costs several times as much; the bound makes 0 log 0 = 0.
    logs = probabilities.clamp_min(torch.finfo(probabilities.dtype).tiny).log_()
    return logs.mul_(probabilities).sum(-1).neg_()


def mean_distance(
    probabilities: Float[Tensor, "batch head query key"], real: Bool[Tensor, "batch token"]
) -> Float[Tensor, "batch head"]:
    """Mean distance in tokens between a token and what it attends to, weighted by attention."""
    position = torch.arange(real.shape[-1], device=real.device, dtype=probabilities.dtype)
    distance = (position[:, None] - position).abs()
    # One product of the flattened map: no second array of the size of the maps.
    weights = (distance * real[:, :, None]).flatten(1)[:, :, None]
    return (probabilities.flatten(2) @ weights).squeeze(-1) / real.sum(-1, keepdim=True)


def query_mean(
    values: Float[Tensor, "batch head query"], queries: Bool[Tensor, "batch query"]
) -> Float[Tensor, "batch head"]:
    """Mean over the chosen tokens; NaN for an example that has none."""
    chosen = values.masked_fill(~queries[:, None], 0)
    return chosen.sum(-1) / queries.sum(-1, keepdim=True)


class Moments:
    """Mean and standard error over examples for every layer, head and statistic, in one pass.

    Memory does not depend on the number of examples; sums are float64 around a running mean.
    """

    def __init__(self, layers: int) -> None:
        self._names: list[str] = []
        self._layers: list[_Running | None] = [None] * layers

    def add(self, layer: int, values: dict[str, Float[Tensor, "batch head"]]) -> None:
        """Take in the examples of a batch; NaN is left out."""
        self._names = self._names or list(values)
        if list(values) != self._names:
            raise ValueError(f"the statistics are {self._names}, not {list(values)}")
        batch = _Running.of(torch.stack(list(values.values()), dim=-1).cpu().double().numpy())
        before = self._layers[layer]
        self._layers[layer] = before.joined(batch) if before else batch

    def frame(self) -> pd.DataFrame:
        """One row per layer, head and statistic: `mean`, `standard_error` and `count`.

        The mean is NaN where no example counted, the standard error where fewer than two did.
        """
        tables = [
            pd.DataFrame(
                {
                    "layer": layer,
                    "head": np.repeat(np.arange(len(running.count)), len(self._names)),
                    "statistic": np.tile(self._names, len(running.count)),
                    "mean": np.where(running.count > 0, running.mean, np.nan).ravel(),
                    "standard_error": running.standard_error().ravel(),
                    "count": running.count.ravel().astype(int),
                }
            )
            for layer, running in enumerate(self._layers)
            if running
        ]
        return pd.concat(tables, ignore_index=True)


@dataclass(frozen=True)
class _Running:
    """Count, mean and sum of squared deviations (Chan, Golub and LeVeque 1979)."""

    count: Float64[np.ndarray, "head statistic"]
    mean: Float64[np.ndarray, "head statistic"]
    squares: Float64[np.ndarray, "head statistic"]

    @staticmethod
    def of(values: Float64[np.ndarray, "example head statistic"]) -> "_Running":
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

    def standard_error(self) -> Float64[np.ndarray, "head statistic"]:
        enough = self.count > 1
        variance = self.squares / np.where(enough, self.count - 1, 1)
        return np.where(enough, np.sqrt(variance / np.maximum(self.count, 1)), np.nan)


def mean_intervals(
    values: Float[np.ndarray, "example ..."], resamples: int, seed: int, level: float
) -> tuple[Float64[np.ndarray, "..."], Float64[np.ndarray, "..."], Float64[np.ndarray, "..."]]:
    """Mean over examples of many cells with percentile bootstrap limits: mean, low, high.

    All cells share the resamples. A resample of a mean is a weighted sum, so thousands of cells
    cost one matrix product; resamples are drawn in blocks to bound memory. One example gives no
    interval: its limits are NaN.
    """
    count = len(values)
    if count < 2:
        unknown = np.full(values.shape[1:], np.nan)
        return values.mean(0, dtype=np.float64), unknown, unknown
    flat = values.reshape(count, -1).astype(np.float64)
    generator = np.random.default_rng(seed)
    even = np.full(count, 1 / count)
    block = max(1, 5_000_000 // count)
    means = np.concatenate(
        [
            generator.multinomial(count, even, size=min(block, resamples - start)) @ flat / count
            for start in range(0, resamples, block)
        ]
    )
    tail = (1 - level) / 2
    low, high = np.quantile(means, [tail, 1 - tail], axis=0)
    shape = values.shape[1:]
    return flat.mean(0).reshape(shape), low.reshape(shape), high.reshape(shape)
