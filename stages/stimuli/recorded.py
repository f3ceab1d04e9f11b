"""Attention that was recorded elsewhere of a set's sentences: whether its folder can be that.

The folder is the one that `stages.core.recordings.store` describes; its `tokens.parquet` has
`words` and `word` as recorded corpora may have them. Which of its maps are of the sentences is
asked by the study that reads them.
"""

import shutil
from pathlib import Path

import numpy as np
from tqdm import tqdm

from stages.core.recordings.store import MapStore
from stages.core.stage.files import InputError, atomic
from stages.core.stage.settings import PARAMETER_FILE
from stages.core.stimuli.entries import RecordedAttention

TOLERANCE = 0.01  # how far a row's sum may be from 1, as of recorded corpora
OF_TOKENS = ("tokens", "segments", "word")  # columns with one entry a token


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
    store = MapStore(folder)
    store.verify()
    _check_tokens(store)
    for identities, maps in tqdm(store.groups(), "maps", unit="length"):
        for identity, weights in zip(identities, maps, strict=True):
            weights = weights.astype(np.float32)
            sums = weights.sum(-1)
            if not ((weights >= 0).all() and (np.abs(sums - 1) <= TOLERANCE).all()):
                raise InputError(
                    f"{folder}: example {identity!r} has rows that do not sum to 1, or weights "
                    "below 0; maps are of shape [layer, head, query, key] after the softmax, "
                    "without padding: record them again"
                )
    return folder


def _check_tokens(store: MapStore) -> None:
    file, tokens = store.folder / "tokens.parquet", store.tokens
    if lacking := [column for column in (*OF_TOKENS, "words") if column not in tokens]:
        raise InputError(
            f"{file}: it has no column `{lacking[0]}`; sentences are found by their words: write "
            "`words` of each example, and `word` of each token"
        )
    if tokens["id"].tolist() != store.ids or tokens["id"].duplicated().any():
        raise InputError(
            f"{file}: its ids are not those of index.parquet in their order, or one stands twice; "
            "write its rows in the order of the index"
        )
    for row, length in zip(tokens.to_dict("records"), store.index["length"], strict=True):
        if fault := _fault(row, int(length)):
            raise InputError(
                f"{file}, example {row['id']!r} ({' '.join(row['tokens'])}): {fault}; mend the row "
                "or leave the example out"
            )


def _fault(row: dict, length: int) -> str:
    """What is wrong with the tokens or words of an example; nothing if they fit its maps."""
    for column in OF_TOKENS:
        if len(row[column]) != length:
            return f"{len(row[column])} entries under `{column}`, but maps of {length} tokens"
    if row["words"] is None or not len(row["words"]):
        return "its words are unknown (`words` is empty)"
    last = len(row["words"]) - 1
    if wrong := [number for number in row["word"] if not -1 <= number <= last]:
        return f"a token belongs to word {wrong[0]}; words are 0 to {last}, and -1 stands for none"
    return ""


def copy_maps(folder: Path, target: Path) -> None:
    """Copy a folder of maps, which appears whole or not at all."""
    with atomic(target) as partial:
        shutil.copytree(folder, partial)
