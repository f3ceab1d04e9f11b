"""A convolutional network that tells the pattern of an attention map (Kovaleva et al. 2019, 4.1).

As in the paper it has eight convolution layers with ReLU. It ends in global pooling and so takes
maps of any size. What it sees are views of the map that do not change with the map's size, with
how sharp the model's attention is, or with which token serves as its sink.
"""

import json
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float, Int
from pydantic import BaseModel
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional as F

from stages.core.files import InputError, atomic
from stages.core.pattern_data import CLASSES

SETTINGS_FILE, WEIGHTS_FILE = "settings.json", "networks.safetensors"
# The colour scale of the labelling sheets: an annotator saw nothing brighter than this quantile.
BRIGHTEST = 0.99
# A diagonal counts when it is at most this far from the main one; see the labelling guideline.
NEAR = 2.0

Maps = Float[Tensor, "map query key"]


class Architecture(BaseModel, frozen=True, extra="forbid"):
    """Size of one network."""

    width: int = 16  # channels of the first layers
    pooled_width: int = 48  # channels of the last layers


def views(maps: Maps) -> Float[Tensor, "map view query key"]:
    """What the network sees of each map, all about 0 to 1.

    The map as the annotators saw it and its square root (faint parts); what each cell has over the
    mean of its column (stripes vanish); the means of the columns (only stripes stay) and of the
    diagonals; and where the main diagonal runs.
    """
    top = _brightest(maps)
    seen = (maps / top).clamp(max=1)
    columns = maps.mean(1, keepdim=True).expand_as(maps)
    rest = (maps - columns).clamp_min(0)
    rest_top = _brightest(rest)
    offset, near = _offsets(maps)
    diagonals = _means_along(rest / rest_top, offset)
    return torch.stack(
        [
            seen,
            seen.sqrt(),
            (rest / rest_top).clamp(max=1),
            (columns / top).clamp(max=1),
            diagonals.clamp(max=1),
            near.expand_as(maps),
        ],
        dim=1,
    )


VIEWS = 6


def _brightest(maps: Maps) -> Float[Tensor, "map 1 1"]:
    """The weight at which the colour scale of a labelling sheet ends."""
    count = max(1, round((1 - BRIGHTEST) * maps[0].numel()))
    top = maps.flatten(1).topk(count, sorted=True).values[:, -1]
    return top.clamp_min(1e-6)[:, None, None]


def _offsets(maps: Maps) -> tuple[Int[Tensor, "query key"], Float[Tensor, "query key"]]:
    """The number of each cell's diagonal, and how near that is to the main one."""
    position = torch.arange(maps.shape[-1], device=maps.device)
    offset = position[None, :] - position[:, None]
    return offset + len(position) - 1, torch.exp(-((offset / NEAR) ** 2))


def _means_along(maps: Maps, offset: Int[Tensor, "query key"]) -> Maps:
    """Each cell replaced by the mean of its diagonal."""
    length = maps.shape[-1]
    flat = offset.flatten()
    sums = maps.new_zeros(len(maps), 2 * length - 1).index_add_(1, flat, maps.flatten(1))
    # Short diagonals in the corners are means of few cells: divided as if half as long as the main.
    counts = torch.bincount(flat).clamp_min(length // 2)
    return (sums / counts)[:, flat].view_as(maps)


class PatternNetwork(nn.Module):
    """Eight convolutions; the pooled mean and maximum of the last one go to a linear layer."""

    def __init__(self, architecture: Architecture = Architecture()):
        super().__init__()
        narrow, wide = architecture.width, architecture.pooled_width
        middle = (narrow + wide) // 2
        sizes = [VIEWS, narrow, narrow, middle, middle, middle, wide, wide, wide]
        # Every second layer halves the map until one cell sees some 50 tokens.
        strides = [1, 2, 1, 2, 1, 2, 1, 1]
        self.convolutions = nn.ModuleList(
            nn.Conv2d(a, b, 3, stride, padding=1)
            for a, b, stride in zip(sizes[:-1], sizes[1:], strides, strict=True)
        )
        self.norms = nn.ModuleList(nn.BatchNorm2d(size) for size in sizes[1:])
        self.classify = nn.Linear(2 * wide, len(CLASSES))

    def forward(self, maps: Maps) -> Float[Tensor, "map class"]:
        """Logits of the five classes, in the order of `CLASSES`."""
        hidden = views(maps)
        for convolution, norm in zip(self.convolutions, self.norms, strict=True):
            hidden = F.relu(norm(convolution(hidden)))
        pooled = torch.cat([hidden.mean((2, 3)), hidden.amax((2, 3))], dim=1)
        return self.classify(pooled)


class PatternClassifier:
    """The mean of several networks that differ in their random start."""

    def __init__(self, networks: list[PatternNetwork], architecture: Architecture):
        self.networks = [network.eval() for network in networks]
        self.architecture = architecture

    @torch.inference_mode()
    def probabilities(self, maps: Maps) -> Float[Tensor, "map class"]:
        """Class probabilities of maps of one size (padding cut off)."""
        return torch.stack([network(maps).softmax(1) for network in self.networks]).mean(0)

    def predict(self, maps: list[np.ndarray]) -> Float[np.ndarray, "map class"]:
        """Class probabilities of maps of any sizes."""
        result = np.empty((len(maps), len(CLASSES)), dtype=np.float32)
        lengths = np.array([len(weights) for weights in maps])
        for length in np.unique(lengths):
            rows = np.flatnonzero(lengths == length)
            stack = torch.from_numpy(np.stack([maps[row] for row in rows]))
            result[rows] = self.probabilities(stack.float()).numpy()
        return result

    def to(self, device: torch.device) -> "PatternClassifier":
        for network in self.networks:
            network.to(device)
        return self

    def save(self, folder: Path) -> None:
        """Write the networks and their settings."""
        with atomic(folder) as partial:
            partial.mkdir()
            weights = {
                f"{index}.{name}": tensor.contiguous()
                for index, network in enumerate(self.networks)
                for name, tensor in network.state_dict().items()
            }
            save_file(weights, partial / WEIGHTS_FILE)
            settings = {
                "architecture": self.architecture.model_dump(),
                "networks": len(self.networks),
                "classes": CLASSES,
            }
            (partial / SETTINGS_FILE).write_text(json.dumps(settings, indent=2) + "\n")

    @classmethod
    def load(cls, folder: Path) -> "PatternClassifier":
        """Read what `save` wrote.

        Raises:
            InputError: the folder is missing or its files do not fit together.
        """
        try:
            settings = json.loads((folder / SETTINGS_FILE).read_text())
            weights = load_file(folder / WEIGHTS_FILE)
        except (OSError, ValueError) as error:
            raise InputError(
                f"{folder}: no pattern classifier ({error}); run `dvc repro classifier`"
            ) from None
        architecture = Architecture(**settings["architecture"])
        networks = []
        for index in range(settings["networks"]):
            network = PatternNetwork(architecture)
            prefix = f"{index}."
            network.load_state_dict(
                {k.removeprefix(prefix): v for k, v in weights.items() if k.startswith(prefix)}
            )
            networks.append(network)
        return cls(networks, architecture)
