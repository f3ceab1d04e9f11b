"""How a head computes its pattern (Vig 2019, part two).

The score of a query and a key is the sum over neurons of q x k. How few neurons carry it, whether
they have the same sign everywhere or change it across sentences, and what is left of each pattern
without position or segment embeddings. Heads stand for a pattern that follow it most on one half of
the texts; they are measured on the other half.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int
from pydantic import PositiveFloat, PositiveInt
from torch import nn

from stages.core.intervals.groups import group_means
from stages.core.intervals.intervals import percentile_interval
from stages.core.maps.accumulated import HeadValues
from stages.core.maps.chosen_heads import held_out_heads, strongest
from stages.core.maps.vig_patterns import TextTokens, pattern_strengths
from stages.core.recordings.recording import LiveRecording, Texts, open_texts
from stages.core.recordings.tokens import Special
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.files import InputError
from stages.core.stage.settings import Resampled, section
from stages.core.tables import drawn_of, estimate_columns
from stages.core.tasks.examples import drawn_rows
from stages.neurons.parts import (
    attended_parts,
    key_offsets,
    neuron_shares,
    positive_products,
    sep_to_cls,
)
from stages.neurons.tables import CHOSEN, NEURONS, REMOVED, SHARE, STRENGTH, WITHOUT

OfTexts = dict[str, Float[np.ndarray, "head text"]]
LEAST_HEADS = 3  # that stand for a pattern


class Neurons(Resampled, section="neurons"):
    """The section `neurons` of `params.yaml`."""

    corpora: list[str]
    texts: PositiveInt | None
    most_neurons: PositiveInt
    few_neurons: PositiveInt
    pattern_heads: PositiveFloat


def neuron_values(
    recording: LiveRecording, texts: Texts, rows: Int[np.ndarray, " drawn"], parameters: Neurons
) -> OfTexts:
    """What every head's neurons do on each drawn text.

    The share of its 1, 2, ... largest neurons, the consistency of their signs, positive products
    at the largest within segments and across, and what [SEP] gives to [CLS].
    """
    size = recording.gated.head_size
    most, few = (min(count, size) for count in (parameters.most_neurons, parameters.few_neurons))
    values = HeadValues(recording.layers * recording.heads, len(rows))
    column = {row: number for number, row in enumerate(rows)}
    offsets = key_offsets(recording.gated)
    for batch, *scores in recording.scores(rows):
        tokens = TextTokens(recording, texts.corpus, batch)
        for place, row in enumerate(batch.rows):
            length = batch.lengths[place]
            queries, keys = (side[place, :, :, :length].flatten(0, 1) for side in scores)
            maps = batch.maps[place, :, :, :length, :length].flatten(0, 1)
            special, segments = (part[place, :length] for part in (tokens.special, tokens.segment))
            cls, sep, words = (special == one for one in (Special.CLS, Special.SEP, Special.NONE))
            parts = attended_parts(queries, keys, maps)
            shares, consistency = neuron_shares(parts, most)
            within, across = positive_products(parts, queries, keys + offsets, words, segments, few)
            found = {f"{SHARE}_{count}": share for count, share in enumerate(shares.T, 1)}
            found |= {"sign_consistency": consistency}
            found |= {"positive_within": within, "positive_across": across}
            found |= {"sep_to_cls": sep_to_cls(maps, sep, cls)}
            for name, of_heads in found.items():
                values.add(name, column[row], of_heads.cpu().double().numpy())
    return values.known()


def neuron_table(
    recording: LiveRecording,
    values: OfTexts,
    groups: Int[np.ndarray, " text"],
    parameters: Neurons,
) -> pd.DataFrame:
    """One row a head: share of its 1, 2, ... largest neurons and sign consistency."""
    columns = recording.head_keys | {"neurons": recording.gated.head_size}
    for name, of_texts in values.items():
        if name == "sign_consistency" or name.startswith(SHARE):
            means = group_means(of_texts, groups, parameters.resamples, parameters.seed)
            columns |= estimate_columns(name, *means)
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
) -> OfTexts:
    """The strength of every pattern, of every head on each drawn text."""
    found = HeadValues(recording.layers * recording.heads, len(rows))
    place = {row: number for number, row in enumerate(rows)}
    for batch in recording.batches(rows):
        tokens = TextTokens(recording, texts.corpus, batch)
        columns = np.array([place[row] for row in batch.rows])
        for name, values in pattern_strengths(batch, tokens).items():
            found.add(name, columns, values.cpu().double().numpy())
    return found.known()


def removed_values(
    recording: LiveRecording, texts: Texts, rows: Int[np.ndarray, " drawn"]
) -> dict[str, OfTexts]:
    """As `pattern_values`, without each kind of embeddings that the encoder has."""
    family = recording.gated.family
    removable = {"position": family.position_embeddings, "segment": family.segment_embeddings}
    found = {}
    for removed, attribute in removable.items():
        with without(recording, attribute) as there:
            if there:
                found[removed] = pattern_values(recording, texts, rows)
    return found


def removal_table(
    recording: LiveRecording,
    before: OfTexts,
    after: dict[str, OfTexts],
    groups: Int[np.ndarray, " text"],
    parameters: Neurons,
) -> pd.DataFrame:
    """One row a removed embedding, pattern and head: strength before, and its change."""
    tables = []
    for removed, values in after.items():
        for pattern, strength in before.items():
            columns = recording.head_keys | {"removed": removed, "pattern": pattern}
            change = values[pattern] - strength
            for name, measured in (("strength", strength), ("change", change)):
                means = group_means(measured, groups, parameters.resamples, parameters.seed)
                columns |= estimate_columns(name, *means)
            tables.append(pd.DataFrame(columns))
    return pd.concat(tables, ignore_index=True)


def chosen_table(
    name: str,
    choosing: OfTexts,
    measured: dict[str, OfTexts],
    groups: Int[np.ndarray, " text"],
    parameters: Neurons,
) -> pd.DataFrame:
    """One row a pattern and measure: the mean over the heads that other texts chose.

    Args:
        name: of the encoder that `measured` is of.
        choosing: the strengths of every pattern by which heads are chosen.
        measured: for each pattern what is measured of its heads.
    """
    rows = []
    for pattern, strength in choosing.items():
        count = max(LEAST_HEADS, round(parameters.pattern_heads * len(strength)))
        found = held_out_heads(
            strength,
            strongest(count),
            list(measured[pattern].values()),
            groups,
            parameters.resamples,
            parameters.seed,
        )
        for measure, values, line in zip(
            measured[pattern], measured[pattern].values(), found.means, strict=True
        ):
            low, high = percentile_interval(line[1:])
            rows.append(
                {
                    "arm": name,
                    "pattern": pattern,
                    "measure": measure,
                    **estimate_columns("score", line[0], low, high),
                    drawn_of("score"): line[1:],
                    "heads": found.heads[0],
                    "texts": int((~np.isnan(values)).any(0).sum()),
                }
            )
    return pd.DataFrame(rows)


def run_stage(corpus: str) -> None:
    """Measure which neurons carry the scores of every head on the texts of CORPUS."""
    parameters = section(Neurons, "neurons")
    device = start(read_runtime(), parameters.seed)
    texts = open_texts(corpus)
    rows = drawn_rows(len(texts.corpus), parameters.texts, parameters.seed)
    rest = (texts.groups[rows], parameters)
    neurons, removals, chosen = [], [], []
    choosing: OfTexts | None = None
    with torch.inference_mode():
        for recording in texts.recordings(device):
            if not isinstance(recording, LiveRecording):
                raise InputError(
                    f"params.yaml: `neurons.corpora` has {corpus}, whose attention was recorded "
                    "elsewhere; its neurons are not known: remove it"
                )
            values = neuron_values(recording, texts, rows, parameters)
            before = pattern_values(recording, texts, rows)
            after = removed_values(recording, texts, rows)
            choosing = before if choosing is None else choosing
            measured = {
                pattern: {
                    STRENGTH: strength,
                    **{f"{WITHOUT}_{removed}": found[pattern] for removed, found in after.items()},
                    **values,
                }
                for pattern, strength in before.items()
            }
            neurons.append(neuron_table(recording, values, *rest))
            removals.append(removal_table(recording, before, after, *rest))
            chosen.append(chosen_table(recording.name, choosing, measured, *rest))
    NEURONS.write(neurons, data=corpus)
    REMOVED.write(removals, data=corpus)
    CHOSEN.write(chosen, data=corpus)
