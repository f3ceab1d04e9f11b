"""Recorded maps with right checksums, which cannot be attention or are not their tokens'."""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from stages.core.recording_writer import write_maps
from stages.core.recordings.sound import open_sound
from stages.core.recordings.store import MapStore
from stages.core.stage.files import InputError

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


def test_sound_maps_are_open_sound(folder):
    assert open_sound(folder).ids == list(LENGTHS)


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
        open_sound(folder)


def test_rows_of_half_precision_are_not_refused(folder):
    shard = folder / "maps-00000.f16"
    weights = np.fromfile(shard, "<f2") * np.float16(1.004)
    weights.tofile(shard)
    sign(folder)
    assert len(open_sound(folder)) == len(LENGTHS)


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


def words_of(tokens: pd.DataFrame, texts: list[str], segment: int = 0) -> pd.DataFrame:
    words = [{"text": text, "segment": segment} for text in texts]
    return tokens.assign(words=[words] * len(tokens))


def lists(column: str, first: list | None) -> Callable[[Path], None]:
    """Put another list in the first row of a column of tokens.parquet."""

    def change(tokens: pd.DataFrame) -> pd.DataFrame:
        return tokens.assign(**{column: [first, *map(list, tokens[column][1:])]})

    return in_tokens(change)


def unlisted(name: str) -> Callable[[Path], None]:
    """Leave a file out of store.json."""

    def apply(folder: Path) -> None:
        files = json.loads((folder / "store.json").read_text())["files"]
        in_header(files=[entry for entry in files if entry["name"] != name])(folder)

    return apply


def listed(name: str) -> Callable[[Path], None]:
    """List a further file, which is there."""

    def apply(folder: Path) -> None:
        (folder.parent / "secret").write_text("key")
        (folder / "notes").write_text("key")
        files = json.loads((folder / "store.json").read_text())["files"]
        in_header(files=[*files, {"name": name, "bytes": 3, "sha256": "0"}])(folder)

    return apply


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
        (lists("segments", [0, 0, 1, 0]), "example 'a': its `segments` are not 0 for the first"),
        (lists("segments", [0, 0, 1, 2]), "example 'a': its `segments` are not 0"),
        (lists("segments", [0, 0, 0, -1]), "example 'a': its `segments` are not 0"),
        (lists("segments", [0, 0, 0, None]), "`segments` has (an entry|lists)"),
        (lists("segments", [0, 0, 0, 0.5]), "`segments` has lists of double; write whole numbers"),
        (lists("segments", None), "`segments` has an entry that is null"),
        (lists("tokens", ["[CLS]", "a", None, "[SEP]"]), "`tokens` has an entry that is null"),
        (
            in_tokens(
                lambda tokens: tokens.assign(
                    segments=[np.eye(len(row), dtype="u1")[1] for row in tokens["tokens"]]
                )
            ),
            "example 'a': its `segments` are not 0",
        ),
        (lists("word", [-1, 1, 0, -1]), "example 'a': its words do not stand in the order"),
        (lists("word", [-1, 0, 1]), "example 'a': 3 entries under `word`, .* 4 tokens"),
        (in_tokens(lambda tokens: tokens.assign(tokens="text")), "`tokens` is of the type"),
        (in_tokens(lambda tokens: words_of(tokens, ["a"])), "belongs to word 1, .* 1 words"),
        (in_tokens(lambda tokens: words_of(tokens, list("abcd"), 1)), "word 0 is of another seg"),
        (in_tokens(lambda tokens: pd.concat([tokens] * 9)), "tokens.parquet: it has 27 rows"),
        (
            in_tokens(lambda tokens: tokens.assign(words=[[{"text": "a"}] * 999] * 3)),
            "tokens.parquet: it has 3 rows, and up to 2997 values in a column",
        ),
        (in_index(lambda index: pd.concat([index] * 99)), "index.parquet: it has 297 rows"),
        (in_index(lambda index: index.assign(length=2**32)), "index.parquet: it does not fit"),
        (in_index(lambda index: index.assign(length=[-4, -6, -4])), "`length` are no whole"),
        (in_index(lambda index: index.assign(shard=["0"] * 3)), "`shard` are no whole numbers"),
        (in_index(lambda index: index.assign(offset=[0.0, 1.0, 2.0])), "`offset` are no whole"),
        (in_index(lambda index: index.assign(id=[1, 2, 3])), "row 0 is 'a', but|`id` is no text"),
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
        open_sound(folder)


def test_annotation_may_be_empty_for_each_example(folder):
    in_tokens(lambda tokens: tokens.assign(words=None, mentions=None, frames=None))(folder)
    sign(folder)
    assert len(open_sound(folder)) == len(LENGTHS)
    with pytest.raises(InputError, match="`words` is of the type null"):
        open_sound(folder, required=("words",))


@pytest.mark.parametrize("name", ["store.json", "index.parquet", "tokens.parquet"])
def test_a_file_that_is_cut_short(folder, name):
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: len(content) // 2])
    if name != "store.json":
        sign(folder)
    with pytest.raises(InputError, match=name):
        open_sound(folder)


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (unlisted("tokens.parquet"), "store.json: it does not list tokens.parquet"),
        (unlisted("index.parquet"), "store.json: it does not list index.parquet"),
        (unlisted("maps-00000.f16"), "index.parquet: .* the maps have room for 0"),
        (listed("../secret"), "store.json: it lists '../secret', which is no file of the folder"),
        (listed(".."), r"store.json: it lists '\.\.'"),
        (listed("store.json"), "store.json: it lists 'store.json'"),
        (listed("tokens.parquet"), "store.json: it lists a file twice"),
        (listed("other"), "other: it is missing"),
        (listed("n" * 300), "n: it is missing"),
    ],
)
def test_a_header_that_lists_too_little_or_too_much(folder, damage, complaint):
    damage(folder)
    with pytest.raises(InputError, match=complaint):
        open_sound(folder)


def test_a_copy_has_the_listed_files_alone(folder, tmp_path):
    (tmp_path / "secret").write_text("key")
    (folder / "notes").symlink_to(tmp_path / "secret")
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "down").symlink_to(tmp_path)
    (folder / "readme.txt").write_text("nothing of the maps")
    os.mkfifo(folder / "pipe")
    open_sound(folder).copy(tmp_path / "copy")
    names = ["index.parquet", "maps-00000.f16", "store.json", "tokens.parquet"]
    assert sorted(file.name for file in (tmp_path / "copy").iterdir()) == names
    for name in names:
        assert (tmp_path / "copy" / name).read_bytes() == (folder / name).read_bytes()


@pytest.mark.parametrize("name", ["store.json", "index.parquet", "maps-00000.f16"])
@pytest.mark.parametrize("kind", ["link", "loop", "pipe", "folder"])
def test_a_listed_file_that_is_no_regular_one(folder, tmp_path, name, kind):
    (folder / name).rename(tmp_path / "elsewhere")
    if kind == "link":
        (folder / name).symlink_to(tmp_path / "elsewhere")
    elif kind == "loop":
        (folder / name).symlink_to(folder / name)
    elif kind == "pipe":
        os.mkfifo(folder / name)
    else:
        (folder / name).mkdir()
    with pytest.raises(InputError, match=name):
        open_sound(folder)
