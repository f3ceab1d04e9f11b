"""Bring attention that others recorded into this project's folder of maps (docs/texts.md)."""

import re
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import torch
import typer
from jaxtyping import Float
from tqdm import tqdm

from stages.core.corpora.store import word
from stages.core.lines import JsonLine, json_objects
from stages.core.recording_writer import maps_target, write_maps
from stages.core.recordings.sound import check_maps, check_tokens
from stages.core.recordings.store import MapStore
from stages.core.stage.command import stage_command
from stages.core.stage.files import InputError, atomic
from stages.core.tasks.texts import fault_of_text, has_half, identity_of, shown
from tools import dodrio_release
from tools.saved_arrays import SavedArray, require_memory, saved_arrays

SHARD_MEGABYTES = 250
TOKENS = "tokens.jsonl"
LAYER = re.compile(r"layer_(\d+)")
SUFFIXES = (".npz", ".safetensors")
Source = Annotated[Path, typer.Argument(help="folder with what was recorded")]
Target = Annotated[Path, typer.Argument(help="folder of maps to write")]
Maps = Float[np.ndarray, "layer head query key"]

app = typer.Typer(add_completion=False, help=__doc__)


@app.callback()
def converters() -> None:
    """One command for each form in which attention was recorded."""


@app.command()
def dodrio(source: Source, target: Target) -> None:
    """Dodrio's maps (Wang, Turko and Chau 2021): bert-base-uncased tuned on SST-2.

    SOURCE is `public/data` of its repository (sst2-attention-data/attention-0006.json and so on,
    sst2-saliency-list-grad-l1.json, which has the tokens, and sst2-dependencies.json), or a folder
    with its arrays, tokens and parses (sst2_attention_u16.npz, sst2_tokens.json,
    sst2-dependencies.json).

    Weights were rounded to four places by the authors, so rows add up to 1 within 0.0012. A
    sentence whose parse has another number of words than its tokens keeps its maps and loses its
    parse.
    """
    maps_target(target, [source])
    rows, maps_of = dodrio_release.read(source)
    tokens = pd.DataFrame(rows)
    write(target, tokens, (maps_of(identity) for identity in tokens["id"]))
    lost = int((tokens["words"].map(len) == 0).sum())
    typer.echo(f"{target}: {len(tokens)} sentences, {lost} of them without a parse that fits")


@app.command()
def attentions(source: Source, target: Target) -> None:
    """Maps as transformers gives them with `output_attentions=True`, saved by anyone.

    SOURCE is a folder with `*.npz` or `*.safetensors`, read in the order of their names. Each has
    the arrays `layer_0`, `layer_1`, ... of shape [example, head, query, key], padded at the end or
    not. Beside them `tokens.jsonl` has one line an example, in the same order: `id`, `tokens`
    (without padding) and, for pairs, `segments` (0 and 1); where the confusion score is to read
    them, in every line `words` and, for each token, `word`: as the tokenizer's `word_ids()` has it,
    the number of its word, null for [CLS] and [SEP].
    """
    maps_target(target, [source])
    tokens = _token_lines(source / TOKENS)
    # Those of macOS whose names begin with a dot, as `._a.npz`, have no maps.
    named = (file for file in source.iterdir() if not file.name.startswith("."))
    files = sorted(file for file in named if file.suffix in SUFFIXES)
    if not files:
        raise InputError(f"{source}: no *.npz or *.safetensors; save the maps there")
    lengths = tokens["tokens"].map(len).tolist()
    write(target, tokens, _cut(files, lengths, source))
    typer.echo(f"{target}: {len(tokens)} examples")


def write(target: Path, tokens: pd.DataFrame, every: Iterator[Maps]) -> None:
    """Write the maps of each example, in the order of `tokens`.

    Raises:
        InputError: they cannot be attention, or fit neither each other nor their tokens; nothing is
            written then.
    """
    with atomic(maps_target(target)) as partial:
        _write(partial, tokens, every)
        try:
            store = MapStore(partial)
            check_tokens(store)
            check_maps(store)
        except InputError as fault:
            told = str(fault).replace(str(partial), str(target))
            raise InputError(f"nothing is written: {told}") from None


def _write(folder: Path, tokens: pd.DataFrame, every: Iterator[Maps]) -> None:
    first = next(every)
    layers, heads = first.shape[:2]
    with write_maps(folder, tokens, layers, heads, SHARD_MEGABYTES) as writer:
        for number in tqdm(range(len(tokens)), "maps", unit="example"):
            maps = first if number == 0 else next(every)
            if maps.shape[:2] != (layers, heads):
                raise InputError(
                    f"example {tokens['id'][number]!r} has maps of {len(maps)} layers of "
                    f"{maps.shape[1]} heads, those before have {layers} of {heads}; convert the "
                    "maps of one model alone"
                )
            for layer in range(layers):
                writer.write(layer, [number], torch.from_numpy(maps[layer][None]))
        next(every, None)  # says so if there are more


