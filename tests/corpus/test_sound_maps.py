"""Recorded maps with right checksums, which cannot be attention or are not their tokens'."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from stages.core.corpora.entries import RecordedCorpus
from stages.core.recording_writer import write_maps
from stages.core.recordings.store import MapStore
from stages.core.stage.files import InputError
from stages.corpus import recorded

LENGTHS = {"a": 4, "b": 6, "c": 4}
LAYERS, HEADS = 3, 2


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Random maps of three examples."""
    tokens = {
        "id": list(LENGTHS),
        "tokens": [["[CLS]", *["word"] * (length - 2), "[SEP]"] for length in LENGTHS.values()],
        "segments": [[0] * length for length in LENGTHS.values()],
        "word": [[-1, *range(length - 2), -1] for length in LENGTHS.values()],
    }
    generator = torch.Generator().manual_seed(0)
    with write_maps(tmp_path / "maps", pd.DataFrame(tokens), LAYERS, HEADS, 1) as writer:
        for row, length in enumerate(LENGTHS.values()):
            scores = torch.randn(LAYERS, 1, HEADS, length, length, generator=generator)
            for layer, weights in enumerate(scores.softmax(-1)):
                writer.write(layer, [row], weights)
    return tmp_path / "maps"


def sign(folder: Path) -> None:
    """Write the sizes and checksums of what is there now."""
    file = folder / "store.json"
    header = json.loads(file.read_text())
    for entry in header["files"]:
        content = (folder / entry["name"]).read_bytes()
        entry |= {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    file.write_text(json.dumps(header))


def read(folder: Path) -> pd.DataFrame:
    return recorded.read("own", RecordedCorpus(source="recorded", path=str(folder), model="other"))


def test_sound_maps_are_read(folder):
    assert read(folder)["id"].tolist() == list(LENGTHS)


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        (float("nan"), "has a weight that is not finite"),
        (float("inf"), "has a weight that is not finite"),
        (-0.25, "has a negative weight"),
        (3.0, "sums to 3"),
    ],
)
def test_weights_that_cannot_be_attention(folder, value, complaint):
    """In the second layer, first head and third row of the last example that is written."""
    store = MapStore(folder)
    place = store.index.set_index("id").loc["c"]
    first = place["offset"] // 2 + ((1 * HEADS + 0) * 4 + 2) * 4
    shard = folder / "maps-00000.f16"
    weights = np.fromfile(shard, "<f2")
    weights[first : first + 4] = [0.5, 0.5, 0, 0] if value < 0 else 0
    weights[first + 2] = value
    weights.tofile(shard)
    sign(folder)
    with pytest.raises(InputError, match=f"example 'c', layer 1, head 0: row 2 {complaint}"):
        read(folder)


def test_rows_of_half_precision_are_not_refused(folder):
    shard = folder / "maps-00000.f16"
    weights = np.fromfile(shard, "<f2") * np.float16(1.004)
    weights.tofile(shard)
    sign(folder)
    assert len(read(folder)) == len(LENGTHS)


def in_tokens(change: Callable[[pd.DataFrame], pd.DataFrame]) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        file = folder / "tokens.parquet"
        change(pd.read_parquet(file)).to_parquet(file, index=False)

    return apply


def in_index(change: Callable[[pd.DataFrame], pd.DataFrame]) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        file = folder / "index.parquet"
        change(pd.read_parquet(file)).to_parquet(file, index=False)

    return apply


def without_a_token(tokens: pd.DataFrame) -> pd.DataFrame:
    tokens["tokens"] = [list(row)[: 5 - (place == 2)] for place, row in enumerate(tokens["tokens"])]
    return tokens


def beyond_none(tokens: pd.DataFrame) -> pd.DataFrame:
    tokens["word"] = [[-2, *list(row)[1:]] for row in tokens["word"]]
    return tokens.assign(words=[[{"text": "word"}] * 4] * len(tokens))


def in_header(**changes: object) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        file = folder / "store.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | changes))

    return apply


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (in_tokens(lambda tokens: tokens.iloc[[1, 0, 2]]), "row 0 is 'b', but the index has 'a'"),
        (in_tokens(lambda tokens: tokens.iloc[:2]), "it has 2 rows for 3 examples"),
        (in_tokens(without_a_token), "example 'b': 5 entries under `tokens`, .* 6 tokens"),
        (in_tokens(beyond_none), "example 'a': a token belongs to word -2"),
        (in_tokens(lambda tokens: tokens.drop(columns="segments")), "no column `segments`"),
        (in_index(lambda index: index.assign(id=["a", "b", "a"])), "two examples have the id 'a'"),
        (in_index(lambda index: index.assign(offset=0)), "it does not fit maps-00000"),
        (in_index(lambda index: index.drop(columns="length")), "no column `length`"),
        (in_header(layers=-3), "layers"),
        (in_header(layers=6), "it does not fit maps-00000"),
        (in_header(heads="two"), "heads"),
        (in_header(files=3), "files"),
        (in_header(files=[{"name": "maps-00000.f16"}]), r"files\.0\.bytes"),
    ],
)
def test_tokens_and_index_that_do_not_fit(folder, damage, complaint):
    damage(folder)
    if "files" not in complaint:
        sign(folder)
    with pytest.raises(InputError, match=complaint):
        read(folder)


@pytest.mark.parametrize("name", ["store.json", "index.parquet", "tokens.parquet"])
def test_a_file_that_is_cut_short(folder, name):
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: len(content) // 2])
    if name != "store.json":
        sign(folder)
    with pytest.raises(InputError, match=name):
        read(folder)
