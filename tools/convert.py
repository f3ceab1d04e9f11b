"""Bring attention that others recorded into this project's folder of maps (README.md)."""

import json
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import torch
import typer
from tqdm import tqdm

from stages.core.corpora.store import word
from stages.core.encoder.families import WORDPIECE
from stages.core.recordings.store import write_maps
from stages.core.recordings.tokens import words_of_pieces
from stages.core.stage.command import stage_command
from stages.core.stage.files import InputError

SHARD_MEGABYTES = 250
DODRIO_UNIT = 10_000  # Dodrio's weights are whole numbers of this part of 1
DODRIO_FILES = ("sst2_attention_u16.npz", "sst2_tokens.json", "sst2-dependencies.json")

app = typer.Typer(add_completion=False, help=__doc__)


@app.callback()
def converters() -> None:
    """One command for each form in which attention was published."""


@app.command()
def dodrio(
    source: Annotated[Path, typer.Argument(help="folder with Dodrio's attention, tokens, parses")],
    target: Annotated[Path, typer.Argument(help="folder of maps to write")],
) -> None:
    """Dodrio's maps (Wang, Turko and Chau 2021): bert-base-uncased tuned on SST-2, 150 sentences.

    Weights were rounded to four places by the authors, so rows add up to 1 within 0.0012. A
    sentence whose parse has another number of words than its tokens keeps its maps and loses its
    parse.
    """
    for name in DODRIO_FILES:
        if not (source / name).is_file():
            raise InputError(f"{source}: no file {name}; name the folder of Dodrio's release")
    sentences = json.loads((source / DODRIO_FILES[1]).read_text(encoding="utf-8"))
    parses = json.loads((source / DODRIO_FILES[2]).read_text(encoding="utf-8"))
    rows = [dodrio_row(sentence, parses.get(str(sentence["id"]))) for sentence in sentences]
    tokens = pd.DataFrame(rows)
    with np.load(source / DODRIO_FILES[0]) as weights:
        layers, heads = weights[tokens["id"][0]].shape[:2]
        with write_maps(target, tokens, layers, heads, SHARD_MEGABYTES) as writer:
            for number, identity in enumerate(tqdm(tokens["id"], "maps", unit="sentence")):
                maps = torch.from_numpy(weights[identity].astype(np.float32) / DODRIO_UNIT)
                for layer in range(layers):
                    writer.write(layer, [number], maps[layer][None])
    lost = int((tokens["words"].map(len) == 0).sum())
    typer.echo(f"{target}: {len(tokens)} sentences, {lost} of them without a parse that fits")


def dodrio_row(sentence: dict[str, Any], parse: dict[str, Any] | None) -> dict[str, Any]:
    """A sentence as a row of `tokens.parquet`, with its words where the parse fits them."""
    tokens = sentence["tokens"]
    ends = (0, len(tokens) - 1)  # [CLS] and [SEP]
    numbers = words_of_pieces(tokens, ~np.isin(np.arange(len(tokens)), ends))
    forms = [""] * (max(numbers) + 1)
    for token, number in zip(tokens, numbers, strict=True):
        if number >= 0:
            forms[number] += token.removeprefix(WORDPIECE.continues)
    known = parse["list"] if parse and len(parse["list"]) == len(forms) else []
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
        "id": f"{sentence['id']:04d}",
        "tokens": tokens,
        "segments": [0] * len(tokens),
        "word": numbers,
        "words": words,
    }


if __name__ == "__main__":
    stage_command(app)
