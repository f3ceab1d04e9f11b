"""How confident heads are: the largest weight of each row of a map, and the row's entropy."""

import numpy as np
import torch
from jaxtyping import Float
from tqdm import tqdm

from stages.core.encoder.batches import Encoded
from stages.core.heads.layer_maps import layer_maps
from stages.core.heads.layers import real_tokens
from stages.core.heads.seam import Gated
from stages.core.maps.statistics import query_entropy


@torch.inference_mode()
def confidence_and_entropy(
    gated: Gated, encoded: Encoded, batch: int, device: torch.device
) -> Float[np.ndarray, "2 example layer head"]:
    """Mean over the tokens of each example, [CLS] and [SEP] among them; entropy in nats."""
    count = len(encoded.lengths)
    statistics = np.empty((2, count, gated.layers, gated.heads))
    total = -(-count // batch)
    for some in tqdm(encoded.batches(batch, device), "maps", total, unit="batch"):
        real = real_tokens(some.inputs)
        asked = torch.ones_like(some.inputs["input_ids"], dtype=torch.bool)
        asked = (asked if real is None else real).float()
        share = (asked / asked.sum(dim=1, keepdim=True))[:, None]
        for layer, maps in enumerate(layer_maps(gated, some.inputs)):
            for line, values in zip(
                statistics, (maps.amax(dim=-1), query_entropy(maps)), strict=True
            ):
                line[some.rows, layer] = (values * share).sum(dim=-1).cpu().numpy()
    return statistics
