"""Batches of texts whose maps fit into memory, or a processor's cache, together."""

from collections.abc import Callable, Iterator

import numpy as np
import torch
from jaxtyping import Int

from stages.core.encoder.batches import Batch, Encoded


def fitting(
    rows: Int[np.ndarray, " drawn"],
    lengths: Int[np.ndarray, " text"],
    numbers_of: Callable[[int], int],
    numbers: int,
    most: int | None = None,
) -> Iterator[Int[np.ndarray, " part"]]:
    """Yield `rows` in parts, longest first.

    Args:
        lengths: of all texts, in tokens; `rows` are places in it.
        numbers_of: how many numbers a text of that length brings.
        numbers: that a part may have, with its padding; one text may have more.
        most: rows of a part; None: any number.
    """
    rows = rows[np.argsort(-lengths[rows], kind="stable")]
    while len(rows):
        size = max(1, numbers // numbers_of(int(lengths[rows[0]])))
        size = size if most is None else min(size, most)
        yield rows[:size]
        rows = rows[size:]


def batch_of(encoded: Encoded, rows: Int[np.ndarray, " part"], device: torch.device | str) -> Batch:
    """Some texts as one batch, longest first."""
    some = Encoded(
        {name: [ids[row] for row in rows] for name, ids in encoded.inputs.items()},
        encoded.padding,
        [encoded.segments[row] for row in rows],
    )
    (batch,) = some.batches(len(rows), device)
    return Batch(rows[batch.rows], batch.lengths, batch.inputs)
