"""Find the stimuli among the texts of attention that was recorded elsewhere.

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
    numbers = {words: number for number, words in enumerate(known)}
    covered = np.flatnonzero([words in numbers for words in wanted])
    recorded_stimuli = stimuli.iloc[covered].reset_index(drop=True)
    lacking = [words for words in wanted if words not in numbers]
    if fault := _too_few(stimuli, recorded_stimuli):
        raise InputError(f"{file}: it lacks {spelt(lacking[0])[0]!r} and others: {fault}; {mend}")
    rows = [numbers[wanted[row]] for row in covered]
    tokens = recorded_table(store.tokens).iloc[rows].reset_index(drop=True)
    for words, of_tokens in zip(recorded_stimuli["words"], tokens["word"], strict=True):
        if without := sorted(set(range(len(words))) - set(of_tokens)):
            raise InputError(
                f"{file}: of {spelt(words)[0]!r} no token is of word {without[0]} "
                f"({words[without[0]]!r}); {mend}"
            )
    typer.echo(
        f"{name}: attention of {recorded.model}, of {len(recorded_stimuli)} of {len(stimuli)} "
        "sentences with "
        "distractors"
    )
    return StoredRecording(RECORDED, store, tokens), recorded_stimuli


def _key(words: Iterable[str]) -> Words:
    return tuple(word.lower() for word in words)


def _too_few(stimuli: pd.DataFrame, recorded: pd.DataFrame) -> str:
    """Which condition has no interval any more; nothing if each keeps enough nouns for one."""
    left = {
        condition.facts["condition"]: int(condition.facts["items"])
        for condition in conditions_of(recorded)
    }
    for condition in conditions_of(stimuli):
        name = str(condition.facts["condition"])
        enough = min(LEAST_GROUPS, int(condition.facts["items"]))
        if left.get(name, 0) < enough:
            return (
                f"condition {name} keeps sentences of {left.get(name, 0)} nouns, and needs those "
                f"of {enough}"
            )
    return ""