def _token_lines(file: Path) -> pd.DataFrame:
    if not file.is_file():
        raise InputError(
            f'{file}: no such file; one line an example: {{"id": ..., "tokens": [..]}}'
        )
    rows: list[dict[str, Any]] = []
    for line in json_objects(file):
        where = f"{file}, line {line.number}"
        try:
            row = _token_row(line)
        except ValueError as fault:
            raise InputError(f"{where}: no JSON object with `id` and `tokens` ({fault})") from None
        rows.append(row)
        if len(row["segments"]) != len(row["tokens"]) or not row["tokens"]:
            raise InputError(f"{where}: every token has one segment, and one has any")
        if row.keys() != rows[0].keys():
            raise InputError(f"{where}: all lines have `words` and `word`, or none")
        if "words" in row:
            row["words"] = _words(row, where)
    if not rows:
        raise InputError(f"{file}: no lines; one an example")
    return pd.DataFrame(rows)


def _token_row(line: JsonLine) -> dict[str, Any]:
    """The tokens of a line, checked.

    Raises:
        ValueError: a key is missing, or has values of another kind.
    """
    values = line.values
    if values is None:
        raise ValueError(line.fault)
    tokens = _texts(values, "tokens")
    segments = _numbers(values, "segments") if "segments" in values else [0] * len(tokens)
    if not {0, 1}.issuperset(segments):
        raise ValueError("`segments` has other numbers than 0 and 1")
    row = {"id": identity_of(values.get("id")), "tokens": tokens, "segments": segments}
    if "words" in values or "word" in values:
        row["words"] = _texts(values, "words")
        row["word"] = [-1 if number is None else number for number in _numbers(values, "word")]
    return row


def _texts(values: dict[str, Any], key: str) -> list[str]:
    texts = values.get(key)
    if not isinstance(texts, list):
        raise ValueError(f"`{key}` is {shown(texts)}, not a list of texts")
    for text in texts:
        # A token may be a blank, as U+2028.
        if not isinstance(text, str) or not text or has_half(text):
            raise ValueError(f"`{key}` has {fault_of_text(text)}")
    return texts


def _numbers(values: dict[str, Any], key: str) -> list[int | None]:
    """Whole numbers and, for a token of no word, null."""
    numbers = values.get(key)
    none = (type(None),) if key == "word" else ()
    if not isinstance(numbers, list):
        raise ValueError(f"`{key}` is {shown(numbers)}, not a list of numbers")
    for number in numbers:
        whole = isinstance(number, float) and number.is_integer()  # as pandas writes them
        if not whole and type(number) not in (int, *none):
            raise ValueError(f"`{key}` has {shown(number)}, which is no whole number")
    return [None if number is None else int(number) for number in numbers]


def _words(row: dict[str, Any], where: str) -> list[dict]:
    """The words of an example, each with the segment of its tokens and its place in the text."""
    known = range(len(row["words"]))
    if len(row["word"]) != len(row["tokens"]) or not {-1, *known}.issuperset(row["word"]):
        raise InputError(
            f"{where}: `word` has one number a token, of one of the {len(known)} `words` or null"
        )
    segments = dict(zip(row["word"], row["segments"], strict=True))
    starts = accumulate((len(text) + 1 for text in row["words"]), initial=0)
    return [
        word(text, start, segments.get(number, 0))
        for number, (text, start) in enumerate(zip(row["words"], starts, strict=False))
    ]


def _cut(files: list[Path], lengths: list[int], source: Path) -> Iterator[Maps]:
    """Yield the maps of every example without padding; one example is in memory at a time."""
    done = 0
    for file in files:
        layers = _layers(file)
        count, width = layers[0].shape[0], layers[0].shape[-1]
        if done + count > len(lengths):
            raise InputError(f"{source / TOKENS}: {len(lengths)} lines, but the maps have more")
        for row, maps in enumerate(zip(*(layer.rows() for layer in layers), strict=True)):
            length = lengths[done + row]
            if length > width:
                raise InputError(
                    f"{source / TOKENS}, line {done + row + 1}: {length} tokens, but the maps in "
                    f"{file.name} are of {width}"
                )
            yield np.stack([layer[:, :length, :length] for layer in maps]).astype(np.float32)
        done += count
    if done < len(lengths):
        raise InputError(f"{source / TOKENS}: {len(lengths)} lines, but maps of {done} examples")


def _layers(file: Path) -> list[SavedArray]:
    arrays = saved_arrays(file, LAYER)
    names = sorted((int(match[1]), name) for name in arrays if (match := LAYER.fullmatch(name)))
    if not names or [number for number, _ in names] != list(range(len(names))):
        raise InputError(f"{file}: it has {', '.join(arrays)}, not layer_0, layer_1, ...")
    layers = [arrays[name] for _, name in names]
    if any(len(layer.shape) != 4 for layer in layers):
        raise InputError(f"{file}: its arrays are not of shape [example, head, query, key]")
    shape = layers[0].shape
    if len({layer.shape for layer in layers}) > 1 or shape[2] != shape[3]:
        raise InputError(f"{file}: its layers differ in shape, or maps are not square")
    if not shape[1]:
        raise InputError(f"{file}: its arrays are of shape {list(shape)}, without a head")
    require_memory(file, shape, sum(layer.bytes for layer in layers) // max(shape[0], 1))
    return layers


if __name__ == "__main__":
    stage_command(app)
