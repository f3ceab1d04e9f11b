"""Comparing each head's maps under two models (Kovaleva et al. 2019, Section 4.3, Figure 5)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Float, Float64
from torch import Tensor
from tqdm import tqdm

from stages.core.encoder.batches import Encoded
from stages.core.heads.layer_maps import layer_maps
from stages.core.heads.seam import Gated
from stages.core.intervals.groups import resampled_means
from stages.core.tables import estimate_columns


def map_cosine(
    first: Float[Tensor, "example head query key"],
    second: Float[Tensor, "example head query key"],
    queries: Bool[Tensor, "example query"],
) -> Float64[np.ndarray, "example head"]:
    """Cosine of the flattened maps of each head, over the rows of the chosen queries."""
    chosen = queries[:, None, :, None]
    first, second = ((maps * chosen).flatten(2) for maps in (first, second))
    product, first_square, second_square = (
        torch.linalg.vecdot(*pair).cpu().double().numpy()
        for pair in ((first, second), (first, first), (second, second))
    )
    # One root of the product, and not a product of roots: equal maps give exactly 1.
    return product / np.sqrt(first_square * second_square)


def similarities(
    before: Gated,
    after: Sequence[Gated],
    encoded: Encoded,
    batch: int,
    device: torch.device,
    pad_to: int | None = None,
) -> Float64[np.ndarray, "model example layer head"]:
    """Cosine of every head's map before and after tuning on every example.

    Args:
        after: models that were all tuned from `before`, whose maps are made once for all of them.
        pad_to: fill up to so many tokens and count the rows of the padding; None cuts it off.
    """
    count = len(encoded.lengths)
    result = np.zeros((len(after), count, before.layers, before.heads))
    total = -(-count // batch)
    label = "cropped" if pad_to is None else "padded"
    with torch.inference_mode():
        for part in tqdm(encoded.batches(batch, device, pad_to), label, total, unit="batch"):
            queries = part.inputs["attention_mask"].bool()
            if pad_to is not None:
                queries = torch.ones_like(queries)
            by_layer = (layer_maps(model, part.inputs) for model in (before, *after))
            for layer, (first, *others) in enumerate(zip(*by_layer, strict=True)):
                for number, maps in enumerate(others):
                    result[number, part.rows, layer] = map_cosine(first, maps, queries)
    return result


def cosines_by_head(
    cosines: Float64[np.ndarray, "example layer head"], resamples: int, seed: int
) -> pd.DataFrame:
    """One row a head: layer, head, the mean cosine over the examples with interval and resamples.

    The column `examples` counts them.
    """
    count, layers, heads = cosines.shape
    alone = np.arange(count)  # every example is a group of its own
    means = resampled_means(cosines.reshape(count, -1).T, alone, resamples, seed)
    layer, head = np.divmod(np.arange(layers * heads), heads)
    columns = estimate_columns("cosine", means.value, means.low, means.high, means.drawn)
    return pd.DataFrame({"layer": layer, "head": head, **columns, "examples": count})
