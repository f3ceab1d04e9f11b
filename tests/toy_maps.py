"""Recordings of toy texts, whose maps are made one text at a time."""

from abc import abstractmethod

import numpy as np
import torch

from stages.core.recordings.recording import MapBatch, Recording


class ToyRecording(Recording):
    """Maps that `_maps` makes of each text, padded to the longest of a batch."""

    def _read(self, rows: np.ndarray) -> MapBatch:
        lengths = self.lengths[rows]
        width = int(lengths.max())
        maps = torch.zeros(len(rows), self.layers, self.heads, width, width)
        for place, row in enumerate(rows):
            length = lengths[place]
            maps[place, :, :, :length, :length] = torch.from_numpy(self._maps(int(row)))
        return MapBatch(rows, lengths, maps)

    @abstractmethod
    def _maps(self, row: int) -> np.ndarray:
        """The maps of one text, [layer, head, query, key]."""
