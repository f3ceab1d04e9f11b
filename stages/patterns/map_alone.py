"""A convolutional network that sees an attention map and nothing else (Kovaleva et al. 2019, 4.1).

As in the source: eight convolution layers with ReLU, no features, no views that ask after stripes
or diagonals. It sorts no maps here; it says what convolutions can do with the labelled maps.
"""

import json
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from stages.core.stage.files import InputError, atomic
from stages.core.stage.places import WORK
from stages.patterns import views as map_views
from stages.patterns.convolutions import Convolutions
from stages.patterns.labelled_maps import CLASSES, by_size
from stages.patterns.map_file import Map
from stages.patterns.views import Maps, Views

MAP_ALONE = WORK / "map_alone"
WEIGHTS_FILE = "network.safetensors"


class MapAlone(nn.Module):
    """Eight convolutions over the map as a labelling sheet shows it, pooled, into the classes.

    Args:
        side: cells to which a map is brought.
        width, last_width: channels of the first two and of the last three convolutions.
        dropout: share of the last layer's inputs that are left out in training.
    """

    def __init__(self, side: int, width: int, last_width: int, dropout: float):
        super().__init__()
        self.sizes = {"side": side, "width": width, "last_width": last_width}
        self.convolutions = Convolutions(1, width, last_width)
        self.dropout = nn.Dropout(dropout)
        self.classify = nn.Linear(2 * last_width, len(CLASSES))

    def see(self, maps: Maps) -> Float[Tensor, "map 1 side side"]:
        """What the network sees of maps of one size: them, on the sheet's colour scale."""
        return map_views.resized(map_views.as_shown(maps)[:, None], self.sizes["side"])

    def forward(self, shown: Views) -> Float[Tensor, "map class"]:
        """Logits, in the order of `CLASSES`."""
        return self.classify(self.dropout(self.convolutions(shown)))

    @torch.inference_mode()
    def predict(self, maps: list[Map]) -> Float[np.ndarray, "map class"]:
        """Class probabilities of maps of any sizes."""
        self.eval()
        result = np.empty((len(maps), len(CLASSES)), dtype=np.float32)
        for places, stack in by_size(maps):
            result[places] = self(self.see(stack)).softmax(1).numpy()
        return result

    def save(self, folder: Path) -> None:
        """Write weights and sizes."""
        with atomic(folder) as partial:
            partial.mkdir()
            weights = {name: part.contiguous() for name, part in self.state_dict().items()}
            # One entry, as the file's order of several differs from run to run.
            save_file(weights, partial / WEIGHTS_FILE, metadata={"sizes": json.dumps(self.sizes)})

    @classmethod
    def load(cls, folder: Path) -> "MapAlone":
        """Read what `save` wrote.

        Raises:
            InputError: the folder is missing, cut short, or of an older version.
        """
        path = folder / WEIGHTS_FILE
        try:
            with safe_open(path, framework="pt") as file:
                sizes = json.loads(file.metadata()["sizes"])
            network = cls(**sizes, dropout=0.0)
            network.load_state_dict(load_file(path))
        except Exception as error:
            raise InputError(
                f"{folder}: not a network of maps alone ({error}); run `dvc repro classifier`"
            ) from None
        return network.eval()
