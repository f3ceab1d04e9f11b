"""What is read off attention maps: the classifier's probabilities, and where their weight lies."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Float16, Int

from stages.patterns.network import PatternClassifier
from stages.patterns.special import SpecialRule, attention_parts, under_special
from stages.patterns.tables import ANY, SPECIAL


@dataclass(frozen=True)
class Readings:
    """Readings of maps: probabilities of the classes, and shares of attention.

    Attributes:
        to_special: on special tokens farther away than the neighbours.
        beyond: on no special token and on no neighbour.
    """

    probabilities: Float[np.ndarray, "*map pattern"]
    to_special: Float[np.ndarray, "*map"]
    beyond: Float[np.ndarray, "*map"]

    def patterns(self, rule: SpecialRule) -> dict[str, Int[np.ndarray, "*map"]]:
        """The class of every map, as its number, under both rules for Vertical."""
        codes = self.probabilities.argmax(-1)
        return {ANY: codes, SPECIAL: under_special(codes, self.to_special, self.beyond, rule)}


@dataclass(frozen=True)
class Reader:
    """Takes the maps of one example at a time, `batch` of them together, through a classifier."""

    classifier: PatternClassifier
    rule: SpecialRule
    batch: int
    device: torch.device

    def twin(self) -> "Reader":
        """The same: the classifier is only read."""
        return self

    def read(
        self,
        example: tuple[
            Float16[np.ndarray, "layer head query key"] | Float[np.ndarray, "layer head query key"],
            Bool[np.ndarray, " key"],
        ],
    ) -> Readings:
        """What is read off every head's map, given the maps and which tokens are special."""
        maps, special = example
        tensor = torch.from_numpy(maps.astype(np.float32)).flatten(0, 1).to(self.device)
        parts = [self.classifier.probabilities(some) for some in tensor.split(self.batch)]
        keys = torch.from_numpy(special).to(self.device)
        shares = attention_parts(tensor, keys, self.rule.neighbours)
        return Readings(torch.cat(parts).cpu().numpy(), *(share.cpu().numpy() for share in shares))


def stacked(readings: Sequence[Readings]) -> Readings:
    """Readings of several texts, with an axis of texts before."""
    return Readings(
        np.stack([one.probabilities for one in readings]),
        np.stack([one.to_special for one in readings]),
        np.stack([one.beyond for one in readings]),
    )
