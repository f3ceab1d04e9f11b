"""Bring attention that others recorded into this project's folder of maps (README.md)."""

import json
import re
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import torch
import typer
from jaxtyping import Float
from safetensors.numpy import load_file
from tqdm import tqdm

from stages.core.corpora.store import word
from stages.core.recording_writer import maps_target, write_maps
from stages.core.stage.command import stage_command
from stages.core.stage.files import InputError
from tools import dodrio_release

SHARD_MEGABYTES = 250
TOKENS = "tokens.jsonl"
LAYER = re.compile(r"layer_(\d+)")
READERS: dict[str, Callable[[Path], dict[str, np.ndarray]]] = {
    ".npz": lambda file: dict(np.load(file)),
    ".safetensors": load_file,
}
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
    files = sorted(file for file in source.iterdir() if file.suffix in READERS)
    if not files:
        raise InputError(f"{source}: no *.npz or *.safetensors; save the maps there")
    lengths = tokens["tokens"].map(len).tolist()
    write(target, tokens, _cut(files, lengths, source))
    typer.echo(f"{target}: {len(tokens)} examples")


def write(target: Path, tokens: pd.DataFrame, every: Iterator[Maps]) -> None:
    """Write the maps of each example, in the order of `tokens`."""
    first = next(every)
    layers, heads = first.shape[:2]
    with write_maps(target, tokens, layers, heads, SHARD_MEGABYTES) as writer:
        for number in tqdm(range(len(tokens)), "maps", unit="example"):
            maps = first if number == 0 else next(every)
            for layer in range(layers):
                writer.write(layer, [number], torch.from_numpy(maps[layer][None]))
        next(every, None)  # says so if there are more


def _token_lines(file: Path) -> pd.DataFrame:
    if not file.is_file():
        raise InputError(
            f'{file}: no such file; one line an example: {{"id": ..., "tokens": [..]}}'
        )
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            count = len(row["tokens"])
            segments = list(map(int, row.get("segments", [0] * count)))
            tokens = list(map(str, row["tokens"]))
            rows.append({"id": str(row["id"]), "tokens": tokens, "segments": segments})
            if "words" in row or "word" in row:
                rows[-1] |= {"words": list(map(str, row["words"])), "word": _numbers(row["word"])}
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise InputError(
                f"{file}, line {number}: no JSON object with `id` and `tokens` ({error!r})"
            ) from None
        if len(rows[-1]["segments"]) != count or not count:
            raise InputError(f"{file}, line {number}: every token has one segment, and one has any")
        if rows[-1].keys() != rows[0].keys():
            raise InputError(f"{file}, line {number}: all lines have `words` and `word`, or none")
        if "words" in rows[-1]:
            rows[-1]["words"] = _words(rows[-1], f"{file}, line {number}")
    if not rows:
        raise InputError(f"{file}: no lines; one an example")
    return pd.DataFrame(rows)


def _numbers(of_tokens: list[int | None]) -> list[int]:
    return [-1 if one is None else int(one) for one in of_tokens]


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
    """Yield the maps of every example without padding."""
    done = 0
    for file in files:
        layers = _layers(file)
        count, _, *width = layers[0].shape
        if len({layer.shape for layer in layers}) > 1 or width[0] != width[1]:
            raise InputError(f"{file}: its layers differ in shape, or maps are not square")
        if done + count > len(lengths):
            raise InputError(f"{source / TOKENS}: {len(lengths)} lines, but the maps have more")
        for row in range(count):
            length = lengths[done + row]
            if length > width[0]:
                raise InputError(
                    f"{source / TOKENS}, line {done + row + 1}: {length} tokens, but the maps in "
                    f"{file.name} are of {width[0]}"
                )
            yield np.stack([layer[row, :, :length, :length] for layer in layers]).astype(np.float32)
        done += count
    if done < len(lengths):
        raise InputError(f"{source / TOKENS}: {len(lengths)} lines, but maps of {done} examples")


def _layers(file: Path) -> list[np.ndarray]:
    try:
        arrays = READERS[file.suffix](file)
    except Exception as error:  # zip, pickle and safetensors have errors of their own
        raise InputError(f"{file}: it cannot be read ({error}); save it again") from None
    names = {int(match[1]): name for name in arrays if (match := LAYER.fullmatch(name))}
    if not names or sorted(names) != list(range(len(names))):
        raise InputError(f"{file}: it has {', '.join(arrays)}, not layer_0, layer_1, ...")
    layers = [arrays[names[number]] for number in sorted(names)]
    if any(layer.ndim != 4 for layer in layers):
        raise InputError(f"{file}: its arrays are not of shape [example, head, query, key]")
    return layers


if __name__ == "__main__":
    stage_command(app)
