"""What the stages of a pipeline run on: the user's data, or what comes with this project."""

import re
from collections import defaultdict
from typing import Any

from stages.check.configuration import CLASSIFIER
from stages.check.names import CORPORA, STIMULI, TASKS, mapping, names_in

# What a stage of many names calls them, and where these have their entries.
AXES = {"task": TASKS, "corpus": CORPORA, "set": STIMULI, "encoder": "encoders"}
LABELLED_MAPS = "data/patterns"  # from which the classifier learns


def inputs(content: dict[str, Any], pipeline: dict[str, Any]) -> dict[tuple[str, str], list[str]]:
    """The stages that run on each entry, as ("tasks", "relevance"), in the pipeline's order."""
    result = defaultdict(list)
    for stage, values in mapping(mapping(pipeline).get("stages")).items():
        values = mapping(values)
        named = {AXES[axis]: value for axis, value in mapping(values.get("matrix")).items()}
        if isinstance(entries := values.get("foreach"), str):
            named = {entries.strip("${}"): entries}
        for kind, value in named.items():
            for name in _listed(content, value):
                result[kind, name].append(stage)
    return dict(result)


def _listed(content: dict[str, Any], value: Any) -> list[Any]:
    """The names that a pipeline's `${some.key}` stands for."""
    here: Any = content
    for key in re.sub(r"^\$\{|\}$", "", str(value)).split("."):
        here = mapping(here).get(key)
    return list(here) if isinstance(here, dict) else names_in(here)


def of_project(content: dict[str, Any], pipeline: dict[str, Any]) -> dict[str, list[str]]:
    """The stages that rest on none of the user's data, by what they run on, as `tasks.relevance`.

    That is text that was written for this project, and maps that were labelled for it.
    """
    result = {
        f"{kind}.{name}": stages
        for (kind, name), stages in inputs(content, pipeline).items()
        if _is_written(mapping(mapping(content.get(kind)).get(name)))
    }
    learns = CLASSIFIER in mapping(mapping(pipeline).get("stages"))
    return result | ({LABELLED_MAPS: [CLASSIFIER]} if learns else {})


def _is_written(entry: dict[str, Any]) -> bool:
    data = mapping(entry.get("data", entry))
    return data.get("source") == "written" and not entry.get("recorded")
