"""What the pattern network sees of an attention map: views that ask the guideline's questions.

None of them changes with the map's size, with how sharp a model's attention is, or with which token
serves as its sink; data/patterns/GUIDELINE.md defines the terms (visible, stripe, near, ...).
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

Maps = Float[Tensor, "map query key"]
Views = Float[Tensor, "map view query key"]

# A labelling sheet shows nothing brighter than this quantile of the map.
BRIGHTEST = 0.99
# A cell is visible from this share of the brightest weight on; squares may be darker.
VISIBLE, DIM = 1 / 3, 1 / 8
# A diagonal lies at most this far from the main one.
NEAR = 3
# A column may be a stripe when it is visible in this share of the rows away from the diagonal.
STRIPE = 1 / 7
# Columns that may be a sink, for the view without any.
SINKS = 3

COUNT = 11


def views(maps: Maps) -> Views:
    """The views of maps of one size, each about 0 to 1.

    In order: the map as a sheet shows it; its square root; which cells are visible; which are dim
    or visible and no stripe; the map without its strongest columns; and, the same in a whole
    column, diagonal or row: how visible a column is away from the diagonal, its mean weight, the
    mean weight of a diagonal, nearness to the main diagonal, whether a row sees a stripe, whether
    it sees the diagonal.
    """
    brightest = brightest_weight(maps)
    seen = as_shown(maps)
    offset = _offsets(maps)
    near, far = (offset.abs() <= NEAR).to(maps), (offset.abs() > NEAR).to(maps)
    visible = _above(seen, VISIBLE)
    column_visible = (visible * far).sum(1, keepdim=True) / far.sum(0).clamp_min(1)
    stripe = _above(column_visible, STRIPE)
    without_sinks = _without_sinks(maps)
    on_diagonal = _means_along(without_sinks, offset)
    layers = [
        seen,
        seen.sqrt(),
        visible,
        _above(seen, DIM) * (1 - stripe),
        without_sinks.clamp(max=1),
        column_visible,
        (maps.mean(1, keepdim=True) / brightest).clamp(max=1),
        on_diagonal.clamp(max=1),
        torch.exp(-((offset / 2) ** 2)),
        (visible * stripe).amax(2, keepdim=True),
        (visible * near * (1 - stripe)).amax(2, keepdim=True),
    ]
    return torch.stack([layer.expand_as(maps) for layer in layers], dim=1)


def as_shown(maps: Maps) -> Maps:
    """The map on the colour scale of a labelling sheet, 0 to 1."""
    return (maps / brightest_weight(maps)).clamp(max=1)


def resized(layers: Views, side: int) -> Float[Tensor, "map view side side"]:
    """Views of any size on a canvas of one size, as pictures on a sheet are of one size."""
    length = layers.shape[-1]
    if length > side:
        return F.adaptive_avg_pool2d(layers, side)
    return F.interpolate(layers, size=side, mode="nearest") if length < side else layers


def _above(values: Tensor, threshold: float) -> Tensor:
    """1 above the threshold and 0 below, with a soft edge, as the eye has no sharp one."""
    return torch.sigmoid((values / threshold - 1) / 0.2)


def brightest_weight(maps: Maps) -> Float[Tensor, "map 1 1"]:
    """The weight at which the colour scale of a labelling sheet ends."""
    count = max(1, round((1 - BRIGHTEST) * maps[0].numel()))
    top = maps.flatten(1).topk(count).values[:, -1]
    return top.clamp_min(1e-6)[:, None, None]


def _without_sinks(maps: Maps) -> Maps:
    """The map without its strongest columns, rows adding up to 1 again, on the sheet's scale."""
    columns = maps.mean(1)
    sinks = columns.topk(max(1, min(SINKS, maps.shape[-1] // 4))).indices
    rest = maps * torch.ones_like(columns).scatter_(1, sinks, 0)[:, None]
    rest = rest / rest.sum(2, keepdim=True).clamp_min(1e-6)
    return rest / brightest_weight(rest)


def _offsets(maps: Maps) -> Int[Tensor, "query key"]:
    position = torch.arange(maps.shape[-1], device=maps.device)
    return position[None, :] - position[:, None]


def _means_along(maps: Maps, offset: Int[Tensor, "query key"]) -> Maps:
    """Each cell replaced by the mean of its diagonal."""
    length = maps.shape[-1]
    number = (offset + length - 1).flatten()
    sums = maps.new_zeros(len(maps), 2 * length - 1).index_add_(1, number, maps.flatten(1))
    # The short diagonals in the corners are means of few cells: count them as half the main one.
    counts = torch.bincount(number).clamp_min(max(1, length // 2))
    return (sums / counts)[:, number].view_as(maps)
