"""Reading texts, parting them, and their fingerprint."""

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pytest

from stages.core.stage.files import InputError
from stages.pretrain.text import fingerprint_of, read_texts, split

LINES = [
    {"id": "1", "paragraphs": ["one", " two \n", "  "]},
    {"id": "2", "paragraphs": []},
    {"text": "three\n\nfour"},
]
TEXTS = [["one", "two"], ["three", "four"]]


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.jsonl.zst"])
def test_texts_are_read_whatever_they_are_packed_in(tmp_path: Path, name: str) -> None:
    content = "".join(json.dumps(line) + "\n" for line in LINES).encode()
    path = tmp_path / name
    if name.endswith("gz"):
        path.write_bytes(gzip.compress(content))
    elif name.endswith("zst"):
        with pa.output_stream(str(path), compression="zstd") as packed:
            packed.write(content)
    else:
        path.write_bytes(content)
    assert read_texts(path) == TEXTS


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"paragraphs": ["one"]}\n{"paragraphs": "two"}\n', "line 2: not a text"),
        (b'{"id": 1}\n', "line 1: not a text"),
        (b"{\n", "line 1: not a text"),
        (b'{"paragraphs": ["one"]}\n"text"\n', "line 2: not a text"),
        (b'{"paragraphs": ["\xff"]}\n', "line 1: not UTF-8"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=said):
        read_texts(path)


@pytest.mark.parametrize("end", ["gz", "zst"])
def test_a_damaged_archive_is_named(tmp_path: Path, end: str) -> None:
    path = tmp_path / f"a.jsonl.{end}"
    path.write_bytes(b"no archive at all")
    with pytest.raises(InputError, match="cannot be unpacked"):
        read_texts(path)


def test_a_file_that_is_not_there_is_named_with_its_setting(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"pretrain\.text"):
        read_texts(tmp_path / "a.jsonl")


def test_held_out_texts_are_never_learnt() -> None:
    texts = [[str(number)] for number in range(50)]
    learnt, held_out = split(texts, 10, seed=0)
    assert len(held_out) == 10
    assert sorted(learnt + held_out) == sorted(texts)
    assert split(texts, 10, seed=0) == (learnt, held_out)
    assert split(texts, 10, seed=1)[1] != held_out
    with pytest.raises(InputError, match="held_out"):
        split(texts, 50, seed=0)


def test_the_fingerprint_is_of_the_words_and_where_they_are_parted() -> None:
    assert fingerprint_of(TEXTS) == fingerprint_of([list(text) for text in TEXTS])
    others = [TEXTS[::-1], [["one", "two", "three", "four"]], [["onetwo"], ["three", "four"]]]
    assert len({fingerprint_of(texts) for texts in [TEXTS, *others]}) == 4
