"""The models that a configuration measured: its checkpoint, and those recorded elsewhere."""

from typing import Any

from stages.core.corpora.entries import load_corpus_entry
from stages.core.stage.settings import section
from stages.core.stimuli.entries import load_stimuli_entry
from stages.core.verdicts.measures import Measures


def checkpoint_name(checkpoint: dict[str, Any]) -> str:
    """What the encoder of the section `checkpoint` is called: its id, package or folder."""
    return str(checkpoint.get("id") or checkpoint.get("package") or checkpoint["path"])


def recorded_models(corpora: list[str]) -> dict[str, str]:
    """The corpora whose attention was recorded elsewhere, each with the model that it is of."""
    entries = {name: load_corpus_entry(name) for name in corpora}
    return {name: entry.model for name, entry in entries.items() if entry.source == "recorded"}


def recorded_of_sets(sets: list[str]) -> dict[str, str]:
    """As `recorded_models`, of sets of stimuli."""
    entries = {name: load_stimuli_entry(name).recorded for name in sets}
    return {name: recorded.model for name, recorded in entries.items() if recorded}


def by_model(measures: Measures) -> dict[str, Measures]:
    """The measures of each model: the checkpoint's first, where anything was measured of it.

    Heads of two models have the same numbers and nothing else in common.
    """
    recorded, of_sets = recorded_models(measures.corpora), recorded_of_sets(measures.sets)
    own = [corpus for corpus in measures.corpora if corpus not in recorded]
    sets = [name for name in measures.sets if name not in of_sets]
    found = {}
    if own or measures.tasks or sets or measures.questions:
        name = checkpoint_name(section(dict[str, Any], "checkpoint"))
        found[name] = measures.of(measures.tasks, own, sets, measures.questions)
    for model in dict.fromkeys([*recorded.values(), *of_sets.values()]):
        theirs = ([name for name, one in of.items() if one == model] for of in (recorded, of_sets))
        found[model] = measures.of([], *theirs)
    return found
