"""The entries of `corpora` in `params.yaml`: where annotated text comes from."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from stages.core.stage.files import InputError
from stages.core.stage.settings import PARAMETER_FILE, Parameters, section
from stages.core.stage.targets import require_plain_name
from stages.core.stage.training import Training


class Drawn(Parameters):
    """Settings of every corpus: how many texts, how long, and the seed of their draw."""

    texts: PositiveInt | None = None
    seed: NonNegativeInt = 0
    max_length: PositiveInt = 128
    # Segment ids of pairs: a number for each text, or, as in Clark et al.'s code, all zero.
    segment_ids: Literal["own", "zero"] = "own"


class WrittenCorpus(Drawn):
    """Generated texts that come with this project, with gold annotation."""

    source: Literal["written"]
    pairs: bool = False  # both texts of a pair together, or each text by itself


class TreebankCorpus(Drawn):
    """Sentences of a treebank: one CoNLL-U file."""

    source: Literal["conllu"]
    path: str


class LitbankCorpus(Drawn):
    """Documents with coreference, a folder of CoNLL files, cut to windows of whole sentences."""

    source: Literal["litbank"]
    path: str


class FramenetCorpus(Drawn):
    """Exemplar sentences of FrameNet 1.5 or 1.7 (Kovaleva et al. 2019, section 4.2)."""

    source: Literal["framenet"]
    path: str  # the release, with the folders frame and lu in it
    longest_sentence: PositiveInt = 12  # words
    longest_element: PositiveInt = 3  # words of a core frame element
    least_distance: PositiveInt = 2  # words between the linked ones


class ParagraphCorpus(Drawn):
    """Plain paragraphs.

    JSON lines, `{"id": ..., "paragraphs": [...]}` an article, or a .txt with a blank line between
    paragraphs.
    """

    source: Literal["paragraphs"]
    path: str
    pairs: bool = True  # two consecutive paragraphs together (Clark et al. 2019, section 3)


class RecordedCorpus(Drawn):
    """Attention recorded elsewhere: a folder of maps (README.md), annotated or not."""

    source: Literal["recorded"]
    path: str
    model: str  # what recorded it, for the report
    # What is known of it beside: claims of a source that measured on another kind say so.
    arm: Literal["untuned", "tuned"] | None = None
    training: Training | None = None
    pairs: bool | None = None


Corpus = Annotated[
    WrittenCorpus
    | TreebankCorpus
    | LitbankCorpus
    | FramenetCorpus
    | ParagraphCorpus
    | RecordedCorpus,
    Field(discriminator="source"),
]


def load_corpus_entry(name: str, file: str | Path = PARAMETER_FILE) -> Corpus:
    """Read the entry `corpora.NAME` of `file`.

    Raises:
        InputError: there is no such corpus, or a key of it is wrong.
    """
    require_plain_name(name, f"{file}: corpus")
    return section(Corpus, f"corpora.{name}", file)


def existing(path: str, key: str, what: str, folder: bool = False) -> Path:
    """The path as given, checked to be a file, or a folder where one is wanted.

    Raises:
        InputError: it is not; the message names the key.
    """
    location = Path(path)
    if not (location.is_dir() if folder else location.is_file()):
        fault = f"not {what}" if location.exists() else f"not in {Path.cwd()}"
        raise InputError(
            f"{PARAMETER_FILE}: `corpora.{key}.path` is {path}, which is {fault}; name {what}"
        )
    return location
