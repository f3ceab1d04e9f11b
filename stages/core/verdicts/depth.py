"""Depths of layers, so that a claim about an encoder of twelve layers can be asked of six."""

from dataclasses import dataclass
from fractions import Fraction

import pandas as pd


@dataclass(frozen=True)
class Band:
    """Depths from `first` to `last`, both ends included.

    The depth of a layer is its number, counted from 1, over the number of layers: 1/12 for the
    lowest layer of BERT-base, 1 for the highest of any encoder.
    """

    first: Fraction
    last: Fraction

    def holds(self, layers: pd.Series) -> pd.Series:
        """Which layers lie in the band.

        Args:
            layers: numbers of layers from 0, as all tables have them; the highest layer of the
                encoder must be among them.
        """
        count = int(layers.max()) + 1
        depths = layers.map(lambda layer: Fraction(int(layer) + 1, count))
        return (depths >= self.first) & (depths <= self.last)
