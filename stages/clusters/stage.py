"""Which heads are alike (Clark et al. 2019, section 6, Figure 6).

The distance of two heads is the Jensen-Shannon divergence between what they attend to, mean over
all tokens; metric multidimensional scaling draws the heads in the plane. Whether heads of a layer
lie together is asked of the divergences themselves, against shuffled layers and random weights.
"""

from typing import Any

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int
from pydantic import PositiveInt
from sklearn.manifold import MDS
from torch import Tensor

from stages.clusters.tables import HEADS, PURITY
from stages.core.intervals.groups import LEAST_GROUPS, group_weights, sums_of_groups
from stages.core.intervals.intervals import percentile_interval
from stages.core.maps.statistics import query_entropy
from stages.core.recordings.recording import Recording, open_texts
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.settings import Resampled, section
from stages.core.tables import drawn_of, estimate_columns
from stages.core.tasks.examples import drawn_rows

# Numbers of one block of pairs of heads.
BLOCK_NUMBERS = 4_000_000


class Clusters(Resampled, section="clusters"):
    """The section `clusters` of `params.yaml`."""

    corpora: list[str]
    texts: PositiveInt | None
    neighbours: PositiveInt
    permutations: PositiveInt
    starts: PositiveInt


def divergence_sums(
    rows: Float[Tensor, "head token key"],
) -> Float[Tensor, "head other"]:
    """Jensen-Shannon divergence of every two heads in nats, summed over tokens.

    In blocks: no array has heads x heads x tokens numbers.
    """
    heads, tokens, keys = rows.shape
    entropies = query_entropy(rows).sum(-1)
    sums = torch.zeros(heads, heads, dtype=torch.float64)
    size = max(1, BLOCK_NUMBERS // (tokens * keys))
    for head in range(heads - 1):
        for begin in range(head + 1, heads, size):
            others = slice(begin, begin + size)
            mixed = query_entropy((rows[head] + rows[others]) / 2).sum(-1)
            divergences = mixed - (entropies[head] + entropies[others]) / 2
            sums[head, others] = divergences.cpu().double()
    return sums + sums.T


def text_divergences(
    recording: Recording, rows: Int[np.ndarray, " drawn"]
) -> Float[np.ndarray, "drawn head other"]:
    """Jensen-Shannon divergence of every two heads on each of the texts `rows`, summed over tokens.

    In nats.
    """
    heads = recording.layers * recording.heads
    sums = np.zeros((len(rows), heads, heads))
    numbers = {row: number for number, row in enumerate(rows)}
    for batch in recording.batches(rows):
        for row, length, maps in zip(batch.rows, batch.lengths, batch.maps, strict=True):
            cropped = maps[..., :length, :length].flatten(0, 1)
            sums[numbers[row]] = divergence_sums(cropped).numpy()
    return sums


def neighbour_purity(
    distances: Float[np.ndarray, "head other"], layers: Int[np.ndarray, "*tries head"], count: int
) -> Float[np.ndarray, "*tries"]:
    """Share of the `count` nearest heads that are of the head's own layer, mean over heads."""
    apart = distances + np.diag(np.full(len(distances), np.inf))
    near = np.argsort(apart, axis=1, kind="stable")[:, :count]
    return np.asarray((layers[..., near] == layers[..., :, None]).mean((-2, -1)))


def purity_table(
    sums: Float[np.ndarray, "text head other"],
    tokens: Int[np.ndarray, " text"],
    groups: Int[np.ndarray, " text"],
    layers: Int[np.ndarray, " head"],
    parameters: Clusters,
) -> dict[str, Any]:
    """Neighbour purity, its 95% range under shuffled layers, and by how much it is above these.

    What it is above chance has an interval for both: texts are drawn anew by groups, and each
    resample's purity is set against that of its own shuffled layers.

    Args:
        sums: divergences of each text, summed over its tokens.

    Returns:
        The columns of a row, the resamples of `above` among them.
    """
    count = min(parameters.neighbours, len(layers) - 1)
    generator = np.random.default_rng(parameters.seed)
    shuffled = generator.permuted(np.tile(layers, (parameters.permutations, 1)), axis=1)
    of_groups = sums_of_groups(sums.transpose(1, 2, 0), groups).transpose(2, 0, 1)
    lengths = sums_of_groups(tokens.astype(float), groups)
    distances = weighted_distances(np.ones(len(lengths)), of_groups, lengths)
    chance = neighbour_purity(distances, shuffled, count)
    purity = float(neighbour_purity(distances, layers, count))
    low, high = np.quantile(chance, [0.025, 0.975])
    columns = {
        "purity": purity,
        **estimate_columns("chance", float(chance.mean()), float(low), float(high)),
        "p": float((1 + (chance >= purity).sum()) / (1 + len(chance))),
        "neighbours": count,
    }
    drawn = np.full(parameters.resamples, np.nan)
    low = high = np.nan
    if len(lengths) >= LEAST_GROUPS:
        for number, weights in enumerate(
            group_weights(len(lengths), parameters.resamples, parameters.seed)
        ):
            resampled = weighted_distances(weights, of_groups, lengths)
            both = np.stack([layers, generator.permutation(layers)])
            real, by_chance = neighbour_purity(resampled, both, count)
            drawn[number] = real - by_chance
        low, high = percentile_interval(drawn)
    columns |= estimate_columns("above", purity - float(chance.mean()), low, high)
    return columns | {drawn_of("above"): drawn}


def weighted_distances(
    weights: Float[np.ndarray, " group"],
    sums: Float[np.ndarray, "group head other"],
    tokens: Float[np.ndarray, " group"],
) -> Float[np.ndarray, "head other"]:
    """Mean over all tokens of the groups, each as often as its weight says."""
    # Rounding leaves some distances below 0.
    return np.maximum(np.tensordot(weights, sums, 1) / (weights @ tokens), 0.0)


def scaled(
    distances: Float[np.ndarray, "head other"], starts: int, seed: int
) -> tuple[Float[np.ndarray, "head 2"], float]:
    """Places in the plane by metric multidimensional scaling, and the normalised stress."""
    scaling = MDS(
        2,
        metric="precomputed",
        n_init=starts,
        init="random",
        random_state=seed,
        normalized_stress=True,
    )
    places = scaling.fit_transform(distances)
    return places - places.mean(0), float(scaling.stress_)


def run_stage(corpus: str) -> None:
    """Measure how alike the heads are on the texts of CORPUS."""
    parameters = section(Clusters, "clusters")
    device = start(read_runtime(), parameters.seed)
    texts = open_texts(corpus)
    rows = drawn_rows(len(texts.corpus), parameters.texts, parameters.seed)
    groups = texts.groups[rows]
    heads, purities = [], []
    with torch.inference_mode():
        for recording in texts.recordings(device):
            if recording.layers * recording.heads < 2:  # no other head to compare
                continue
            sums = text_divergences(recording, rows)
            tokens = recording.lengths[rows]
            distances = np.maximum(sums.sum(0) / tokens.sum(), 0.0)
            places, stress = scaled(distances, parameters.starts, parameters.seed)
            drawing = {"x": places[:, 0], "y": places[:, 1]}
            heads.append(pd.DataFrame(recording.head_keys | drawing))
            layers = recording.head_keys["layer"]
            purity = purity_table(sums, tokens, groups, layers, parameters)
            row = {"arm": recording.name, **purity, "stress": stress, "texts": len(rows)}
            purities.append(row)
    HEADS.write(heads, data=corpus)
    PURITY.write(pd.DataFrame(purities), data=corpus)
