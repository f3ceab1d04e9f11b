"""The models that a configuration measured: its checkpoint, and those recorded elsewhere."""

from typing import Any

from stages.core.corpora.entries import load_corpus_entry
from stages.core.stage.settings import section
from stages.core.verdicts.measures import Measures


def checkpoint_name(checkpoint: dict[str, Any]) -> str:
    """What the encoder of the section `checkpoint` is called: its id, package or folder."""
    return str(checkpoint.get("id") or checkpoint.get("package") or checkpoint["path"])


def recorded_models(corpora: list[str]) -> dict[str, str]:
    """The corpora whose attention was recorded elsewhere, each with the model that it is of."""
    entries = {name: load_corpus_entry(name) for name in corpora}
    return {name: entry.model for name, entry in entries.items() if entry.source == "recorded"}


def by_model(measures: Measures) -> dict[str, Measures]:
    """The measures of each model: the checkpoint's first, where anything was measured of it.

    Heads of two models have the same numbers and nothing else in common.
    """
    recorded = recorded_models(measures.corpora)
    own = [corpus for corpus in measures.corpora if corpus not in recorded]
    found = {}
    if own or measures.tasks or measures.sets or measures.questions:
        name = checkpoint_name(section(dict[str, Any], "checkpoint"))
        found[name] = measures.of(measures.tasks, own, measures.sets, measures.questions)
    for model in dict.fromkeys(recorded.values()):
        theirs = [corpus for corpus, one in recorded.items() if one == model]
        found[model] = measures.of([], theirs)
    return found
