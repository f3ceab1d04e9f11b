"""Dodrio's released attention, in either of its layouts (Wang, Turko and Chau 2021)."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from stages.core.corpora.store import word
from stages.core.encoder.families import WORDPIECE
from stages.core.recordings.tokens import words_of_pieces
from stages.core.stage.files import InputError
from tools.saved_arrays import require_memory, saved_arrays

UNIT = 10_000  # weights of the array file are whole numbers of this part of 1
ARRAYS, TOKENS, PARSES = "sst2_attention_u16.npz", "sst2_tokens.json", "sst2-dependencies.json"
FOLDER, SALIENCY = "sst2-attention-data", "sst2-saliency-list-grad-l1.json"

Reader = Callable[[str], Float[np.ndarray, "layer head query key"]]


def read(source: Path) -> tuple[list[dict[str, Any]], Reader]:
    """The rows of `tokens.parquet`, and what gives the maps of a sentence by its id.

    Raises:
        InputError: the folder has neither layout, or a file of it is damaged.
    """
    if (source / ARRAYS).is_file():
        _require(source, TOKENS, PARSES)
        with _as_released(source / TOKENS):
            sentences = {entry["id"]: entry["tokens"] for entry in _json(source / TOKENS)}
        arrays = saved_arrays(source / ARRAYS)

        def maps_of(identity: str) -> Float[np.ndarray, "layer head query key"]:
            count = len(sentences[int(identity)])
            maps = arrays.get(identity)
            fits = maps is not None and len(maps.shape) == 4 and 0 not in maps.shape
            if not fits or maps.shape[2:] != (count, count):
                raise InputError(f"{source / ARRAYS}: no maps `{identity}` of {count} tokens")
            require_memory(source / ARRAYS, maps.shape, maps.bytes)
            return np.stack(list(maps.rows())).astype(np.float32) / UNIT

    elif (source / FOLDER).is_dir():
        _require(source, SALIENCY, PARSES)
        with _as_released(source / FOLDER):
            numbers = [int(file.stem.removeprefix("attention-")) for file in _files(source)]
        spoken = _json(source / SALIENCY)
        with _as_released(source / SALIENCY):
            if lacking := [number for number in numbers if str(number) not in spoken]:
                raise InputError(f"{source / SALIENCY}: no tokens of sentence {lacking[0]}")
            sentences = {
                number: [entry["token"] for entry in spoken[str(number)]["tokens"]]
                for number in numbers
            }

        def maps_of(identity: str) -> Float[np.ndarray, "layer head query key"]:
            file = source / FOLDER / f"attention-{identity}.json"
            count = len(sentences[int(identity)])
            with _as_released(file):
                maps = np.array(_json(file), np.float32)[..., :count, :count]  # padded to 64
                if maps.ndim != 4 or maps.shape[2:] != (count, count):
                    raise ValueError(f"no maps of {count} tokens")
            return maps

    else:
        raise InputError(
            f"{source}: neither {ARRAYS} nor {FOLDER}/attention-0006.json and so on; name the "
            "folder public/data of Dodrio's repository"
        )
    parses = _json(source / PARSES)
    with _as_released(source / PARSES):
        rows = [
            row(number, tokens, parses.get(str(number))) for number, tokens in sentences.items()
        ]
    return rows, maps_of


@contextmanager
def _as_released(file: Path) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InputError(f"{file}: not as Dodrio has it ({error!r}); copy it again") from None


def row(number: int, tokens: list[str], parse: dict[str, Any] | None) -> dict[str, Any]:
    """A sentence as a row of `tokens.parquet`, with its words where the parse fits them."""
    ends = (0, len(tokens) - 1)  # [CLS] and [SEP]
    numbers = words_of_pieces(tokens, ~np.isin(np.arange(len(tokens)), ends))
    forms = [""] * (max(numbers) + 1)
    for token, place in zip(tokens, numbers, strict=True):
        if place >= 0:
            forms[place] += token.removeprefix(WORDPIECE.continues)
    known = parse["list"] if parse and len(parse["list"]) == len(forms) else []
    if known and sorted(entry["child"] for entry in known) != list(range(len(forms))):
        raise ValueError(f"the parse of sentence {number} does not number its words from 0")
    words = [
        word(
            forms[entry["child"]],
            0,
            head=-1 if entry["parent"] is None else entry["parent"],
            deprel=entry["relation"],
        )
        for entry in sorted(known, key=lambda entry: entry["child"])
    ]
    return {
        "id": f"{number:04d}",
        "tokens": tokens,
        "segments": [0] * len(tokens),
        "word": numbers,
        "words": words,
    }


def _files(source: Path) -> list[Path]:
    return sorted((source / FOLDER).glob("attention-*.json"))


def _require(source: Path, *names: str) -> None:
    for name in names:
        if not (source / name).is_file():
            raise InputError(f"{source}: no file {name}; name the folder of Dodrio's release")


def _json(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file}: not valid JSON ({error}); copy it again") from None
