"""The entries of `stimuli` in `params.yaml`: where sentences of known structure come from."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from stages.core.stage.settings import PARAMETER_FILE, SECTIONS, Parameters, section
from stages.core.stage.targets import require_plain_name
from stages.core.stage.training import Training


class RecordedAttention(Parameters):
    """Attention recorded elsewhere of a set's sentences: a folder of maps whose words are known."""

    path: str
    model: str  # what recorded it, for the report
    # What is known of it beside: claims of a source that measured on another kind say so.
    arm: Literal["untuned", "tuned"] | None = None
    training: Training | None = None


class Sentences(Parameters):
    """What every set may have."""

    train: PositiveInt | None = None  # sentences of each probe, at most; null: all
    test: PositiveInt | None = None  # sentences of each probe and part that is no training
    sentences: PositiveInt | None = None  # of each condition whose attention is read
    seed: NonNegativeInt = 0  # of the draw
    # In place of the encoders: then the set has no sentences for probes, which read states.
    recorded: RecordedAttention | None = None


class WrittenStimuli(Sentences):
    """Generated sentences that come with this project, in `data/written/`."""

    source: Literal["written"]
    full_stop: bool = True


class ReleasedStimuli(Sentences):
    """The authors' release: the folder with `data_agr`, `data_refl`, `data_aux` and `data_sbjn`."""

    source: Literal["release"]
    path: str
    full_stop: bool = False  # the release has none


Stimuli = Annotated[WrittenStimuli | ReleasedStimuli, Field(discriminator="source")]
SECTIONS["stimuli"] = dict[str, Stimuli]


def load_stimuli_entry(name: str, file: str | Path = PARAMETER_FILE) -> Any:
    """Read the entry `stimuli.NAME` of `file`.

    Raises:
        InputError: there is no such entry, or a key of it is wrong.
    """
    require_plain_name(name, f"{file}: stimuli")
    return section(Stimuli, f"stimuli.{name}", file)
