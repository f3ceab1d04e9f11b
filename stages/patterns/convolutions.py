"""The eight convolutions of the pattern networks (Kovaleva et al. 2019, section 4.1)."""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

STRIDES = (1, 1, 2, 1, 2, 1, 2, 1)


class Convolutions(nn.Module):
    """Eight convolution layers with ReLU and batch norm, whose channels are pooled at the end.

    Args:
        channels: of the pictures.
        width, last_width: channels of the first two and of the last three convolutions.
    """

    def __init__(self, channels: int, width: int, last_width: int):
        super().__init__()
        middle = (width + last_width) // 2
        sizes = [channels, width, width, *[middle] * 3, *[last_width] * 3]
        self.layers = nn.ModuleList(
            nn.Conv2d(before, after, 3, stride, padding=1, bias=False)
            for before, after, stride in zip(sizes[:-1], sizes[1:], STRIDES, strict=True)
        )
        self.norms = nn.ModuleList(nn.BatchNorm2d(size) for size in sizes[1:])

    def forward(
        self, pictures: Float[Tensor, "map channel side side"]
    ) -> Float[Tensor, "map pooled"]:
        """The mean of each of the last channels, then the largest value of each."""
        hidden = pictures
        for convolution, norm in zip(self.layers, self.norms, strict=True):
            # In place: the norm's gradient needs what goes into it, not what comes out.
            hidden = F.relu(norm(convolution(hidden)), inplace=True)
        return torch.cat([hidden.mean((2, 3)), hidden.amax((2, 3))], dim=1)
