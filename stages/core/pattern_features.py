"""A few plain numbers that describe an attention map.

They are all that the baseline of the pattern classifier knows, and the network sees them beside its
convolutions. None depends on the map's size or on which tokens the model uses as a sink.
"""

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int
from torch import Tensor

from stages.core.pattern_data import Map

# Kovaleva's diagonals are the previous and the next token; words split in pieces widen that.
NEAR = 2
# Columns that may form the stripes of one map: [CLS], two [SEP] or a full stop, say.
STRIPES = 3
FEATURES = (
    "strongest_column",  # its mean weight
    "strong_columns",  # of the strongest columns together
    "column_variance",  # share of the cells' variance that the means of the columns explain
    "diagonal",  # largest mean weight of a diagonal near the main one
    "diagonal_of_rest",  # the same without the strongest columns, rows adding up to 1 again
    "band",  # share of the weight near the main diagonal, less the share of the cells there
    "band_of_rest",
    "diagonal_variance",  # share of the rest's variance that the means of the diagonals explain
    "block_of_rest",  # excess share of the rest inside the two squares of the best split
    "entropy",  # mean of the rows, 1 where a row is uniform
    "log_length",  # of the number of tokens
)


def features(
    maps: Float[Tensor, "map query key"],
) -> Float[Tensor, "map feature"]:
    """`FEATURES` of maps of one size."""
    length = maps.shape[-1]
    columns = maps.mean(1)
    strong = columns.topk(max(1, min(STRIPES, length // 4)))
    rest = without_columns(maps, strong.indices)
    offset = _offsets(maps)
    rows = -(maps * maps.clamp_min(1e-9).log()).sum(2).mean(1)
    return torch.stack(
        [
            columns.amax(1),
            strong.values.sum(1),
            _explained(maps, columns[:, None, :].expand_as(maps)),
            _diagonal(maps),
            _diagonal(rest),
            _band(maps, offset),
            _band(rest, offset),
            _explained(rest, means_along_diagonals(rest)),
            _block(rest, offset),
            rows / np.log(length),
            torch.full_like(rows, np.log(length)),
        ],
        dim=1,
    )


def feature_table(maps: list[Map]) -> pd.DataFrame:
    """`features` of maps of any sizes, one row a map."""
    rows = [features(torch.from_numpy(weights)[None].float())[0] for weights in maps]
    return pd.DataFrame(torch.stack(rows).double().numpy(), columns=list(FEATURES))


def without_columns(
    maps: Float[Tensor, "map query key"], columns: Int[Tensor, "map column"]
) -> Float[Tensor, "map query key"]:
    """The maps with some columns at 0 and rows adding up to 1 again; uniform where nothing is left.

    What a sink hides becomes visible.
    """
    kept = torch.ones_like(maps[:, 0]).scatter_(1, columns, 0)
    rest = maps * kept[:, None]
    total = rest.sum(2, keepdim=True)
    return torch.where(total > 1e-6, rest / total.clamp_min(1e-6), 1 / maps.shape[-1])


def means_along_diagonals(maps: Float[Tensor, "map query key"]) -> Float[Tensor, "map query key"]:
    """Each cell replaced by the mean of its diagonal."""
    length = maps.shape[-1]
    number = (_offsets(maps) + length - 1).flatten()
    sums = maps.new_zeros(len(maps), 2 * length - 1).index_add_(1, number, maps.flatten(1))
    return (sums / torch.bincount(number))[:, number].view_as(maps)


def _offsets(maps: Float[Tensor, "map query key"]) -> Int[Tensor, "query key"]:
    position = torch.arange(maps.shape[-1], device=maps.device)
    return position[None, :] - position[:, None]


def _diagonal(maps: Float[Tensor, "map query key"]) -> Float[Tensor, " map"]:
    near = range(-NEAR, NEAR + 1)
    means = [maps.diagonal(offset, 1, 2).mean(1) for offset in near]
    return torch.stack(means, dim=1).amax(1)


def _band(
    maps: Float[Tensor, "map query key"], offset: Int[Tensor, "query key"]
) -> Float[Tensor, " map"]:
    near = (offset.abs() <= NEAR).to(maps)
    return (maps * near).sum((1, 2)) / len(offset) - near.mean()


def _block(
    maps: Float[Tensor, "map query key"], offset: Int[Tensor, "query key"]
) -> Float[Tensor, " map"]:
    """Both squares of every split at once, from sums over all leading rows and columns."""
    length = len(offset)
    split = torch.arange(length // 4, length - length // 4 + 1, device=maps.device)
    cells = (offset.abs() > NEAR).to(maps)[None]
    inside_chance = _in_squares(cells, split) / cells.sum().clamp_min(1e-6)
    far = maps * cells
    inside = _in_squares(far, split) / far.sum((1, 2)).clamp_min(1e-6)[:, None]
    return (inside - inside_chance).amax(1).clamp_min(0)


def _in_squares(
    maps: Float[Tensor, "map query key"], split: Int[Tensor, " split"]
) -> Float[Tensor, "map split"]:
    sums = torch.nn.functional.pad(maps.cumsum(1).cumsum(2), (1, 0, 1, 0))
    corner = sums[:, split, split]
    return 2 * corner + sums[:, -1, -1, None] - sums[:, split, -1] - sums[:, -1, split]


def _explained(
    maps: Float[Tensor, "map query key"], model: Float[Tensor, "map query key"]
) -> Float[Tensor, " map"]:
    """Share of the variance of the cells that `model` explains."""
    variance = maps.flatten(1).var(1, correction=0)
    left = (maps - model).flatten(1).var(1, correction=0)
    return torch.where(variance > 1e-12, 1 - left / variance.clamp_min(1e-12), 0)
