"""Attention that was recorded elsewhere of a set's sentences: whether its folder can be that.

The folder is the one that `stages.core.recordings.store` describes; its `tokens.parquet` has
`words` and `word` as recorded corpora may have them. Which of its maps are of the sentences is
asked by the study that reads them.
"""

from pathlib import Path

from stages.core.recordings.sound import open_sound
from stages.core.recordings.store import TOKENS, MapStore
from stages.core.stage.files import InputError, atomic
from stages.core.stage.settings import PARAMETER_FILE
from stages.core.stimuli.entries import RecordedAttention


def sound_folder(name: str, recorded: RecordedAttention) -> Path:
    """The folder of `stimuli.NAME.recorded`, all of it read once and found to be attention.

    Raises:
        InputError: it is missing or damaged, tokens or words are unknown or do not fit the maps,
            or maps cannot be attention.
    """
    folder = Path(recorded.path)
    if not folder.is_dir():
        raise InputError(
            f"{PARAMETER_FILE}: `stimuli.{name}.recorded.path` is {folder}, which is no folder in "
            f"{Path.cwd()}; name a folder of maps (store.json and its files)"
        )
    # Sentences are found by their words.
    tokens = open_sound(folder, required=("words", "word")).tokens
    for identity, words in zip(tokens["id"], tokens["words"], strict=True):
        words = [] if words is None else words
        texts = [word.get("text") if isinstance(word, dict) else None for word in words]
        if not texts or not all(isinstance(text, str) for text in texts):
            raise InputError(
                f"{folder / TOKENS}, example {identity!r}: its words are unknown, and "
                "sentences are found by their words; mend the row or leave the example out"
            )
    return folder


def copy_maps(folder: Path, target: Path) -> None:
    """Copy a folder of maps, which appears whole or not at all."""
    with atomic(target) as partial:
        MapStore(folder).copy(partial)
