"""Gradients of the loss of masked words, where there is an MLM head (Clark et al. 2019, 3.2)."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F
from transformers import PreTrainedModel

from stages.core.encoder.batches import Batch
from stages.core.encoder.checkpoint import load_masked_lm
from stages.core.encoder.configuration import MASKED_LM, has_head, read_config
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.heads.seam import Gated
from stages.core.intervals.groups import resampled_means
from stages.core.maps.statistics import KindIds
from stages.core.maps.weight_gradients import kind_table, layer_table
from stages.core.recordings.recording import Texts
from stages.core.recordings.tokens import token_table
from stages.core.stage.arms import UNTUNED, CorpusArm
from stages.core.stage.places import ENCODERS

IGNORED = -100


def has_mlm_head(folder: Path) -> bool:
    """Whether the stage `encoder` found an MLM head in the checkpoint."""
    if not (folder / "config.json").is_file():
        return False
    return has_head(read_config(folder), MASKED_LM)


def masked(
    ids: list[list[int]], special: list[list[int]], mask: int, share: float, seed: int
) -> tuple[list[list[int]], list[list[int]]]:
    """Texts with a share of their tokens (one at least) masked, and what stood there.

    Special tokens are never masked.
    """
    generator = np.random.default_rng(seed)
    shown, labels = [], []
    for text, kinds in zip(ids, special, strict=True):
        plain = np.flatnonzero(np.equal(kinds, 0))
        count = min(len(plain), max(1, round(share * len(plain))))
        drawn = set(generator.permutation(plain)[:count].tolist())
        shown.append([mask if place in drawn else token for place, token in enumerate(text)])
        labels.append([token if place in drawn else IGNORED for place, token in enumerate(text)])
    return shown, labels


def masked_loss(
    logits: Float[Tensor, "text token vocabulary"], batch: Batch, labels: list[list[int]]
) -> Float[Tensor, " text"]:
    """Mean cross-entropy of the masked tokens of each text."""
    width = logits.shape[1]
    wanted: Int[Tensor, "text token"] = torch.tensor(
        [labels[row] + [IGNORED] * (width - len(labels[row])) for row in batch.rows],
        device=logits.device,
    )
    losses = F.cross_entropy(logits.transpose(1, 2), wanted, ignore_index=IGNORED, reduction="none")
    return losses.sum(-1) / (wanted != IGNORED).sum(-1).clamp_min(1)


def masked_lm(arm: CorpusArm, seed: int) -> PreTrainedModel:
    """The encoder of an arm with its MLM head; random weights get a head of random weights."""
    return load_masked_lm(ENCODERS / arm, seed)[0]


def masked_gradients(
    texts: Texts,
    rows: Int[np.ndarray, " drawn"],
    *,
    punctuation: list[str],
    share: float,
    batch: int,
    resamples: int,
    seed: int,
    device: torch.device,
) -> list[pd.DataFrame]:
    """One row a layer and kind of token, of the untuned encoder and of random weights.

    Both see the same texts with the same tokens masked. No table if the checkpoint has no MLM head.
    """
    if UNTUNED not in texts.encoders or not has_mlm_head(ENCODERS / UNTUNED):
        return []
    tokenizer = load_tokenizer(ENCODERS / UNTUNED)
    drawn = texts.corpus.iloc[rows].reset_index(drop=True)
    encoded = replace(texts, corpus=drawn).encoded(tokenizer)
    special = token_table(tokenizer, drawn, encoded, texts.max_length)["special"].tolist()
    ids, labels = masked(encoded.inputs["input_ids"], special, tokenizer.mask_token_id, share, seed)
    encoded.inputs["input_ids"] = ids
    means = partial(resampled_means, groups=texts.groups[rows], resamples=resamples, seed=seed)
    tables = []
    for arm in texts.encoders:
        gated = Gated(masked_lm(arm, seed).to(device))
        found = kind_table(
            gated,
            encoded.batches(batch, device),
            KindIds.of(tokenizer, punctuation),
            partial(masked_loss, labels=labels),
            len(drawn),
        )
        tables.append(layer_table(found, gated.layers, means).assign(arm=arm))
    return tables
