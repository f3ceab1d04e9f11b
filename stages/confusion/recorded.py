"""Attention of the stimuli that was recorded elsewhere: which maps are of which sentences.

A map is of a sentence if it has the same words, big and small letters alike: a recording need not
know the ids, may have other sentences besides, and may lack some.
"""

from collections import Counter
from collections.abc import Iterable

import numpy as np
import pandas as pd
import typer

from stages.confusion.conditions import conditions_of
from stages.core.intervals.groups import LEAST_GROUPS
from stages.core.recordings.recording import StoredRecording
from stages.core.recordings.store import MapStore
from stages.core.recordings.tokens import recorded_table
from stages.core.stage.arms import RECORDED
from stages.core.stage.files import InputError
from stages.core.stimuli.entries import RecordedAttention
from stages.core.stimuli.store import STIMULI, spelt

Words = tuple[str, ...]


def open_recorded(
    name: str, recorded: RecordedAttention, stimuli: pd.DataFrame
) -> tuple[StoredRecording, pd.DataFrame]:
    """The recorded attention, and the stimuli that it is of, a row each in the same order.

    Args:
        name: of the set, with whose sentences the maps lie.
        stimuli: the sentences with distractors.

    Raises:
        InputError: a sentence was recorded twice or in part, or some condition keeps too few.
    """
    store = MapStore(STIMULI / name / "maps")
    file = f"{recorded.path}/tokens.parquet"
    mend = f"mend that, then run `dvc repro -f stimuli@{name}`"
    wanted = [_key(words) for words in stimuli["words"]]
    known = [_key(word["text"] for word in words) for words in store.tokens["words"]]
    counted = Counter(known)
    if twice := [words for words in wanted if counted[words] > 1]:
        raise InputError(f"{file}: {spelt(twice[0])[0]!r} stands twice; {mend}")
    places = {words: place for place, words in enumerate(known)}
    kept = np.flatnonzero([words in places for words in wanted])
    own = stimuli.iloc[kept].reset_index(drop=True)
    lacking = [words for words in wanted if words not in places]
    if fault := _too_few(stimuli, own):
        raise InputError(f"{file}: it lacks {spelt(lacking[0])[0]!r} and others: {fault}; {mend}")
    rows = [places[wanted[place]] for place in kept]
    tokens = recorded_table(store.tokens).iloc[rows].reset_index(drop=True)
    for words, numbers in zip(own["words"], tokens["word"], strict=True):
        if without := sorted(set(range(len(words))) - set(numbers)):
            raise InputError(
                f"{file}: of {spelt(words)[0]!r} no token is of word {without[0]} "
                f"({words[without[0]]!r}); {mend}"
            )
    typer.echo(
        f"{name}: attention of {recorded.model}, of {len(own)} of {len(stimuli)} sentences with "
        "distractors"
    )
    return StoredRecording(RECORDED, store, tokens), own


def _key(words: Iterable[str]) -> Words:
    return tuple(word.lower() for word in words)


def _too_few(stimuli: pd.DataFrame, own: pd.DataFrame) -> str:
    """Which condition has no interval any more; nothing if each keeps enough nouns for one."""
    left = {one.facts["condition"]: int(one.facts["items"]) for one in conditions_of(own)}
    for one in conditions_of(stimuli):
        name = str(one.facts["condition"])
        enough = min(LEAST_GROUPS, int(one.facts["items"]))
        if left.get(name, 0) < enough:
            return (
                f"condition {name} keeps sentences of {left.get(name, 0)} nouns, and needs those "
                f"of {enough}"
            )
    return ""
