"""What a source measured on, and what a configuration has instead, point by point."""

from typing import Any, Literal

from stages.core.corpora.entries import Corpus
from stages.core.questions.task import QuestionTask
from stages.core.stage.arms import RECORDED, TUNED, UNTUNED
from stages.core.stage.settings import Parameters
from stages.core.stage.training import Training
from stages.core.stimuli.entries import Stimuli
from stages.core.tasks.task import Task

SINGLE_TEXTS = {"sentiment"}  # written tasks whose examples have one text

Text = Literal["natural", "template"]
Unknown = Literal["not known"]
UNKNOWN: Unknown = "not known"  # of attention recorded elsewhere, where nobody says it
Inputs = Literal["single", "pairs", "single and pairs"]


class Setting(Parameters):
    """Texts, inputs and encoder of a measurement; None for what does not matter."""

    text: Text | None = None
    inputs: Inputs | Unknown | None = None
    arm: Literal["untuned", "tuned"] | Unknown | None = None
    training: Training | Unknown | None = None  # of the encoder, before any tuning
    layers: int | None = None

    def with_changes(self, changes: "Setting") -> "Setting":
        """The setting with what `changes` says replaced."""
        return self.model_copy(update=changes.model_dump(exclude_none=True))


WORDS = {
    "text": {"natural": "natural text", "template": "template text"},
    "inputs": {
        "single": "single texts",
        "pairs": "pairs of texts",
        "single and pairs": "both",
        UNKNOWN: "single texts or pairs, which is not known",
    },
    "arm": {
        "untuned": "an untuned encoder",
        "tuned": "a tuned encoder",
        UNKNOWN: "tuned or not is not known",
    },
    "training": {
        "masked words": "an encoder trained on masked words",
        "sentence similarity": "a sentence encoder",
        "classification": "an encoder tuned as a classifier",
        "other": "an encoder trained otherwise",
        UNKNOWN: "how the encoder was trained is not known",
    },
}


def departures(source: Setting, here: Setting) -> list[str]:
    """Say in words where a configuration departs from a source; what either leaves open does not.

    A source of single texts and pairs is met by either of them.
    """
    said = []
    for name in ("training", "layers", "text", "inputs", "arm"):
        wanted, found = getattr(source, name), getattr(here, name)
        if wanted is None or found is None or wanted == found or wanted == "single and pairs":
            continue
        said.append(f"{found} layers" if name == "layers" else WORDS[name][found])
    return said


def setting_of_task(name: str, task: Task) -> Setting:
    """Texts and inputs of a task; what tunes its encoder is the measure's matter."""
    if task.data.source == "written":
        return Setting(text="template", inputs="single" if name in SINGLE_TEXTS else "pairs")
    pairs = task.data.columns.text_b is not None
    return Setting(text="natural", inputs="pairs" if pairs else "single")


def setting_of_stimuli(entry: Stimuli) -> Setting:
    """Texts and inputs of a set of stimuli: single sentences of a grammar, written or released.

    Of recorded attention also what the entry says of the model.
    """
    known: dict[str, Any] = {}
    if recorded := entry.recorded:
        known = {"arm": recorded.arm or UNKNOWN, "training": recorded.training or UNKNOWN}
    return Setting(text="template", inputs="single", **known)


def setting_of_questions(task: QuestionTask) -> Setting:
    """Texts and inputs of a set of questions: a passage, and a question with one of its options."""
    written = task.data.source == "written"
    return Setting(text="template" if written else "natural", inputs="pairs")


def setting_of_corpus(entry: Corpus) -> Setting:
    """Texts and inputs of a corpus; of recorded attention also what its entry says of the model."""
    if entry.source == "recorded":
        inputs = {None: UNKNOWN, True: "pairs", False: "single"}[entry.pairs]
        known = {"arm": entry.arm or UNKNOWN, "training": entry.training or UNKNOWN}
        return Setting(text="natural", inputs=inputs, **known)
    return Setting(
        text="template" if entry.source == "written" else "natural",
        inputs="pairs" if getattr(entry, "pairs", False) else "single",
    )


def merged(settings: list[Setting]) -> Setting:
    """The setting of several tasks or corpora together; what they do not share is left open."""

    def shared(name: str) -> Any:
        values = {getattr(setting, name) for setting in settings}
        if name == "inputs" and len(values) > 1:
            return "single and pairs"
        return values.pop() if len(values) == 1 else None

    return Setting(**{name: shared(name) for name in Setting.model_fields})


def arm_of(arm: str) -> Literal["untuned", "tuned"] | None:
    """An arm as settings tell arms apart; recorded attention may be of either."""
    if arm in (UNTUNED, TUNED):
        return arm
    return None if arm in ("", RECORDED) else "tuned"
