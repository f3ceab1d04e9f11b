"""What models were trained on before any tuning here, as settings or their files tell it."""

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import typer

from stages.core.corpora.entries import load_corpus_entry
from stages.core.stage.files import InputError
from stages.core.stage.settings import SECTIONS, checked, section
from stages.core.stage.training import Training
from stages.core.stimuli.entries import load_stimuli_entry
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.models import recorded_models, recorded_of_sets
from stages.core.verdicts.setting import UNKNOWN, Unknown

# Of the class of model that config.json names, before and after what sentence-transformers says:
# its encoders often keep the class of the model for masked words that they were made of.
TUNED: dict[str, Training] = {
    r"For(Sequence|Token)Classification$": "classification",
    r"For(QuestionAnswering|MultipleChoice|NextSentencePrediction)$": "other",
}
PRETRAINED: dict[str, Training] = {
    r"^Electra.*ForPreTraining$": "other",  # it tells exchanged words from original ones
    r"For(MaskedLM|PreTraining)$": "masked words",
}
SENTENCES = "modules.json"  # beside an encoder that sentence-transformers wrote


def trainings(
    measures: Measures, models: dict[str, Measures]
) -> dict[str, Training | Unknown | None]:
    """What each of the models of `by_model` was trained on.

    Returns:
        By the model's name; of attention recorded elsewhere as an entry says it. Under the empty
        name, of claims on no model's data, that of the first model.
    """
    entries = [load_corpus_entry(name) for name in recorded_models(measures.corpora)]
    entries += [load_stimuli_entry(name).recorded for name in recorded_of_sets(measures.sets)]
    recorded: dict[str, Training | Unknown] = {entry.model: UNKNOWN for entry in entries}
    recorded |= {entry.model: entry.training for entry in reversed(entries) if entry.training}
    checkpoint = section(dict[str, Any], "checkpoint")
    by_name = {
        name: recorded[name] if name in recorded else training_of(checkpoint) for name in models
    }
    return {"": next(iter(by_name.values()), None), **by_name}


def training_of(checkpoint: dict[str, Any]) -> Training | Unknown:
    """What a checkpoint was trained on before any tuning here.

    Args:
        checkpoint: the section of that name; its key `training` goes before what the files tell.

    Returns:
        `UNKNOWN` where nothing tells it; if that is because the files are gone, it is said.
    """
    from stages.core.checkpoint_source import locate  # its imports take seconds

    try:
        source = checked(SECTIONS["checkpoint"], checkpoint, "`checkpoint`")
        if source.training:
            return source.training
        return training_of_folder(locate(source)) or UNKNOWN
    except (InputError, OSError) as error:
        typer.echo(
            "note: how the checkpoint was trained is not known, as its files are not at hand; "
            f"`checkpoint.training` may say it ({error})"
        )
        return UNKNOWN


def training_of_folder(folder: Path) -> Training | None:
    """What an encoder was trained on, by its config.json and modules.json; None: neither tells."""
    classes = _classes(folder / "config.json")
    if tuned := _first(TUNED, classes):
        return tuned
    if (folder / SENTENCES).is_file():
        return "sentence similarity"
    return _first(PRETRAINED, classes)


def _first(rules: dict[str, Training], classes: list[str]) -> Training | None:
    fitting = (
        training
        for pattern, training in rules.items()
        if any(re.search(pattern, name) for name in classes)
    )
    return next(fitting, None)


def _classes(config: Path) -> list[str]:
    """The classes of models that config.json names; none where it names none."""
    with suppress(OSError, ValueError, RecursionError):
        content = json.loads(config.read_text(encoding="utf-8"))
        named = content.get("architectures") if isinstance(content, dict) else None
        return [name for name in named if isinstance(name, str)] if isinstance(named, list) else []
    return []
