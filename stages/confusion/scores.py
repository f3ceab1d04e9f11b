"""The confusion score of a sentence, from maps (Lin et al. 2019, section 4.1).

The attention that the source word gives to the right candidate, as a share of what it gives to all
candidates; the score is minus its binary logarithm. A candidate's attention is summed over its
words. Of words in pieces: attention to them is the sum over pieces, from them the mean.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float
from torch import Tensor

from stages.core.maps.words import membership
from stages.core.recordings.recording import MapBatch, Recording

# Added to what each candidate gets: a head that looks at none of them says nothing, which is 1 bit
# between two, and not a ratio of what rounding left.
FLOOR = 1e-9


def candidate_weights(
    maps: Float[Tensor, "text layer head query key"],
    parts: Float[Tensor, "text word token"],
    sources: Sequence[int],
    candidates: Sequence[Sequence[Sequence[int]]],
) -> Float[Tensor, "text layer head candidate"]:
    """What the source word gives to each candidate, the right one first; NaN where there is none.

    Args:
        sources: the source word of each text.
        candidates: of each text the words of each candidate.
    """
    most = max(map(len, candidates))
    goals = torch.full((len(candidates), most, parts.shape[-1]), torch.nan, device=maps.device)
    for text, of_text in enumerate(candidates):
        for number, words in enumerate(of_text):
            goals[text, number] = parts[text, list(words)].sum(0)
    asking = parts[torch.arange(len(sources)), list(sources)]
    asking = asking / asking.sum(-1, keepdim=True)
    given = torch.einsum("tq,tlhqk->tlhk", asking, maps)
    return torch.einsum("tlhk,tck->tlhc", given, goals)


def confusion_bits(
    weights: Float[Tensor, "*cell candidate"],
) -> Float[Tensor, "*cell"]:
    """Bits of confusion from what each candidate gets, the right one first; NaN is no candidate."""
    weights = weights + FLOOR
    return -torch.log2(weights[..., 0] / weights.nansum(-1))


def batch_scores(
    batch: MapBatch, recording: Recording, stimuli: pd.DataFrame
) -> tuple[Float[np.ndarray, "text layer"], Float[np.ndarray, "text layer head"]]:
    """Scores of the mean over heads, as the source has it, and of every head by itself.

    Args:
        stimuli: of the whole set, in the order of the corpus.
    """
    rows = stimuli.iloc[batch.rows]
    numbers = recording.tokens["word"].iloc[batch.rows].tolist()
    parts = membership(numbers, batch.maps.shape[-1], batch.maps.device)
    candidates = [
        [right, *wrong] for right, wrong in zip(rows["right"], rows["wrong"], strict=True)
    ]
    weights = candidate_weights(batch.maps, parts, rows["source"].tolist(), candidates)
    scores = (confusion_bits(weights.mean(2)), confusion_bits(weights))
    return tuple(bits.double().cpu().numpy() for bits in scores)


def all_scores(
    recording: Recording, stimuli: pd.DataFrame
) -> tuple[Float[np.ndarray, "sentence layer"], Float[np.ndarray, "sentence layer head"]]:
    """Scores of every sentence; no map is kept."""
    count = len(stimuli)
    mean = np.full((count, recording.layers), np.nan)
    heads = np.full((count, recording.layers, recording.heads), np.nan)
    for batch in recording.batches():
        mean[batch.rows], heads[batch.rows] = batch_scores(batch, recording, stimuli)
    return mean, heads
