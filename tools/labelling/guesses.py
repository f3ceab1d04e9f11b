"""Rough guesses of the class of a map, only to balance a draw."""

import numpy as np
import pandas as pd
from jaxtyping import Float
from torch import Tensor

from stages.patterns.features import FEATURES, NEAR, features
from stages.patterns.labelled_maps import CLASSES
from stages.patterns.map_file import Map
from stages.patterns.network import PatternClassifier
from stages.patterns.views import BRIGHTEST


def guess(maps: Float[Tensor, "map query key"], classifier: PatternClassifier | None) -> list[str]:
    """A rough class of each map, only to balance the draw.

    Where there is no classifier yet, by thresholds on `features`.
    """
    if classifier is not None:
        return [CLASSES[code] for code in classifier.probabilities(maps).argmax(1).tolist()]
    table = pd.DataFrame(features(maps).numpy(), columns=list(FEATURES))
    table["spread"] = [_spread(weights) for weights in maps.numpy()]
    return [_rough_class(row) for row in table.to_dict("records")]


def _rough_class(plain: dict[str, float]) -> str:
    banded = plain["band_of_rest"] > 0.3 or plain["diagonal_variance"] > 0.33
    if plain["block_of_rest"] > 0.26 and not banded and plain["spread"] > 0.9:
        return "block"
    if banded and (plain["diagonal"] > 0.14 or plain["diagonal_variance"] > 0.33):
        return "vertical+diagonal" if plain["strongest_column"] > 0.18 else "diagonal"
    stripes = plain["strong_columns"] > 0.33 or plain["column_variance"] > 0.6
    return "vertical" if stripes and plain["band_of_rest"] < 0.15 else "heterogeneous"


def _spread(weights: Map) -> float:
    """How much a picture shows beside the sink and the diagonal, in bright cells per row."""
    others = weights.copy()
    others[:, weights.mean(0).argmax()] = 0
    offsets = np.abs(np.subtract.outer(np.arange(len(weights)), np.arange(len(weights))))
    return float(others[offsets > NEAR].sum() / np.quantile(weights, BRIGHTEST) / len(weights))
