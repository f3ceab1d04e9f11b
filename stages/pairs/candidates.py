"""Whether the heads that give most to pairs are diagonal ones (Kovaleva et al. 2019, section 4.5).

A head is diagonal where most of what tokens of text give to tokens of text goes to the tokens
beside them; [CLS] and [SEP] are left out, as a head may have stripes beside its diagonal. One half
of the texts chooses the candidates, the other half says which heads are diagonal.
"""

import math

import numpy as np
import pandas as pd
from jaxtyping import Float

from stages.core.intervals.groups import LEAST_GROUPS, line_weights, sums_of_groups
from stages.core.intervals.held_out import Half, cross_fitted, of_best, with_intervals
from stages.core.intervals.intervals import percentile_interval
from stages.core.maps.chosen_heads import strongest
from stages.core.maps.links import Weights, named_head
from stages.core.recordings.recording import Recording
from stages.core.tables import drawn_of, estimate_columns


def moved_share(recording: Recording, weights: Weights, resamples: int, seed: int) -> pd.DataFrame:
    """How much of the weight of the head that gives most to links goes to moved links as well.

    The head is chosen by its weight on one half of the texts and scored on the other: its share is
    its weight on moved links over its weight on links. Empty where fewer than two groups of texts
    have links that can be moved.
    """
    kept = weights.movable
    count = len(np.unique(kept.groups))
    if count < 2:
        return pd.DataFrame()
    linked, moved = (sums_of_groups(part.T, kept.groups) for part in (kept.linked, kept.moved))
    share, same = of_best(
        lambda half: half.sums(linked),
        lambda half: (half.sums(moved) / half.sums(linked))[None],
        line_weights(count, resamples, seed),
        seed,
    )
    found = with_intervals(share, count)
    row = {
        **named_head(recording, int(kept.linked.mean(0).argmax()), kept),
        **estimate_columns("moved_share", found.value[0], found.low[0], found.high[0]),
        "same": same,
        "texts": len(kept),
    }
    return pd.DataFrame([row])


def diagonal_candidates(
    recording: Recording,
    weights: Weights,
    candidates: float,
    diagonal: float,
    resamples: int,
    seed: int,
) -> pd.DataFrame:
    """How many of the heads that give most to pairs are diagonal, and how many of all heads.

    The intervals allow for the texts, which are resampled, and for how few candidates there are:
    each resample's share is drawn anew as if its heads were some of many (Jeffreys' interval of a
    share, which has a width at 0 and 1 too).

    Args:
        candidates: the share of all heads that is chosen, rounded up.
        diagonal: a head is diagonal if more than this share of its attention from tokens of text
            to tokens of text goes to the tokens beside them.

    Returns:
        One row of `CANDIDATES`; none for fewer than two groups of texts.
    """
    count = len(np.unique(weights.groups))
    if count < 2:
        return pd.DataFrame()
    linked, near, between = (
        sums_of_groups(part.T, weights.groups)
        for part in (weights.linked, weights.near, weights.between)
    )
    chosen = math.ceil(candidates * len(linked))
    choose = strongest(chosen)

    def shares(choosing: Half, scored: Half) -> Float[np.ndarray, "measure line"]:
        picked = choose(choosing.sums(linked))
        is_diagonal = scored.sums(near) > diagonal * scored.sums(between)
        return np.stack([(picked & is_diagonal).sum(1) / chosen, is_diagonal.mean(1)])

    lines = line_weights(count, resamples, seed)
    (share, *share_drawn), (chance, *chance_drawn) = cross_fitted(shares, lines, seed)
    expected = chosen * np.array(share_drawn)
    drawn_heads = np.random.default_rng([seed, 2]).beta(expected + 0.5, chosen - expected + 0.5)
    drawn = np.stack([drawn_heads, chance_drawn, drawn_heads - chance_drawn])
    known = count >= LEAST_GROUPS
    drawn = drawn if known else np.full_like(drawn, np.nan)
    row = {"arm": recording.name, "heads": len(linked), "candidates": chosen}
    values = {"share": share, "chance": chance, "excess": share - chance}
    for (name, value), line in zip(values.items(), drawn, strict=True):
        low, high = percentile_interval(line)
        # A share of 0 or 1 lies outside of all that is drawn around it.
        row |= estimate_columns(name, value, np.minimum(low, value), np.maximum(high, value))
        row[drawn_of(name)] = line
    picked = choose(linked.sum(1)[None])[0]
    is_diagonal = near.sum(1) > diagonal * between.sum(1)
    facts = {"diagonal": int(is_diagonal.sum()), "both": int((picked & is_diagonal).sum())}
    return pd.DataFrame([row | facts | {"texts": len(weights)}])
