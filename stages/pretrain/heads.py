"""What its heads look at while an encoder is made: a few figures at every measurement."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Float
from torch import Tensor
from transformers import BertForMaskedLM, PreTrainedTokenizerBase

from stages.pretrain.pairs import Pairs
from stages.pretrain.tables import KINDS

READ = 100  # held-out pairs that they are measured on
AT_ONCE = 20


class HeadCourse:
    """Held-out pairs without masks, and what every head of a model makes of them."""

    def __init__(self, pairs: Pairs, tokenizer: PreTrainedTokenizerBase, seed: int):
        drawn = np.random.default_rng(seed).permutation(len(pairs))[:READ]
        sequences = [pairs.sequence(int(row), tokenizer) for row in sorted(drawn)]
        self.batches = [
            tokenizer.pad(sequences[first : first + AT_ONCE], return_tensors="pt")
            for first in range(0, len(sequences), AT_ONCE)
        ]

    def figures(
        self, model: BertForMaskedLM, device: torch.device
    ) -> dict[str, Float[np.ndarray, "layer head"]]:
        """The mean of every kind over all tokens that have it; the model is left as it was.

        A kind that no token has is NaN.
        """
        training, attention = model.training, model.config._attn_implementation
        model.eval()
        model.set_attn_implementation("eager")  # which gives maps
        sums, counts = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0)
        with torch.inference_mode():
            for batch in self.batches:
                inputs = {name: values.to(device) for name, values in batch.items()}
                special = inputs.pop("special_tokens_mask").bool()
                maps = torch.stack(model.bert(**inputs, output_attentions=True).attentions)
                for kind, (values, asked) in head_figures(maps, special, inputs).items():
                    sums[kind] += values.double().cpu().numpy()
                    counts[kind] += int(asked)
        model.set_attn_implementation(attention)
        model.train(training)
        return {
            kind: sums[kind] / counts[kind]
            if counts[kind]
            else np.full((model.config.num_hidden_layers, model.config.num_attention_heads), np.nan)
            for kind in KINDS
        }


def head_figures(
    maps: Float[Tensor, "layer example head query key"],
    special: Bool[Tensor, "example token"],
    inputs: dict[str, Tensor],
) -> dict[str, tuple[Float[Tensor, "layer head"], Tensor]]:
    """Of every kind the sum over the tokens that have it, and how many there are."""
    ids, segments = inputs["input_ids"], inputs["token_type_ids"]
    text = ~special & inputs["attention_mask"].bool()
    length = ids.shape[1]
    places = torch.arange(length, device=ids.device)
    # The second [SEP] is the last token, the first the last of segment 0.
    separators = special & inputs["attention_mask"].bool() & (places > 0)
    keys = {
        "previous": (places[:, None] - 1 == places).expand(len(ids), -1, -1),
        "next": (places[:, None] + 1 == places).expand(len(ids), -1, -1),
        "itself": torch.eye(length, dtype=torch.bool, device=ids.device).expand(len(ids), -1, -1),
        "cls": (places == 0).expand(len(ids), length, -1),
        "sep": separators[:, None, :].expand(-1, length, -1),
    }
    figures = {
        kind: (summed(maps, seen & text[:, :, None]), text.sum()) for kind, seen in keys.items()
    }
    other = (segments[:, :, None] != segments[:, None, :]) & text[:, :, None] & text[:, None, :]
    equal = other & (ids[:, :, None] == ids[:, None, :])
    has = equal.any(-1)
    share = equal.sum(-1) / other.sum(-1).clamp(min=1)
    weights = (equal.to(maps.dtype) - share[:, :, None] * other) * has[:, :, None]
    figures["equal"] = (summed(maps, weights), has.sum())
    return figures


def summed(
    maps: Float[Tensor, "layer example head query key"], weights: Tensor
) -> Float[Tensor, "layer head"]:
    """The sum of attention times weights (example, query, key)."""
    return torch.einsum("lehqk,eqk->lh", maps, weights.to(maps.dtype))


def course_table(curve: Sequence[dict]) -> pd.DataFrame:
    """One row a measurement, layer and head, one column a kind."""
    rows = []
    for entry in curve:
        kinds = {kind: np.array(entry["heads"][kind], dtype=float) for kind in KINDS}
        for layer, head in np.ndindex(kinds[KINDS[0]].shape):
            shares = {kind: values[layer, head] for kind, values in kinds.items()}
            rows.append({"step": entry["step"], "layer": layer, "head": head, **shares})
    return pd.DataFrame(rows)
