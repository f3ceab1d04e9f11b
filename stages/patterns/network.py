"""A convolutional network that tells the pattern of an attention map (Kovaleva et al. 2019, 4.1).

As in the paper it has eight convolution layers with ReLU; it ends in global pooling. It takes maps
of any size, as their views are brought to one size first. Beside the deep path stands a wide one, a
linear layer over a few plain features of the map and their products, as in Cheng et al. 2016 (wide
and deep learning): the labelled maps come from some 200 heads, which are few for convolutions
alone, and the guideline's rules join numbers that are features ("a stripe and a diagonal").
"""

import json
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from pydantic import BaseModel
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from stages.core.stage.files import InputError, atomic
from stages.patterns import views as map_views
from stages.patterns.convolutions import Convolutions
from stages.patterns.features import FEATURES, features
from stages.patterns.labelled_maps import CLASSES, by_size
from stages.patterns.map_file import Map
from stages.patterns.views import Maps, Views

# Standard deviations of a feature among the labelled maps.
FARTHEST = 3.0
SETTINGS_FILE, WEIGHTS_FILE = "settings.json", "networks.safetensors"


class Architecture(BaseModel, frozen=True, extra="forbid"):
    """Size of one network, in the words of the section `classifier` of `params.yaml`."""

    side: int
    width: int
    last_width: int
    wide: float
    dropout: float


class WidePath(nn.Module):
    """A linear layer over the standardised features, their squares and products two by two."""

    def __init__(self):
        super().__init__()
        count = len(FEATURES)
        self.register_buffer("mean", torch.zeros(count))
        self.register_buffer("scale", torch.ones(count))
        self.linear = nn.Linear(count + count * (count + 1) // 2, len(CLASSES))

    def joined(self, plain: Float[Tensor, "map feature"]) -> Float[Tensor, "map term"]:
        """The features, standardised, then their squares and products.

        Features are cut off where hardly any labelled map lies, as products of what lies farther
        out, in another encoder's maps, would outweigh everything else.
        """
        unit = ((plain - self.mean) / self.scale).clamp(-FARTHEST, FARTHEST)
        first, second = torch.triu_indices(unit.shape[1], unit.shape[1], device=unit.device)
        return torch.cat([unit, unit[:, first] * unit[:, second]], dim=1)

    def forward(self, plain: Float[Tensor, "map feature"]) -> Float[Tensor, "map class"]:
        """Logits, in the order of `CLASSES`."""
        return self.linear(self.joined(plain))


class PatternNetwork(nn.Module):
    """Eight convolutions, whose pooled channels meet the plain features; and the wide path."""

    def __init__(self, architecture: Architecture):
        super().__init__()
        self.architecture = architecture
        last = architecture.last_width
        self.convolutions = Convolutions(map_views.COUNT, architecture.width, last)
        self.standardise = nn.BatchNorm1d(len(FEATURES))
        self.dropout = nn.Dropout(architecture.dropout)
        self.classify = nn.Linear(2 * last + len(FEATURES), len(CLASSES))
        self.wide = WidePath().requires_grad_(False)

    def see(
        self, maps: Maps
    ) -> tuple[Float[Tensor, "map view side side"], Float[Tensor, "map feature"]]:
        """What the network sees of maps of one size: views on its canvas, and plain features."""
        views = map_views.resized(map_views.views(maps), self.architecture.side)
        return views, features(maps)

    def forward(
        self, views: Views, plain: Float[Tensor, "map feature"]
    ) -> Float[Tensor, "map class"]:
        """Logits of the deep path, in the order of `CLASSES`."""
        pooled = [self.convolutions(views), self.standardise(plain)]
        return self.classify(self.dropout(torch.cat(pooled, dim=1)))

    def probabilities(
        self, views: Views, plain: Float[Tensor, "map feature"], wide: float | None = None
    ) -> Float[Tensor, "map class"]:
        """Class probabilities of both paths together.

        Args:
            wide: share of the wide path; by default the architecture's.
        """
        share = self.architecture.wide if wide is None else wide
        deep = self(views, plain).softmax(1)
        return (1 - share) * deep + share * self.wide(plain).softmax(1)


class PatternClassifier:
    """A network that sorts maps of any sizes."""

    def __init__(self, network: PatternNetwork):
        self.network = network.eval()

    @torch.inference_mode()
    def probabilities(self, maps: Maps, wide: float | None = None) -> Float[Tensor, "map class"]:
        """Class probabilities of maps of one size (padding cut off).

        Args:
            wide: share of the wide path; by default as the network was trained for.
        """
        return self.network.probabilities(*self.network.see(maps), wide)

    def predict(self, maps: list[Map], wide: float | None = None) -> Float[np.ndarray, "map class"]:
        """Class probabilities of maps of any sizes; `wide` as in `probabilities`."""
        result = np.empty((len(maps), len(CLASSES)), dtype=np.float32)
        for places, stack in by_size(maps):
            result[places] = self.probabilities(stack, wide).numpy()
        return result

    def to(self, device: torch.device) -> "PatternClassifier":
        self.network.to(device)
        return self

    @classmethod
    def load(cls, folder: Path) -> "PatternClassifier":
        """The first of the networks in a folder: that which sorts the maps.

        Raises:
            InputError: as `load_networks`.
        """
        return cls(load_networks(folder)[0])


def save_networks(networks: list[PatternNetwork], folder: Path) -> None:
    """Write networks of several random starts and their settings."""
    weights = {
        f"{number}.{name}": tensor.contiguous()
        for number, network in enumerate(networks)
        for name, tensor in network.state_dict().items()
    }
    settings = {
        "architecture": networks[0].architecture.model_dump(),
        "networks": len(networks),
        "classes": CLASSES,
    }
    with atomic(folder) as partial:
        partial.mkdir()
        save_file(weights, partial / WEIGHTS_FILE)
        (partial / SETTINGS_FILE).write_text(json.dumps(settings, indent=2) + "\n")


def load_networks(folder: Path) -> list[PatternNetwork]:
    """Read what `save_networks` wrote.

    Raises:
        InputError: the folder is missing, cut short, or of an older version.
    """
    try:
        settings = json.loads((folder / SETTINGS_FILE).read_text())
        weights = load_file(folder / WEIGHTS_FILE)
        architecture = Architecture(**settings["architecture"])
        networks = [PatternNetwork(architecture) for _ in range(settings["networks"])]
        for number, network in enumerate(networks):
            own = {name: weights[f"{number}.{name}"] for name in network.state_dict()}
            network.load_state_dict(own)
    except Exception as error:
        raise InputError(
            f"{folder}: not a pattern classifier ({error}); run `dvc repro classifier`"
        ) from None
    return networks
