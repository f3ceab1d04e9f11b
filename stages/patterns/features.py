"""A few plain numbers that describe an attention map.

They are all that the baseline of the pattern classifier knows, and the network sees them beside its
convolutions. None depends on which tokens the model uses as a sink, and none but `log_length` and
`squares_found`, which long texts of several sentences have more of, grows with the map.
"""

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from stages.patterns.labelled_maps import by_size
from stages.patterns.map_file import Map
from stages.patterns.rules import RULES, SQUARE, on_diagonal, rules
from stages.patterns.views import DIM, VISIBLE, brightest_weight

# Narrower than the guideline's near (`views.NEAR`), for what is measured by weight and not
# by visible cells: the previous and the next token, widened by words split in pieces.
NEAR = 2
# Columns that may form the stripes of one map: [CLS], two [SEP] or a full stop, say.
STRIPES = 3
# A column is a stripe when it is visible in this share of the rows away from the diagonal: more
# than `views.STRIPE`, as what is no stripe is here looked at for bands.
STRIPE = 0.25
# Away from the diagonal, beyond the band that words split in pieces make.
FAR = 4
# Squares hold at least this many cells outside of stripes.
CELLS = 6
# A row looks at a strong column when it gives it this share of its weight.
LOOKS = 0.1
FEATURES = (
    "strongest_column",  # its mean weight
    "strong_columns",  # of the strongest columns together
    "column_variance",  # share of the cells' variance that the means of the columns explain
    "diagonal",  # largest mean weight of a diagonal near the main one
    "band",  # share of the weight near the main diagonal, less the share of the cells there
    "band_of_rest",  # the same without the strongest columns, rows adding up to 1 again
    "diagonal_variance",  # share of the rest's variance that the means of the diagonals explain
    "block_of_rest",  # excess share of the rest inside the two squares of the best split
    "entropy",  # mean of the rows, 1 where a row is uniform
    "log_length",  # of the number of tokens
    "rows_with_a_sink",  # share of the rows that look at one of the strongest columns
    "rows_alike",  # mean correlation of two rows
    "near",  # mean of the cells near the main diagonal that lie in no stripe, as a sheet shows them
    "far_corners",  # how much lighter the far corners of two squares are than what is outside
    "dim",  # share of the cells that are at least dim on a sheet
    "ridge",  # log ratio of the main and its next diagonal to those three to five tokens away
    "squares",  # share of the variance that the best squares along the diagonal explain
    *RULES,
)


