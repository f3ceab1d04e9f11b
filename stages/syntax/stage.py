"""Which heads find syntactic heads (Clark et al. 2019, section 4.2, Table 1).

For every relation the head and direction that are right most often, against the best fixed offset;
and where such a head looks from words that have no such relation (section 3.2).
"""

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool

from stages.core.intervals.held_out import held_out_within
from stages.core.recordings.recording import Recording, Texts, open_texts
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.settings import section
from stages.syntax.separators import to_separators
from stages.syntax.tables import (
    ALL_LAYERS,
    ALL_RELATIONS,
    ALL_WORDS,
    BEST,
    HEADS,
    POSSESSIVE_CLITIC,
    REPORTED,
    SEPARATORS,
)
from stages.syntax.words import (
    DIRECTIONS,
    Cases,
    Syntax,
    offset_list,
    place_of,
    read_words,
)


def relations_of(cases: Cases, parameters: Syntax) -> dict[str, Bool[np.ndarray, " case"]]:
    """The relations with enough cases, most frequent first, behind all of them together.

    A relation's subtypes (nsubj:pass) stand for themselves.
    """
    every = cases.relation != POSSESSIVE_CLITIC
    counted = every
    if not parameters.punctuation:
        counted = counted & (cases.relation != "punct")
    if parameters.root == "none":
        counted = counted & ~cases.rooted
    found = {ALL_RELATIONS: counted, ALL_WORDS: every}
    single = cases.relation[~cases.rooted if parameters.root == "none" else every]
    names, counts = np.unique(single.astype(str), return_counts=True)
    for place in np.lexsort((names, -counts)):
        if counts[place] >= parameters.least_cases:
            found[names[place]] = cases.relation == names[place]
    return found


def best_heads(
    cases: Cases, recording: Recording, texts: Texts, parameters: Syntax
) -> pd.DataFrame:
    """One row a relation: its best head and direction, held out, beside the best offset.

    The head is chosen among those of all layers and, for the relations that the source reports,
    among those of each layer by itself.
    """
    offsets = offset_list(parameters.offsets)
    per_layer = recording.heads * len(DIRECTIONS)
    every = {ALL_LAYERS: slice(0, recording.layers * per_layer)}
    layers = {
        f"layer {layer}": slice(layer * per_layer, (layer + 1) * per_layer)
        for layer in range(recording.layers)
    }
    groups = texts.groups[cases.text]
    rows = []
    for relation, counted in relations_of(cases, parameters).items():
        sets = every | (layers if relation in REPORTED else {})
        choices = held_out_within(
            cases.hits[counted],
            cases.offset_hits[counted],
            groups[counted],
            list(sets.values()),
            parameters.resamples,
            parameters.seed,
        )
        for within, choice in zip(sets, choices, strict=True):
            rows.append(
                {
                    "arm": recording.name,
                    "relation": relation,
                    "within": within,
                    **place_of(choice.best, recording),
                    "offset": offsets[choice.best_rival],
                    **choice.row(),
                }
            )
    return pd.DataFrame(rows)


def every_head(cases: Cases, recording: Recording, parameters: Syntax) -> pd.DataFrame:
    """One row a relation and head: its accuracy in the better direction, on all cases."""
    tables = []
    for relation, counted in relations_of(cases, parameters).items():
        accuracy = cases.hits[counted].mean(0).reshape(-1, len(DIRECTIONS))
        columns = {
            "relation": relation,
            "direction": np.array(DIRECTIONS)[accuracy.argmax(1)],
            "accuracy": accuracy.max(1),
            "offset_accuracy": cases.offset_hits[counted].mean(0).max(),
            "cases": int(counted.sum()),
        }
        tables.append(pd.DataFrame(recording.head_keys | columns))
    return pd.concat(tables, ignore_index=True)


def run_stage(corpus: str) -> None:
    """Find the best head for every relation in the texts of CORPUS."""
    parameters = section(Syntax, "syntax")
    device = start(read_runtime(), parameters.seed)
    texts = open_texts(corpus)
    best, every, separators = [], [], []
    with torch.inference_mode():
        for recording in texts.recordings(device):
            cases, given = read_words(recording, texts, parameters)
            best.append(best_heads(cases, recording, texts, parameters))
            every.append(every_head(cases, recording, parameters))
            separators.append(to_separators(cases, given, recording, texts, parameters))
    HEADS.write(every, data=corpus)
    BEST.write(best, data=corpus)
    SEPARATORS.write(separators, data=corpus)
