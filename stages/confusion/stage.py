"""How much distractors confuse attention (Lin et al. 2019, section 4).

From the auxiliary to its subject, and from a reflexive to its antecedent: the share that the right
candidate has of the attention to all candidates, by condition and layer; of the mean over heads, as
the source has it, and of the least confused head, which is chosen on one half of the lexical items
and scored on the other. Intervals draw lexical items.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float

from stages.confusion.conditions import Condition, Resampling, conditions_of
from stages.confusion.recorded import open_recorded
from stages.confusion.scores import all_scores
from stages.confusion.tables import CONDITIONS, EVERY_LAYER, HEADS, LEAST, MEAN
from stages.core.intervals.groups import LEAST_GROUPS
from stages.core.intervals.intervals import percentile_interval
from stages.core.recordings.recording import Recording, Texts
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.arms import CORPUS_ARMS
from stages.core.stage.files import InputError
from stages.core.stage.places import ENCODERS
from stages.core.stage.settings import Resampled, section
from stages.core.stage.tables import interval_columns
from stages.core.stimuli.entries import load_stimuli_entry
from stages.core.stimuli.lexical_items import widened
from stages.core.stimuli.store import STIMULI, corpus_of, read_attention

LONGEST = 64  # tokens; stimuli have fewer than 30

Drawn = tuple[pd.DataFrame, Float[np.ndarray, "column row resample"]]


class Confusion(Resampled, section="confusion"):
    """The section `confusion` of `params.yaml`."""

    sets: list[str]


def condition_rows(
    one: Condition,
    encoder: str,
    heads: str,
    lines: Float[np.ndarray, "place line"],
    best: list[str],
) -> Drawn:
    """Rows of `CONDITIONS`: over all layers, then layer by layer.

    Args:
        lines: the data's values and those on resamples.
        best: of each place.
    """
    values, drawn = lines[:, 0], lines[:, 1:]
    if int(one.facts["items"]) < LEAST_GROUPS:
        drawn = np.full_like(drawn, np.nan)
    limits = np.array([_limits(line) for line in drawn])
    columns = {"encoder": encoder, **one.facts, "heads": heads, "best": best}
    columns |= {"layer": np.arange(len(lines)) + EVERY_LAYER}
    columns |= interval_columns("", values, limits[:, 0], limits[:, 1], "confusion")
    return pd.DataFrame(columns), drawn[None]


def _limits(line: Float[np.ndarray, " resample"]) -> tuple[float, float]:
    known = line[~np.isnan(line)]
    if not len(known):
        return np.nan, np.nan
    low, high = percentile_interval(known)
    return float(low), float(high)


def confusion_tables(
    recording: Recording, stimuli: pd.DataFrame, parameters: Confusion
) -> tuple[Drawn, pd.DataFrame]:
    """The tables `CONDITIONS` and `HEADS` of one encoder.

    Raises:
        InputError: no sentence is of a known condition.
    """
    conditions = conditions_of(stimuli)
    if not conditions:
        raise InputError("the stimuli have no sentence with distractors of a known condition")
    mean, heads = all_scores(recording, stimuli)
    drawn = Resampling(stimuli, parameters.resamples, parameters.seed)
    parts, tables = [], []
    for phenomenon in dict.fromkeys(one.phenomenon for one in conditions):
        own = [one for one in conditions if one.phenomenon == phenomenon]
        overall = head_means(heads, own)
        best = _names_of_best(overall)
        count = drawn.items[phenomenon]
        least = widened(drawn.least_confused(heads, own), count)
        for one, lines in zip(own, least, strict=True):
            of_layers = widened(drawn.means(mean, one.rows).T, count)
            every = np.concatenate([of_layers.mean(0, keepdims=True), of_layers])
            parts.append(condition_rows(one, recording.name, MEAN, every, [""] * len(every)))
            parts.append(condition_rows(one, recording.name, LEAST, lines, best))
        chance = np.mean([one.facts["chance"] for one in own])
        columns = {"phenomenon": phenomenon, "beyond_chance": overall.ravel() - chance}
        tables.append(pd.DataFrame(recording.places | columns))
    rows, resamples = zip(*parts, strict=True)
    both = pd.concat(rows, ignore_index=True), np.concatenate(resamples, axis=1)
    return both, pd.concat(tables, ignore_index=True)


def head_means(
    heads: Float[np.ndarray, "sentence layer head"], conditions: list[Condition]
) -> Float[np.ndarray, "layer head"]:
    """The confusion of each head, mean over conditions, each of which counts alike."""
    return np.mean([heads[one.rows].mean(0) for one in conditions], axis=0)


def _names_of_best(overall: Float[np.ndarray, "layer head"]) -> list[str]:
    """The least confused head of all layers, then that of each layer, as layer-head."""
    layer, head = np.unravel_index(overall.argmin(), overall.shape)
    return [f"{layer}-{head}"] + [f"{place}-{own.argmin()}" for place, own in enumerate(overall)]


def open_stimuli(name: str, device: torch.device) -> tuple[Iterable[Recording], pd.DataFrame]:
    """The attention of every encoder on the sentences with distractors, and these.

    Or, where the set's entry says so, attention of them that was recorded elsewhere.

    Raises:
        InputError: there are none, no encoder to read them, or too few of them recorded.
    """
    stimuli = read_attention(name)
    stimuli = stimuli[stimuli["distractors"] > 0].reset_index(drop=True)
    if recorded := load_stimuli_entry(name).recorded:
        recording, stimuli = open_recorded(name, recorded, stimuli)
        return [recording], stimuli
    encoders = [arm for arm in CORPUS_ARMS if (ENCODERS / arm).is_dir()]
    if not encoders:
        raise InputError(
            f"{ENCODERS}: no encoder to read the stimuli {name}; name some under `encoder.arms` "
            "in params.yaml"
        )
    texts = Texts(corpus_of(stimuli), STIMULI / name, LONGEST, list(encoders))
    return texts.recordings(device), stimuli


def run_stage(stimuli_set: str) -> None:
    """Measure how much the distractors of the stimuli SET confuse every layer and head."""
    parameters = section(Confusion, "confusion")
    device = start(read_runtime(), parameters.seed)
    recordings, stimuli = open_stimuli(stimuli_set, device)
    rows, heads = [], []
    with torch.inference_mode():
        for recording in recordings:
            found, every = confusion_tables(recording, stimuli, parameters)
            rows.append(found)
            heads.append(every)
    tables, drawn = zip(*rows, strict=True)
    CONDITIONS.write(tables, drawn, set=stimuli_set)
    HEADS.write(heads, set=stimuli_set)