def features(
    maps: Float[Tensor, "map query key"],
) -> Float[Tensor, "map feature"]:
    """`FEATURES` of maps of one size; 0 where so short a map has no rows or cells to count."""
    length = maps.shape[-1]
    columns = maps.mean(1)
    strong = columns.topk(max(1, min(STRIPES, length // 4)))
    rest = without_columns(maps, strong.indices)
    offset = _offsets(maps)
    rows = -(maps * maps.clamp_min(1e-9).log()).sum(2).mean(1)
    seen = (maps / brightest_weight(maps)).clamp(max=1)
    counted = ~_stripes(seen, offset)
    unstriped = seen * counted[:, None]
    return torch.stack(
        [
            columns.amax(1),
            strong.values.sum(1),
            _explained(maps, columns[:, None, :].expand_as(maps)),
            _diagonal(maps),
            _band(maps, offset),
            _band(rest, offset),
            _explained(rest, means_along_diagonals(rest)),
            _block(rest, offset),
            rows / np.log(length),
            torch.full_like(rows, np.log(length)),
            _looking(maps, offset),
            _alike(seen[:, 1:-1]),
            unstriped[:, offset.abs() < FAR].mean(1),
            _far_corners(unstriped, counted),
            (seen >= DIM).to(maps).mean((1, 2)),
            _ridge(_profile(unstriped, counted, offset)),
            _squares(unstriped.sqrt(), counted),
            *rules(maps).unbind(1),
        ],
        dim=1,
    ).nan_to_num()


def feature_table(maps: list[Map]) -> pd.DataFrame:
    """`features` of maps of any sizes, one row a map."""
    rows = np.empty((len(maps), len(FEATURES)))
    for places, stack in by_size(maps):
        rows[places] = features(stack).double().numpy()
    return pd.DataFrame(rows, columns=list(FEATURES))


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
    sums = _leading_sums(maps)
    corner = sums[:, split, split]
    return 2 * corner + sums[:, -1, -1, None] - sums[:, split, -1] - sums[:, -1, split]


def _stripes(
    seen: Float[Tensor, "map query key"], offset: Int[Tensor, "query key"]
) -> Bool[Tensor, "map key"]:
    """Columns visible in many rows; the first and the last row do not count."""
    inner = (offset.abs() >= FAR)[1:-1]
    visible = (seen[:, 1:-1] >= VISIBLE) & inner
    return visible.sum(1) >= STRIPE * inner.sum(0).clamp_min(1)


def _looking(
    maps: Float[Tensor, "map query key"], offset: Int[Tensor, "query key"]
) -> Float[Tensor, " map"]:
    far = offset.abs() >= FAR
    means = (maps * far).sum(1) / far.sum(0).clamp_min(1)
    strongest = means.topk(min(STRIPES, maps.shape[-1])).indices
    index = strongest[:, None, :].expand(-1, maps.shape[1], -1)
    weights = (maps * far).gather(2, index).amax(2)
    return (weights[:, 1:-1] > LOOKS).to(maps).mean(1)


def _alike(rows: Float[Tensor, "map row key"]) -> Float[Tensor, " map"]:
    """Rows that are constant correlate with none."""
    centred = rows - rows.mean(2, keepdim=True)
    unit = centred / centred.norm(dim=2, keepdim=True).clamp_min(1e-6)
    count = rows.shape[1]
    with_themselves = unit.square().sum((1, 2))
    return (unit.sum(1).square().sum(1) - with_themselves) / max(1, count * (count - 1))


def _far_corners(
    unstriped: Float[Tensor, "map query key"], counted: Bool[Tensor, "map key"]
) -> Float[Tensor, " map"]:
    """Of the best split: (corners - outside) / (corners + outside), means over no stripe's cells.

    A band that fades to both sides leaves the corners as dark as the outside.
    """
    length = unstriped.shape[-1]
    least = max(3, length // 5)
    if length < 2 * least:
        return unstriped.new_zeros(len(unstriped))
    split = torch.arange(least, length - least + 1, device=unstriped.device)
    cells = counted[:, None].to(unstriped).expand_as(unstriped)
    first, last = torch.ones_like(split), torch.full_like(split, length)
    middle, beyond = 1 + split // 2, split + (length - split) // 2
    corners = [
        (middle, split, first, middle),
        (first, middle, middle, split),
        (beyond, last, split, beyond),
        (split, beyond, beyond, last),
    ]
    outside = [(first, split, split, last), (split, last, first, split)]
    means = []
    sums = [_leading_sums(table) for table in (unstriped, cells)]
    for boxes in (corners, outside):
        total, count = (sum(_in_boxes(table, *box) for box in boxes) for table in sums)
        means.append(total / count.clamp_min(1))
    return ((means[0] - means[1]) / (means[0] + means[1] + 0.02)).amax(1)


def _profile(
    unstriped: Float[Tensor, "map query key"],
    counted: Bool[Tensor, "map key"],
    offset: Int[Tensor, "query key"],
) -> Float[Tensor, "map distance"]:
    """Mean of the cells 0, 1, 2, ... tokens away from the main diagonal, stripes left out."""
    distance = offset.abs().flatten()
    cells = counted[:, None].to(unstriped).expand_as(unstriped)
    totals, counts = (
        table.new_zeros(len(table), len(offset)).index_add_(1, distance, table.flatten(1))
        for table in (unstriped, cells)
    )
    return totals / counts.clamp_min(1)


def _ridge(profile: Float[Tensor, "map distance"]) -> Float[Tensor, " map"]:
    if profile.shape[1] < 6:
        return profile.new_zeros(len(profile))
    return ((profile[:, :2].amax(1) + 0.01) / (profile[:, 3:6].mean(1) + 0.01)).log()


def _squares(
    values: Float[Tensor, "map query key"], counted: Bool[Tensor, "map key"]
) -> Float[Tensor, " map"]:
    """The best division of the text into squares, found by dynamic programming over their ends."""
    length = values.shape[-1]
    cells = counted[:, None].to(values).expand_as(values)
    totals, counts, squared = (on_diagonal(table) for table in (values, cells, values.square()))
    count = counts[:, 0, -1].clamp_min(1)
    mean = (totals[:, 0, -1] / count)[:, None, None]
    excess = (totals / counts.clamp_min(1) - mean).clamp_min(0)
    gains = torch.where(counts >= CELLS, counts * excess.square(), 0)
    best = values.new_zeros(len(values), length + 1)
    for end in range(SQUARE, length + 1):
        starts = slice(0, end - SQUARE + 1)
        last = (best[:, starts] + gains[:, starts, end]).amax(1)
        best[:, end] = torch.maximum(best[:, end - 1], last)
    variance = squared[:, 0, -1] - count * mean[:, 0, 0].square()
    return best[:, -1] / variance.clamp_min(1e-6)


def _leading_sums(maps: Float[Tensor, "map query key"]) -> Float[Tensor, "map bottom right"]:
    """Sums over the first rows and columns of a map: none of them, one, two, ..."""
    return torch.nn.functional.pad(maps.cumsum(1).cumsum(2), (1, 0, 1, 0))


def _in_boxes(
    sums: Float[Tensor, "map bottom right"],
    top: Int[Tensor, " box"],
    bottom: Int[Tensor, " box"],
    left: Int[Tensor, " box"],
    right: Int[Tensor, " box"],
) -> Float[Tensor, "map box"]:
    """Sums over boxes, of what `_leading_sums` returns."""
    return sums[:, bottom, right] - sums[:, top, right] - sums[:, bottom, left] + sums[:, top, left]


def _explained(
    maps: Float[Tensor, "map query key"], model: Float[Tensor, "map query key"]
) -> Float[Tensor, " map"]:
    """Share of the variance of the cells that `model` explains."""
    variance = maps.flatten(1).var(1, correction=0)
    left = (maps - model).flatten(1).var(1, correction=0)
    return torch.where(variance > 1e-12, 1 - left / variance.clamp_min(1e-12), 0)
