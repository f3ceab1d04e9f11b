"""The entries of `stimuli` in `params.yaml`: where sentences of known structure come from."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from stages.core.stage.settings import PARAMETER_FILE, SECTIONS, Parameters, section
from stages.core.stage.targets import require_plain


class RecordedAttention(Parameters):
    """Attention recorded elsewhere of a set's sentences: a folder of maps whose words are known."""

    path: str
    model: str  # what recorded it, for the report
    # What is known of it beside: claims of a source that measured on another kind say so.
    arm: Literal["untuned", "tuned"] | None = None
    training: Literal["masked words", "sentence similarity", "other"] | None = None


class Sentences(Parameters):
    """What every set may have."""

    # In place of the encoders: then the set has no sentences for probes, which read states.
    recorded: RecordedAttention | None = None


class WrittenStimuli(Sentences):
    """Sentences of this project's grammar, of the words in `data/stimuli/words.yaml`."""

    source: Literal["written"]
    train: PositiveInt  # sentences of each probe
    test: PositiveInt  # sentences of each probe and part that is no training
    sentences: PositiveInt  # of each condition whose attention is read
    full_stop: bool = True
    seed: NonNegativeInt


class ReleasedStimuli(Sentences):
    """The authors' release: the folder with `data_agr`, `data_refl`, `data_aux` and `data_sbjn`."""

    source: Literal["release"]
    path: str
    train: PositiveInt | None = None  # as above, at most; null: all of a file
    test: PositiveInt | None = None
    sentences: PositiveInt | None = None
    full_stop: bool = False  # the release has none
    seed: NonNegativeInt = 0  # of the draw


Stimuli = Annotated[WrittenStimuli | ReleasedStimuli, Field(discriminator="source")]
SECTIONS["stimuli"] = dict[str, Stimuli]


def load_stimuli_entry(name: str, file: str | Path = PARAMETER_FILE) -> Any:
    """Read the entry `stimuli.NAME` of `file`.

    Raises:
        InputError: there is no such entry, or a key of it is wrong.
    """
    require_plain(name, f"{file}: stimuli")
    return section(Stimuli, f"stimuli.{name}", file)
