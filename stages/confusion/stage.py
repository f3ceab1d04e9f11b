"""How much distractors confuse attention (Lin et al. 2019, section 4).

An auxiliary looks for its subject, a reflexive for its antecedent. Confusion is minus the binary
logarithm of the right candidate's share of the attention to all candidates, by condition and layer.
It is measured for the mean over heads, as in the source, and for the least confused head, selected
on one half of the lexical items and scored on the other. Resamples draw lexical items.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float

from stages.confusion.conditions import Resampling, StimulusCondition, conditions_of
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
from stages.core.stimuli.entries import load_stimuli_entry
from stages.core.stimuli.lexical_items import widened
from stages.core.stimuli.store import STIMULI, corpus_of, read_attention
from stages.core.tables import estimate_columns

LONGEST = 64  # tokens; stimuli have fewer than 30


class Confusion(Resampled, section="confusion"):
    """The section `confusion` of `params.yaml`."""

    sets: list[str]


def condition_rows(
    condition: StimulusCondition,
    arm: str,
    heads: str,
    lines: Float[np.ndarray, "place line"],
    best: list[str],
) -> pd.DataFrame:
    """Rows of `CONDITIONS`: over all layers, then layer by layer.

    Args:
        lines: the data's values and those on resamples.
        best: the least confused head of each place.
    """
    values, drawn = lines[:, 0], lines[:, 1:]
    if int(condition.facts["items"]) < LEAST_GROUPS:
        drawn = np.full_like(drawn, np.nan)
    low, high = np.array([_limits(line) for line in drawn]).T
    columns = {"arm": arm, **condition.facts, "heads": heads, "best": best}
    columns |= {"layer": np.arange(len(lines)) + EVERY_LAYER}
    return pd.DataFrame(columns | estimate_columns("confusion", values, low, high, drawn))


def _limits(line: Float[np.ndarray, " resample"]) -> tuple[float, float]:
    known = line[~np.isnan(line)]
    if not len(known):
        return np.nan, np.nan
    low, high = percentile_interval(known)
    return float(low), float(high)


def confusion_tables(
    recording: Recording, stimuli: pd.DataFrame, parameters: Confusion
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The tables `CONDITIONS` and `HEADS` of one encoder.

    Raises:
        InputError: no sentence is of a known condition.
    """
    conditions = conditions_of(stimuli)
    if not conditions:
        raise InputError("the stimuli have no sentence with distractors of a known condition")
    mean, heads = all_scores(recording, stimuli)
    drawn = Resampling(stimuli, parameters.resamples, parameters.seed)
    rows, cells = [], []
    for phenomenon in dict.fromkeys(condition.phenomenon for condition in conditions):
        alike = [condition for condition in conditions if condition.phenomenon == phenomenon]
        overall = head_means(heads, alike)
        best = _names_of_best(overall)
        count = drawn.items[phenomenon]
        least = widened(drawn.least_confused(heads, alike), count)
        for condition, lines in zip(alike, least, strict=True):
            of_layers = widened(drawn.means(mean, condition.rows).T, count)
            every = np.concatenate([of_layers.mean(0, keepdims=True), of_layers])
            blank = [""] * len(every)
            rows.append(condition_rows(condition, recording.name, MEAN, every, blank))
            rows.append(condition_rows(condition, recording.name, LEAST, lines, best))
        chance = np.mean([condition.facts["chance"] for condition in alike])
        columns = {"phenomenon": phenomenon, "beyond_chance": overall.ravel() - chance}
        cells.append(pd.DataFrame(recording.head_keys | columns))
    return pd.concat(rows, ignore_index=True), pd.concat(cells, ignore_index=True)


def head_means(
    heads: Float[np.ndarray, "sentence layer head"], conditions: list[StimulusCondition]
) -> Float[np.ndarray, "layer head"]:
    """The confusion of each head, mean over conditions, each of which counts alike."""
    return np.mean([heads[condition.rows].mean(0) for condition in conditions], axis=0)


def _names_of_best(overall: Float[np.ndarray, "layer head"]) -> list[str]:
    """The least confused head of all layers, then that of each layer, as layer-head."""
    layer, head = np.unravel_index(overall.argmin(), overall.shape)
    return [f"{layer}-{head}"] + [
        f"{place}-{heads.argmin()}" for place, heads in enumerate(overall)
    ]


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
            of_conditions, of_heads = confusion_tables(recording, stimuli, parameters)
            rows.append(of_conditions)
            heads.append(of_heads)
    CONDITIONS.write(rows, data=stimuli_set)
    HEADS.write(heads, data=stimuli_set)
