"""The numbers that the labelling guideline asks for, measured instead of judged by eye.

data/patterns/GUIDELINE.md lets an annotator estimate in which share of the rows a stripe or the
diagonal is visible, and to which share squares along the diagonal are filled, before a label.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from stages.patterns.views import DIM, NEAR, STRIPE, VISIBLE, brightest_weight

# Squares are at least this wide, in tokens, and more than this share of their cells is dim.
SQUARE, FILLED = 5, 0.2
RULES = (
    "rows_on_diagonal",  # share of the rows with a visible cell at most one token beside it
    "rows_near_diagonal",  # at most three tokens beside it: d of the guideline
    "rows_with_a_stripe",  # s of the guideline
    "seen_in_stripes",  # share of the visible cells
    "seen_near_diagonal",  # share of the visible cells that lie in no stripe and near the diagonal
    "seen_elsewhere",  # share of the visible cells that are neither
    "filled",  # share of the squares' cells outside stripes that are at least dim: f
    "filled_outside",  # share of the other cells
    "filled_more",  # the first less four times the second, as the guideline compares them
    "in_squares",  # share of the cells that lie in squares
    "squares_found",  # number
    "largest_square",  # its share of the tokens
)


def rules(maps: Float[Tensor, "map query key"]) -> Float[Tensor, "map rule"]:
    """`RULES` of maps of one size; 0 where so short a map has no rows or cells to count."""
    position = torch.arange(maps.shape[-1], device=maps.device)
    offset = (position[None, :] - position[:, None]).abs()
    seen = maps / brightest_weight(maps)
    visible = seen >= VISIBLE
    far = offset > NEAR
    rows_seen = (visible & far)[:, 1:-1].sum(1) / far[1:-1].sum(0).clamp_min(1)
    stripe = (rows_seen >= STRIPE)[:, None]
    in_stripes, others = visible & stripe, visible & ~stripe
    cells = [in_stripes, others & ~far, others & far]
    total = visible[:, 1:-1].sum((1, 2)).clamp_min(1)
    return torch.stack(
        [
            *(_rows(part) for part in (others & (offset <= 1), others & ~far, in_stripes)),
            *(part[:, 1:-1].sum((1, 2)) / total for part in cells),
            *_squares((seen >= DIM) & ~stripe, ~stripe.expand_as(visible)),
        ],
        dim=1,
    ).nan_to_num()


def _rows(cells: Bool[Tensor, "map query key"]) -> Float[Tensor, " map"]:
    """Share of the rows, but the first and the last, with one of the cells."""
    return cells[:, 1:-1].any(2).float().mean(1)


def _squares(
    dim: Bool[Tensor, "map query key"], counted: Bool[Tensor, "map query key"]
) -> list[Float[Tensor, " map"]]:
    """The last six of `RULES`, for the squares that hold most dim cells above `FILLED`.

    Found by dynamic programming over their ends, as squares do not overlap.
    """
    count, length = dim.shape[:2]
    dim_cells, cells = on_diagonal(dim.float()), on_diagonal(counted.float())
    gain = dim_cells - FILLED * cells
    best = gain.new_zeros(count, length + 1)
    # Of the best squares up to each end: dim cells, cells, number, width of the largest.
    told = gain.new_zeros(count, length + 1, 4)
    for end in range(1, length + 1):
        best[:, end], told[:, end] = best[:, end - 1], told[:, end - 1]
        if end < SQUARE:
            continue
        with_last, start = (best[:, : end - SQUARE + 1] + gain[:, : end - SQUARE + 1, end]).max(1)
        before = told.gather(1, start[:, None, None].expand(-1, 1, 4))[:, 0]
        last = [part[:, :, end].gather(1, start[:, None])[:, 0] for part in (dim_cells, cells)]
        widest = torch.maximum(before[:, 3], (end - start).to(gain))
        in_both = [before[:, place] + part for place, part in enumerate(last)]
        together = torch.stack([*in_both, before[:, 2] + 1, widest], dim=1)
        better = with_last > best[:, end]
        best[:, end] = torch.where(better, with_last, best[:, end])
        told[:, end] = torch.where(better[:, None], together, told[:, end])
    dim_inside, inside, number, largest = told[:, -1].T
    all_dim, all_cells = dim_cells[:, 0, -1], cells[:, 0, -1]
    filled = dim_inside / inside.clamp_min(1)
    outside = (all_dim - dim_inside) / (all_cells - inside).clamp_min(1)
    share = inside / all_cells.clamp_min(1)
    return [filled, outside, filled - 4 * outside, share, number, largest / length]


def on_diagonal(maps: Float[Tensor, "map query key"]) -> Float[Tensor, "map start end"]:
    """Sums over the squares that stand on the main diagonal from `start` up to `end`."""
    sums = torch.nn.functional.pad(maps.cumsum(1).cumsum(2), (1, 0, 1, 0))
    ends = sums.diagonal(dim1=1, dim2=2)
    return ends[:, None, :] + ends[:, :, None] - sums - sums.transpose(1, 2)
