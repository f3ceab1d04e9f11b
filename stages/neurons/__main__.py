"""How a head computes its pattern (Vig 2019, part two).

The score of a query and a key is the sum over neurons of q x k. How few neurons carry it, whether
they have the same sign everywhere, and what is left of each pattern without position or segment
embeddings.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int
from pydantic import PositiveInt
from torch import Tensor, nn

from stages.core.intervals.groups import group_means
from stages.core.maps.accumulated import HeadValues
from stages.core.maps.vig_patterns import TextTokens, pattern_strengths
from stages.core.recordings.recording import LiveRecording, Texts, open_texts
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.command import CorpusOption, stage_command
from stages.core.stage.files import InputError
from stages.core.stage.settings import Resampled, section
from stages.core.stage.tables import interval_columns
from stages.core.tasks.examples import drawn_rows
from stages.neurons.tables import NEURONS, REMOVED, SHARE


class Neurons(Resampled):
    """The section `neurons` of `params.yaml`."""

    corpora: list[str]
    texts: PositiveInt | None
    most_neurons: PositiveInt


def neuron_shares(
    queries: Float[Tensor, "head token size"],
    keys: Float[Tensor, "head token size"],
    maps: Float[Tensor, "head token token"],
    most: int,
) -> tuple[Float[Tensor, "head largest"], Float[Tensor, " head"]]:
    """Share of the score that the k largest neurons carry, and how constant their signs are.

    Scores are those of each token and the one that it attends to most, above the query's mean over
    all keys: what is the same for all keys drops out of the softmax. A neuron's part is q x (k less
    the mean key); its share is of the parts' absolute values over all tokens, and the largest are
    the same for all tokens: neurons that take turns do not count as few. Sign consistency is the
    absolute mean over tokens of the parts' signs, weighted by the neurons' absolute parts: 1 where
    every neuron has one sign everywhere.
    """
    chosen = maps.argmax(-1)
    size = queries.shape[-1]
    attended = keys.gather(1, chosen[..., None].expand(-1, -1, size))
    parts = queries * (attended - keys.mean(1, keepdim=True))
    weight = parts.abs().mean(1)
    total = weight.sum(-1, keepdim=True).clamp_min(torch.finfo(parts.dtype).tiny)
    shares = weight.sort(-1, descending=True).values[..., :most].cumsum(-1) / total
    consistency = (parts.sign().mean(1).abs() * weight).sum(-1) / weight.sum(-1)
    return shares, consistency


def neuron_table(
    recording: LiveRecording, texts: Texts, rows: Int[np.ndarray, " drawn"], parameters: Neurons
) -> pd.DataFrame:
    """One row a head: share of its 1, 2, ... largest neurons and sign consistency."""
    heads = recording.layers * recording.heads
    size = recording.gated.head_size
    most = min(parameters.most_neurons, size)
    values = HeadValues(heads, len(texts.corpus))
    for batch, *scores in recording.scores(rows):
        for place, row in enumerate(batch.rows):
            length = batch.lengths[place]
            own = [side[place, :, :, :length].flatten(0, 1) for side in scores]
            maps = batch.maps[place, :, :, :length, :length].flatten(0, 1)
            shares, consistency = neuron_shares(*own, maps, most)
            for count, share in enumerate(shares.T.cpu().numpy(), 1):
                values.add(f"{SHARE}_{count}", row, share)
            values.add("sign_consistency", row, consistency.cpu().numpy())
    groups = texts.groups[rows]
    columns = recording.places | {"neurons": size}
    for name, of_texts in values.items():
        measured = of_texts[:, rows]
        means = group_means(measured, groups, parameters.resamples, parameters.seed)
        columns |= interval_columns(name, *means)
    return pd.DataFrame(columns)


@contextmanager
def without(recording: LiveRecording, embedding: str | None) -> Iterator[bool]:
    """Put the mean over positions (segments) in the place of each one's embedding.

    The mean and not zero, so that the sum keeps the size that the layer norm after it expects.
    Yields whether the encoder has these embeddings at all.
    """
    embeddings = recording.gated.model.base_model.embeddings
    module = None if embedding is None else getattr(embeddings, embedding, None)
    if not isinstance(module, nn.Embedding) or module.num_embeddings < 2:
        yield False
        return
    before = module.weight.data
    module.weight.data = before.mean(0, keepdim=True).expand_as(before).clone()
    try:
        yield True
    finally:
        module.weight.data = before


def pattern_values(
    recording: LiveRecording, texts: Texts, rows: Int[np.ndarray, " drawn"]
) -> dict[str, Float[np.ndarray, "head text"]]:
    """The strength of every pattern, of every head on each drawn text."""
    found = HeadValues(recording.layers * recording.heads, len(rows))
    place = {row: number for number, row in enumerate(rows)}
    for batch in recording.batches(rows):
        tokens = TextTokens(recording, texts.corpus, batch)
        columns = np.array([place[row] for row in batch.rows])
        for name, values in pattern_strengths(batch, tokens).items():
            found.add(name, columns, values.cpu().numpy())
    return found.known()


def removal_table(
    recording: LiveRecording, texts: Texts, rows: Int[np.ndarray, " drawn"], parameters: Neurons
) -> pd.DataFrame:
    """One row a removed embedding, pattern and head: strength before, and its change."""
    before = pattern_values(recording, texts, rows)
    groups = texts.groups[rows]
    tables = []
    family = recording.gated.family
    removable = {"position": family.position_embeddings, "segment": family.segment_embeddings}
    for removed, attribute in removable.items():
        with without(recording, attribute) as there:
            if not there:
                continue
            after = pattern_values(recording, texts, rows)
        for pattern, strength in before.items():
            columns = recording.places | {"removed": removed, "pattern": pattern}
            change = after[pattern] - strength
            for name, measured in (("strength", strength), ("change", change)):
                means = group_means(measured, groups, parameters.resamples, parameters.seed)
                columns |= interval_columns(name, *means)
            tables.append(pd.DataFrame(columns))
    return pd.concat(tables, ignore_index=True)


def main(corpus: CorpusOption) -> None:
    """Measure which neurons carry the scores of every head on the texts of CORPUS."""
    parameters = section(Neurons, "neurons")
    device = start(read_runtime(), parameters.seed)
    texts = open_texts(corpus)
    rows = drawn_rows(len(texts.corpus), parameters.texts, parameters.seed)
    neurons, removals = [], []
    with torch.inference_mode():
        for recording in texts.recordings(device):
            if not isinstance(recording, LiveRecording):
                raise InputError(
                    f"params.yaml: `neurons.corpora` has {corpus}, whose attention was recorded "
                    "elsewhere; its neurons are not known: remove it"
                )
            neurons.append(neuron_table(recording, texts, rows, parameters))
            removals.append(removal_table(recording, texts, rows, parameters))
    NEURONS.write(neurons, corpus=corpus)
    REMOVED.write(removals, corpus=corpus)


if __name__ == "__main__":
    stage_command(main)
