"""Which heads are alike (Clark et al. 2019, section 6, Figure 6).

The distance of two heads is the Jensen-Shannon divergence between what they attend to, mean over
all tokens; metric multidimensional scaling draws the heads in the plane. Whether heads of a layer
lie together is asked of the divergences themselves, against shuffled layers.
"""

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int
from pydantic import NonNegativeInt, PositiveInt
from sklearn.manifold import MDS
from torch import Tensor

from stages.clusters.tables import HEADS, PURITY
from stages.core.maps.statistics import query_entropy
from stages.core.recordings.recording import MapBatch, Recording, open_texts
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.command import CorpusOption, stage_command
from stages.core.stage.settings import Parameters, section
from stages.core.stage.tables import interval_columns
from stages.core.tasks.examples import drawn_rows

# Numbers of one block of pairs of heads.
BLOCK_NUMBERS = 4_000_000


class Clusters(Parameters):
    """The section `clusters` of `params.yaml`."""

    corpora: list[str]
    texts: PositiveInt | None
    neighbours: PositiveInt
    permutations: PositiveInt
    starts: PositiveInt
    seed: NonNegativeInt


def divergence_sums(
    rows: Float[Tensor, "head token key"],
) -> Float[Tensor, "head other"]:
    """Jensen-Shannon divergence of every two heads in nats, summed over tokens.

    In blocks: no array has heads x heads x tokens numbers.
    """
    heads, tokens, keys = rows.shape
    own = query_entropy(rows).sum(-1)
    sums = torch.zeros(heads, heads, dtype=torch.float64)
    size = max(1, BLOCK_NUMBERS // (tokens * keys))
    for one in range(heads - 1):
        for begin in range(one + 1, heads, size):
            others = rows[begin : begin + size]
            mixed = query_entropy((rows[one] + others) / 2).sum(-1)
            found = mixed - (own[one] + own[begin : begin + size]) / 2
            sums[one, begin : begin + size] = found.cpu().double()
    return sums + sums.T


def batch_divergences(batch: MapBatch) -> Float[Tensor, "head other"]:
    """Jensen-Shannon divergence of every two heads, summed over all tokens of a batch."""
    maps = batch.maps.flatten(1, 2).transpose(0, 1)
    # Rows of padding are 0 in all heads and add nothing.
    return divergence_sums(maps.flatten(1, 2))


def divergences(
    recording: Recording, rows: Int[np.ndarray, " drawn"]
) -> Float[np.ndarray, "head other"]:
    """Mean Jensen-Shannon divergence over all tokens of the texts `rows`, in nats."""
    total, tokens = 0.0, 0
    for batch in recording.batches(rows):
        total = total + batch_divergences(batch).numpy()
        tokens += int(batch.lengths.sum())
    return np.maximum(total / tokens, 0.0)


def neighbour_purity(
    distances: Float[np.ndarray, "head other"], layers: Int[np.ndarray, "*tries head"], count: int
) -> Float[np.ndarray, "*tries"]:
    """Share of the `count` nearest heads that are of the head's own layer, mean over heads."""
    apart = distances + np.diag(np.full(len(distances), np.inf))
    near = np.argsort(apart, axis=1, kind="stable")[:, :count]
    return np.asarray((layers[..., near] == layers[..., :, None]).mean((-2, -1)))


def purity_table(
    distances: Float[np.ndarray, "head other"],
    layers: Int[np.ndarray, " head"],
    parameters: Clusters,
) -> dict[str, float]:
    """Neighbour purity, its 95% range under shuffled layers, and the permutation test's p."""
    count = min(parameters.neighbours, len(layers) - 1)
    generator = np.random.default_rng(parameters.seed)
    shuffled = generator.permuted(np.tile(layers, (parameters.permutations, 1)), axis=1)
    chance = neighbour_purity(distances, shuffled, count)
    purity = float(neighbour_purity(distances, layers, count))
    low, high = np.quantile(chance, [0.025, 0.975])
    return {
        "purity": purity,
        **interval_columns("chance", float(chance.mean()), float(low), float(high)),
        "p": float((1 + (chance >= purity).sum()) / (1 + len(chance))),
        "neighbours": count,
    }


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


def main(corpus: CorpusOption) -> None:
    """Measure how alike the heads are on the texts of CORPUS."""
    parameters = section(Clusters, "clusters")
    device = start(read_runtime(), parameters.seed)
    texts = open_texts(corpus)
    rows = drawn_rows(len(texts.corpus), parameters.texts, parameters.seed)
    heads, layers = [], []
    with torch.inference_mode():
        for recording in texts.recordings(device):
            distances = divergences(recording, rows)
            places, stress = scaled(distances, parameters.starts, parameters.seed)
            drawing = {"x": places[:, 0], "y": places[:, 1]}
            heads.append(pd.DataFrame(recording.places | drawing))
            facts = purity_table(distances, recording.places["layer"], parameters)
            layers.append(
                {"encoder": recording.name, **facts, "stress": stress, "texts": len(rows)}
            )
    HEADS.write(heads, corpus=corpus)
    PURITY.write(pd.DataFrame(layers), corpus=corpus)


if __name__ == "__main__":
    stage_command(main)
